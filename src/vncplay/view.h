/* SPDX-License-Identifier: GPL-3.0-or-later */
/* view - a window of X11 that shows a screen, and tells what is done at it. */
#ifndef THINPROBE_VNCPLAY_VIEW_H
#define THINPROBE_VNCPLAY_VIEW_H

#include "screen.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct view;

/* On the display of the environment. NULL with one line in `why`. */
struct view *view_open(const char *title, int width, int height, char *why, size_t size);
void view_close(struct view *v);
int view_fd(const struct view *v);	/* readable: view_take has something to do */

/* Shows this part of the screen, and remembers the screen, which must stay, for when the window was covered. */
void view_paint(struct view *v, const struct screen *s, struct box box);
void view_resize(struct view *v, int width, int height);
void view_flush(struct view *v);	/* what was painted goes to the display */

enum view_kind { VIEW_NOTHING, VIEW_POINTER, VIEW_KEY, VIEW_CLOSED };
struct view_event {
	enum view_kind kind;
	int x, y, mask;		/* pointer: where, and the buttons that are down, bit 0 is button 1 */
	uint32_t keysym;	/* key, as RFB has them: what was pressed comes up again under the same one */
	bool down;
};
/* The next thing that was done; VIEW_NOTHING: no more for now. Never blocks. VIEW_CLOSED also where the display is gone. */
void view_take(struct view *v, struct view_event *e);

#endif
