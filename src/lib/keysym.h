/* SPDX-License-Identifier: GPL-3.0-or-later */
/* keysym - names of keys, as X11 and RFB number them (keysymdef.h; RFC 6143, 7.5.4). */
#ifndef THINPROBE_KEYSYM_H
#define THINPROBE_KEYSYM_H

#include <stdint.h>

/* Reads one character in UTF-8 ("a", "ä"), a name of keysymdef.h ("Return", "dead_acute", "F13"), U+20AC as "U20AC", or a number
 * "0xff0d". 0 or -EINVAL. */
int keysym_read(const char *text, uint32_t *out);
/* The character itself where it is printable ASCII, else its name; "" where it has none. Valid until the next call. */
const char *keysym_name(uint32_t keysym);

#endif
