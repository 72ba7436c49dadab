/* SPDX-License-Identifier: GPL-3.0-or-later */
/* folder - a folder of the test's own, for TEST_WITH(make_folder, remove_folder, ...) or BEFORE_ALL. Includes unit.h. */
#pragma once

#include "unit.h"

#include <dirent.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[32];

static int make_folder(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/thinprobe-test.XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st, (void)kind, (void)at;
	return remove(path);
}

static int remove_folder(void **state)
{
	(void)state;
	return nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

/* The path of a file in it; one of the last four. */
static inline const char *in_folder(const char *name)
{
	static char path[4][400];
	static unsigned turn;

	turn = (turn + 1) % 4;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", folder, name);
	return path[turn];
}

static inline void put(const char *name, const char *text)
{
	FILE *f = fopen(in_folder(name), "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static inline const char *content(const char *path)
{
	static char text[65536];
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	return text;
}
