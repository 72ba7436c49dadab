/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sources - names of who asked, to numbers: in the order of first appearance, then in that of the names. */
#ifndef THINPROBE_ARRIVALS_SOURCES_H
#define THINPROBE_ARRIVALS_SOURCES_H

#include <stdint.h>

struct sources;
struct sources *sources_new(void);	/* NULL: no memory */
void sources_free(struct sources *t);
/* The number of this name, new ones counted on. 0 or -ENOMEM. */
int sources_number(struct sources *t, const char *name, uint32_t *out);
uint32_t sources_count(const struct sources *t);
/* place[number]: where that name stands among all in order, digits as numbers ("user 9" before "user 10"). 0 or -ENOMEM. */
int sources_places(const struct sources *t, uint32_t *place);

#endif
