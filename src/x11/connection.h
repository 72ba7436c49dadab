/* SPDX-License-Identifier: GPL-3.0-or-later */
/* connection - to a display that may go away: that is a result, and not the end of the program. The one file of this room that
 * names the X libraries. */
#ifndef THINPROBE_X11_CONNECTION_H
#define THINPROBE_X11_CONNECTION_H

#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <X11/extensions/XShm.h>
#include <stdbool.h>
#include <stddef.h>

/* Opens a display (NULL: $DISPLAY). Requests that are refused show where their result is wanted. *broken, which must stay as long
 * as the connection, becomes true when the connection breaks: Xlib's requests fail from then on. NULL with one line in `why`. */
Display *x11_connect(const char *name, _Atomic bool *broken, char *why, size_t size);
/* Does nothing with a broken connection: closing it would write to it once more. */
void x11_disconnect(Display *d, const _Atomic bool *broken);

#endif
