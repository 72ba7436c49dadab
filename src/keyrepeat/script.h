/* script - keys from a file: one a line, "DELAY_MS KEY".
 *
 * The delay counts from the due time of the key before (the first: from the start), so that the whole schedule stands before the run. Empty lines
 * and lines that begin with # are left out; # as a key is written 0x23. */
#ifndef KEYREPEAT_SCRIPT_H
#define KEYREPEAT_SCRIPT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct script {
	size_t n;
	int64_t *offset_ns;	/* owned; ascending, from the start */
	uint32_t *keysym;	/* owned */
};

/* Reads to the end. 0 or -errno; for -EINVAL, *line is the line that is wrong. script_free() in any case. */
int script_read(FILE *in, struct script *out, size_t *line);
void script_free(struct script *s);

#endif
