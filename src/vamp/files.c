// SPDX-License-Identifier: GPL-3.0-or-later
#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int read_all(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = 0;
	size_t n = 0;
	ssize_t got = 1;

	if (fd < 0)
		return -errno;
	while (n + 1 < size && got > 0) {
		got = read(fd, text + n, size - 1 - n);
		if (got > 0)
			n += (size_t)got;
		else if (got < 0 && errno == EINTR)
			got = 1;
		else if (got < 0)
			err = -errno;
	}
	close(fd);
	text[n] = '\0';
	return err;
}

int files_read(const char *path, char *text, size_t size)
{
	int err = read_all(path, text, size);
	char *end = strchr(text, '\n');

	if (err)
		return err;
	if (!end && strlen(text) + 1 == size)
		return -E2BIG;
	if (end)
		*end = '\0';
	return 0;
}

int files_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), err = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		err = -errno;
	close(fd);
	return err;
}

int files_write_number(const char *path, long number)
{
	char text[24];

	snprintf(text, sizeof(text), "%ld\n", number);
	return files_write(path, text);
}

int files_stat(pid_t tid, struct proc_stat *out)
{
	char path[40], text[1024];

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)tid);
	if (read_all(path, text, sizeof(text)) || proc_read_stat(text, out))
		return -ESRCH;
	return 0;
}

static int add(pid_t **list, size_t *n, pid_t number)
{
	/* 0, then 64, 128, 256 ...: room is made where n has filled it */
	if (!*n || (*n >= 64 && !(*n & (*n - 1)))) {
		pid_t *more = realloc(*list, (*n ? 2 * *n : 64) * sizeof(*more));

		if (!more)
			return -ENOMEM;
		*list = more;
	}
	(*list)[(*n)++] = number;
	return 0;
}

static int finish(int err, pid_t **list)
{
	if (err) {
		free(*list);
		*list = NULL;
	}
	return err;
}

int files_numbers(const char *path, pid_t **out, size_t *n)
{
	FILE *f = fopen(path, "re");
	int number, err = 0;

	*out = NULL;
	*n = 0;
	if (!f)
		return -errno;
	while (!err && fscanf(f, "%d", &number) == 1)
		err = add(out, n, number);
	if (!err && ferror(f))
		err = -EIO;
	fclose(f);
	return finish(err, out);
}

int files_numbered(const char *folder, pid_t **out, size_t *n)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int err = 0;

	*out = NULL;
	*n = 0;
	if (!dir)
		return -errno;
	while (!err && (entry = readdir(dir))) {
		char *end;
		long number = strtol(entry->d_name, &end, 10);

		if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9' && !*end)
			err = add(out, n, (pid_t)number);
	}
	closedir(dir);
	return finish(err, out);
}
