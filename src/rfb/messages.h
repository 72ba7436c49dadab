/* SPDX-License-Identifier: GPL-3.0-or-later */
/* messages - what is said to a server, byte by byte: RFC 6143, 7.5. Pure: a message is
 * written to a room of the caller's, and its length returned. */
#ifndef THINPROBE_RFB_MESSAGES_H
#define THINPROBE_RFB_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MESSAGES_MOST 10	/* bytes of those that have no room of their own named */
#define MESSAGES_ENCODINGS 8	/* that can be asked for by a word */
#define MESSAGES_NAME 4096	/* bytes of a desktop's name that are kept */
#define MESSAGES_GREETING (12 + 4 + 24 + MESSAGES_NAME)

size_t messages_pointer(uint8_t *m, int mask, int x, int y);	/* a place beyond what two bytes can tell is at their end */
size_t messages_key(uint8_t *m, uint32_t keysym, bool down);
size_t messages_stroke(uint8_t *m, uint32_t keysym);	/* pressed and released: 16 bytes */
size_t messages_ask(uint8_t *m, bool incremental, int width, int height);	/* for an update of all of it */

/* "tight,zlib,...", each once: their numbers into `list`. `skipped`: only those whose length can be told without decoding. How
 * many, or -EINVAL with a line in `why`. */
int messages_encodings(const char *words, bool skipped, int32_t list[MESSAGES_ENCODINGS], char *why, size_t size);
/* Pixels of 32 bits, little endian, 0x00RRGGBB. 20 bytes. */
size_t messages_format(uint8_t *m);
/* These encodings, and then more. 4 bytes and 4 for each. */
size_t messages_set_encodings(uint8_t *m, const int32_t *list, int n, const int32_t *more, int n_more);

/* The other way: what a log begins with, as if the server had said it so. RFB 3.3, no security,
 * ServerInit with the pixels above. Room: MESSAGES_GREETING. */
size_t messages_greeting(uint8_t *m, int width, int height, const uint8_t *name, size_t name_n);

#endif
