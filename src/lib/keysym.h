/* SPDX-License-Identifier: GPL-3.0-or-later */
/* keysym - names of keys, as X11 and RFB number them (keysymdef.h; RFC 6143, 7.5.4).
 *
 * A small table of our own: X11 and RFB speak the same numbers, and who speaks RFB has no Xlib. */
#ifndef THINPROBE_KEYSYM_H
#define THINPROBE_KEYSYM_H

#include <stdint.h>

/* Reads one character in UTF-8 ("a", "ä"), a name ("Return", "space", "Left", "F5"), U+20AC as "U20AC", or a number
 * "0xff0d". 0 or -EINVAL. */
int keysym_read(const char *text, uint32_t *out);
/* Its name in the table, or the character itself where that is printable ASCII; "" where it has
 * neither. Valid until the next call. */
const char *keysym_name(uint32_t keysym);

#endif
