/* SPDX-License-Identifier: GPL-3.0-or-later */
/* deps - dependencies: changes of the screen that must precede an input, and parts of the screen to ignore. `vncplay learn`
 * writes the file, `vncplay play --deps` reads it.
 *
 * Text, one line for each; the first line is "vncplay-deps 1". vncplay(1) has the format. */
#pragma once

#include "screen.h"
#include "why.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define DEPS_MOST 100000 /* dependencies that are read, at most */

struct dependency { /* a dependency: a change that must precede an input */
	int line;
	struct pixel_area box; /* the part of the screen that must have changed since the previous press of a button or key */
	bool any;	       /* true: any change meets it */
	uint64_t hash;	       /* else deps_hash_part of the content that it must show */
	int file_line;	       /* its line in the file of dependencies */
};

enum deps_why { DEPS_ALONE, DEPS_SOMETIMES }; /* changes without input; changed in some replays only */
struct ignored_part {
	struct pixel_area box;
	enum deps_why why;
};

struct dependencies {
	int inputs;		   /* number of inputs of the trace that it was learned from */
	struct dependency *before; /* ascending in `line` */
	int n_before;
	struct ignored_part *ignore;
	int n_ignore;
};

/* 0; -EPROTO with the line and the error in `why`; or -errno. After an error `d` is empty. */
int deps_read(const char *path, struct dependencies *d, struct why *why);
/* 0 or -errno. */
int deps_write(const struct dependencies *d, FILE *out);
void deps_free(struct dependencies *d);
void deps_add_dependency(struct dependencies *d, const struct dependency *b); /* ascending in `line` */
void deps_add_ignored(struct dependencies *d, const struct ignored_part *i);

/* The first dependency of a line of the trace, *n: their number; NULL: none. */
const struct dependency *deps_find(const struct dependencies *d, int line, int *n);
/* The hash of a part of the screen (FNV-1a of its pixels, row by row); pixels outside of the screen count as black. */
uint64_t deps_hash_part(const struct screen *s, struct pixel_area box);
