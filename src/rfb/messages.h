/* SPDX-License-Identifier: GPL-3.0-or-later */
/* messages - the bytes of client-to-server messages of RFB (RFC 6143, 7.5). Pure: each function writes a message to a buffer of the
 * caller's and returns its length in bytes. */
#pragma once

#include "why.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MESSAGES_MOST 10     /* bytes of the longest message, unless a function says otherwise */
#define MESSAGES_ENCODINGS 8 /* encodings that have a name on the command line */
#define MESSAGES_NAME 4096   /* bytes of a desktop's name that are kept */
#define MESSAGES_GREETING (12 + 4 + 24 + MESSAGES_NAME)

size_t messages_put_pointer(uint8_t *m, int mask, int x, int y); /* PointerEvent; x and y are limited to 0..65535 */
size_t messages_put_key(uint8_t *m, uint32_t keysym, bool down); /* KeyEvent */
size_t messages_put_key_stroke(uint8_t *m, uint32_t keysym);	 /* a key pressed and released: 16 bytes */
/* FramebufferUpdateRequest of the whole desktop */
size_t messages_put_update_request(uint8_t *m, bool incremental, int width, int height);

/* Reads encodings such as "tight,zlib", none twice, and writes their numbers to `list`. `skippable`: refuses encodings whose length
 * cannot be told without decoding. How many encodings, or -EINVAL with a line in `why`. */
int messages_parse_encodings(const char *words, bool skippable, int32_t list[static MESSAGES_ENCODINGS], struct why *why);
/* SetPixelFormat: 32 bits, little endian, 0x00RRGGBB. 20 bytes. */
size_t messages_put_pixel_format(uint8_t *m);
/* SetEncodings: those of `list`, then those of `more`. 4 bytes and 4 for each encoding. */
size_t messages_put_encodings(uint8_t *m, const int32_t *list, int n, const int32_t *more, int n_more);

/* The server's greeting with which a recorded session begins: version RFB 3.3, security None, and ServerInit with the pixel format
 * of messages_put_pixel_format(). `m` holds MESSAGES_GREETING bytes. */
size_t messages_put_greeting(uint8_t *m, int width, int height, const uint8_t *name, size_t name_n);

/* Why no security type of a VNC server fits, from what libvncclient says of those it offers. So its message
 * begins, where it may use none of them. */
#define SECURITY_OFFER "Unknown authentication scheme from VNC server: "

/* False: `message` is no such message. Else *why names the types and the cure. password: the user gave one. */
bool security_explain_offer(const char *message, bool password, struct why *why);
