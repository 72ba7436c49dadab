/* sources - names of who asked, to numbers in the order of first appearance. */
#ifndef THINPROBE_ARRIVALS_SOURCES_H
#define THINPROBE_ARRIVALS_SOURCES_H

#include <stdint.h>

struct sources;
struct sources *sources_new(void);	/* NULL: no memory */
void sources_free(struct sources *t);
/* The number of this name, new ones counted on. 0 or -ENOMEM. */
int sources_number(struct sources *t, const char *name, uint32_t *out);
uint32_t sources_count(const struct sources *t);

#endif
