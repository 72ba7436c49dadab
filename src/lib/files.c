// SPDX-License-Identifier: GPL-3.0-or-later
#include "files.h"
#include "memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int files_read_all(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = fd < 0 ? -errno : 0;
	size_t n = 0;
	ssize_t got = 1;

	while (!err && n + 1 < size && got > 0) {
		got = read(fd, text + n, size - 1 - n);
		if (got > 0)
			n += (size_t)got;
		else if (got < 0 && errno == EINTR)
			got = 1;
		else if (got < 0)
			err = -errno;
	}
	if (fd >= 0)
		close(fd);
	text[err ? 0 : n] = '\0';
	return err;
}

int files_read_line(const char *path, char *text, size_t size)
{
	int err = files_read_all(path, text, size);
	char *end = strchr(text, '\n');

	if (end)
		*end = '\0';
	return err ? err : !end && strlen(text) + 1 == size ? -E2BIG : 0;
}

int files_write_text(const char *path, const char *text)
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
	return files_write_text(path, text);
}

static void append_number(pid_t **list, size_t *n, pid_t number)
{
	memory_more(*list, *n);
	(*list)[(*n)++] = number;
}

int files_list_numbers(const char *path, pid_t **list, size_t *n)
{
	FILE *f = fopen(path, "re");
	int number, err;

	if (!f)
		return -errno;
	while (fscanf(f, "%d", &number) == 1)
		append_number(list, n, number);
	err = ferror(f) ? -errno : 0;
	fclose(f);
	return err;
}

int files_list_numeric_names(const char *folder, pid_t **list, size_t *n)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	if (!dir)
		return -errno;
	while ((entry = readdir(dir))) {
		char *end;
		long number = strtol(entry->d_name, &end, 10);

		if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9' && !*end)
			append_number(list, n, (pid_t)number);
	}
	closedir(dir);
	return 0;
}

int files_list_group_pids(const char *folder, pid_t **list, size_t *n)
{
	char path[4096];
	struct dirent *e;
	int err;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/cgroup.procs", folder);
	err = files_list_numbers(path, list, n);
	dir = err ? NULL : opendir(folder);
	if (!dir)
		return err ? err : -errno;
	while (!err && (e = readdir(dir))) {
		if (e->d_type != DT_DIR || e->d_name[0] == '.' ||
		    snprintf(path, sizeof(path), "%s/%s", folder, e->d_name) >= (int)sizeof(path))
			continue;
		err = files_list_group_pids(path, list, n);
		if (err == -ENOENT || err == -ENODEV) /* the group was removed meanwhile */
			err = 0;
	}
	closedir(dir);
	return err;
}

int files_flush_stream(FILE *out)
{
	errno = 0;
	return fflush(out) || ferror(out) ? errno ? -errno : -EIO : 0;
}

bool files_is_descriptor(const char *path)
{
	return (!strncmp(path, "/dev/", 5) && strncmp(path, "/dev/shm/", 9)) || !strncmp(path, "/proc/", 6);
}

FILE *files_create_private(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");

	if (fd >= 0 && !f) {
		files_remove_part(path);
		close(fd);
	}
	return f;
}

void files_remove_part(const char *path)
{
	int err = errno;
	struct stat st;

	if (!stat(path, &st) && S_ISREG(st.st_mode))
		unlink(path);
	errno = err;
}
