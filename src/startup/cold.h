/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cold - which files an application uses, and taking them out of the page cache before it starts.
 *
 * Files are learnt from its processes while they run: what is mapped, and what is open when we
 * look; opened.h tells of all. Dropping is POSIX_FADV_DONTNEED per file: nothing but these files is
 * touched; pages that another process has mapped, or that are not written yet, stay, which is
 * counted. */
#ifndef STARTUP_COLD_H
#define STARTUP_COLD_H

#include "tree.h"

#define COLD_FILES_MAX 16384
#define COLD_STAYED 5

struct cold {
	char **path;		/* owned, each once, in the order of strcmp */
	size_t n;
};

struct cold_dropped {
	int64_t files, refused;		/* refused: could not be opened any more */
	int64_t dropped_bytes, stayed_bytes;	/* -1: not known; the kernel tells only who may write the file */
	/* the files of which most stayed, most first; NULL: no more. Owned by what was dropped */
	const char *stayed[COLD_STAYED];
	int64_t stayed_of_bytes[COLD_STAYED];
};

/* Adds a file, if it can be dropped; each stands in it once. */
void cold_add(struct cold *c, const char *path);
/* Adds what these processes have mapped and open now. */
void cold_learn(struct cold *c, const struct tree *t);
void cold_drop(const struct cold *c, struct cold_dropped *out);
void cold_free(struct cold *c);

/* The file of a line of /proc/PID/maps, or NULL if it maps none that could be dropped (the end of the line is cut off). Pure. */
char *cold_mapped(char *line);

#endif
