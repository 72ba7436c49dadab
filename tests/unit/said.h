/* SPDX-License-Identifier: GPL-3.0-or-later */
/* said - what a report says: begin_said(), the calls that make the report, end_said(). */
#pragma once

#include "rec.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char said_path[] = "/tmp/thinprobe-said.XXXXXX";

static struct rec_report *begin_said(enum rec_format format)
{
	struct rec_cfg cfg = { .format = (int)format, .path = said_path };
	int fd;

	strcpy(said_path, "/tmp/thinprobe-said.XXXXXX");
	fd = mkstemp(said_path);
	assert_true(fd >= 0);
	close(fd);
	return rec_open(&cfg, "test");
}

static const char *end_said(struct rec_report *r)
{
	static char text[8192];
	size_t n;
	FILE *f;

	assert_int_equal(rec_close(r), 0);
	f = fopen(said_path, "r");
	assert_non_null(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	fclose(f);
	unlink(said_path);
	return text;
}
