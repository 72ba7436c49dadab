/* SPDX-License-Identifier: GPL-3.0-or-later */
/* connection - opens an X display whose loss is an error to report, not the end of the program as Xlib has it. The one file of this
 * room that includes the headers of the X libraries. */
#pragma once

#include "why.h"

#include <X11/XKBlib.h>
#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <X11/extensions/XShm.h>
#include <stdbool.h>
#include <stddef.h>

/* Opens a display (NULL: $DISPLAY). A request that the server refuses is ignored here; the function that wants its result fails.
 * *broken, which must live as long as the connection, becomes true when the connection breaks: from then on all requests of Xlib
 * fail. NULL with one line in `why`. */
Display *x11_connect(const char *name, _Atomic bool *broken, struct why *why);
/* Leaves a broken connection open: XCloseDisplay() would write to it once more. */
void x11_close_unless_broken(Display *d, const _Atomic bool *broken);
