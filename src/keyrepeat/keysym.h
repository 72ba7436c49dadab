/* keysym - names of keys, as X11 and RFB number them (keysymdef.h; RFC 6143, 7.5.4).
 *
 * A small table of our own: both back-ends speak the same numbers, and one of them has no Xlib. */
#ifndef KEYREPEAT_KEYSYM_H
#define KEYREPEAT_KEYSYM_H

#include <stdint.h>

/* Reads one character in UTF-8 ("a", "ä"), a name ("Return", "space", "Left", "F5"), U+20AC as "U20AC", or a number
 * "0xff0d". 0 or -EINVAL. */
int keysym_read(const char *text, uint32_t *out);

#endif
