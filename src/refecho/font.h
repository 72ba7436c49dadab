/* SPDX-License-Identifier: GPL-3.0-or-later */
/* font - the printable ASCII characters as 5 x 7 dots, for a face that has no fonts of its own. */
#ifndef THINPROBE_REFECHO_FONT_H
#define THINPROBE_REFECHO_FONT_H

#include <stdbool.h>

#define FONT_WIDTH 5
#define FONT_HEIGHT 7

/* Is the dot set? Characters outside 0x20..0x7e look like '.', places outside the glyph are empty. */
bool font_dot(unsigned char character, int x, int y);

#endif
