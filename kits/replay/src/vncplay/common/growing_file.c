// SPDX-License-Identifier: GPL-3.0-or-later
#include "growing_file.h"
#include "files.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

int growing_file_flush(struct growing_file *f)
{
	if (!f->err)
		f->err = files_flush_stream(f->out);
	return f->err;
}

int growing_file_finish(struct growing_file *f)
{
	int err = growing_file_flush(f);

	errno = 0;
	if (fclose(f->out) && !err)
		err = errno ? -errno : -EIO;
	free(f);
	return err;
}

struct growing_file *growing_file_create(const char *path, const char *head, ...)
{
	struct growing_file *f = calloc(1, sizeof(*f));
	va_list words;
	int err;

	if (f)
		f->out = files_create_private(path);
	if (!f || !f->out) {
		free(f);
		return NULL;
	}
	setvbuf(f->out, f->buffer, _IOFBF, sizeof(f->buffer));
	va_start(words, head);
	vfprintf(f->out, head, words);
	va_end(words);
	err = growing_file_flush(f);
	if (!err)
		return f;
	growing_file_finish(f);
	errno = -err;
	return NULL;
}
