/* SPDX-License-Identifier: GPL-3.0-or-later */
/* keysym - names of keys and their numbers in X11 and RFB (keysymdef.h; RFC 6143, 7.5.4). */
#pragma once

#include <stdint.h>

/* Reads a key: one character in UTF-8 ("a", "ä"), a name of keysymdef.h ("Return", "F13"), a code point "U20AC", or a number
 * "0xff0d". 0 or -EINVAL. */
int keysym_parse_text(const char *text, uint32_t *out);
/* The name of a key: the character itself if it is printable ASCII; "" if there is none. Static, valid until the next call. */
const char *keysym_name(uint32_t keysym);
