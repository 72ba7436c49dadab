// SPDX-License-Identifier: GPL-3.0-or-later
#include "whole.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int whole_open(struct whole *w, const char *folder, const char *name, const char *schema, const char *const *columns)
{
	int fd;

	*w = (struct whole){ 0 };
	if (asprintf(&w->path, "%s/%s", folder, name) < 0)
		w->path = NULL;
	if (!w->path || asprintf(&w->temporary, "%s.XXXXXX", w->path) < 0)
		w->temporary = NULL;
	if (!w->temporary) {
		free(w->path);
		return -ENOMEM;
	}
	fd = mkostemp(w->temporary, O_CLOEXEC);
	if (fd >= 0) {
		mode_t mask = umask(0);

		umask(mask);
		fchmod(fd, 0666 & ~mask);	/* mkostemp made it private */
		close(fd);
		w->rows = rows_open(w->temporary, schema, columns);
	}
	if (!w->rows) {
		int err = -errno;

		if (fd >= 0)
			unlink(w->temporary);
		free(w->temporary);
		free(w->path);
		return err;
	}
	return 0;
}

int whole_close(struct whole *w)
{
	int err = rows_close(w->rows), fd = open(w->temporary, O_RDONLY | O_CLOEXEC);

	if (!err && (fd < 0 || fsync(fd) || rename(w->temporary, w->path)))
		err = -errno;
	if (fd >= 0)
		close(fd);
	if (err)
		unlink(w->temporary);
	free(w->temporary);
	free(w->path);
	return err;
}

void whole_drop(struct whole *w)
{
	rows_close(w->rows);
	unlink(w->temporary);
	free(w->temporary);
	free(w->path);
}

void whole_number(struct rows *t, double v, int decimals)
{
	char text[64];

	if (!isfinite(v)) {
		rows_none(t);
		return;
	}
	snprintf(text, sizeof(text), "%.*f", decimals, v);
	rows_str(t, text);
}
