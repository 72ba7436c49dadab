// SPDX-License-Identifier: GPL-3.0-or-later
#include "cold.h"
#include "array.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGES_AT_ONCE 4096

static bool droppable(const char *path)
{
	static const char *const not[] = { "/dev/", "/proc/", "/sys/", "/memfd:", "/SYSV" };
	static const char deleted[] = " (deleted)";
	size_t n = strlen(path);

	for (size_t i = 0; i < sizeof(not) / sizeof(*not); i++)
		if (!strncmp(path, not[i], strlen(not[i])))
			return false;
	return path[0] == '/' && (n < sizeof(deleted) || strcmp(path + n - (sizeof(deleted) - 1), deleted) != 0);
}

char *cold_mapped(char *line)
{
	char *path = line;

	/* address perms offset dev inode path, which may hold spaces */
	for (int field = 0; field < 5; field++) {
		path += strcspn(path, " ");
		path += strspn(path, " ");
	}
	path[strcspn(path, "\n")] = '\0';
	return droppable(path) ? path : NULL;
}

void cold_add(struct cold *c, const char *path)
{
	size_t low = 0, high = c->n, middle;
	char *copy;
	struct stat st;

	while (low < high) {
		int order;

		middle = (low + high) / 2;
		order = strcmp(path, c->path[middle]);
		if (!order)
			return;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	if (c->n == COLD_FILES_MAX || !droppable(path) || stat(path, &st) || !S_ISREG(st.st_mode))
		return;
	if (array_room(&c->path, c->n))
		return;
	copy = strdup(path);
	if (!copy)
		return;
	memmove(c->path + low + 1, c->path + low, (c->n - low) * sizeof(*c->path));
	c->path[low] = copy;
	c->n++;
}

static void learn_maps(struct cold *c, pid_t pid)
{
	char path[64], line[4400], *file;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		file = cold_mapped(line);
		if (file)
			cold_add(c, file);
	}
	if (f)
		fclose(f);
}

static void learn_open_files(struct cold *c, pid_t pid)
{
	char folder[64], path[128], file[4096];
	struct dirent *e;
	ssize_t n;
	DIR *d;

	snprintf(folder, sizeof(folder), "/proc/%d/fd", (int)pid);
	d = opendir(folder);
	while (d && (e = readdir(d))) {
		snprintf(path, sizeof(path), "%s/%.20s", folder, e->d_name);
		n = readlink(path, file, sizeof(file) - 1);
		if (n <= 0 || file[0] != '/')
			continue;
		file[n] = '\0';
		cold_add(c, file);
	}
	if (d)
		closedir(d);
}

void cold_learn(struct cold *c, const struct tree *t)
{
	for (int i = 0; i < t->n; i++) {
		learn_maps(c, t->pid[i]);
		learn_open_files(c, t->pid[i]);
	}
}

/* What of a file is in memory, in bytes. Of others' files the kernel says that all of it is. */
static int64_t resident_bytes(int fd, int64_t size)
{
	unsigned char in[PAGES_AT_ONCE];
	int64_t page = sysconf(_SC_PAGESIZE), found = 0;
	void *map;

	if (size <= 0)
		return 0;
	map = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return 0;
	for (int64_t at = 0; at < size; at += PAGES_AT_ONCE * page) {
		int64_t part = size - at < PAGES_AT_ONCE * page ? size - at : PAGES_AT_ONCE * page;

		if (mincore((char *)map + at, (size_t)part, in))
			break;
		for (int64_t i = 0; i * page < part; i++)
			found += in[i] & 1;
	}
	munmap(map, (size_t)size);
	return found * page;
}

static void rank(struct cold_dropped *out, const char *path, int64_t bytes)
{
	for (int i = 0; i < COLD_STAYED && bytes > 0; i++) {
		const char *was = out->stayed[i];
		int64_t was_bytes = out->stayed_of_bytes[i];

		if (was && was_bytes >= bytes)
			continue;
		out->stayed[i] = path;
		out->stayed_of_bytes[i] = bytes;
		if (!was)
			return;
		path = was;
		bytes = was_bytes;
	}
}

void cold_drop(const struct cold *c, struct cold_dropped *out)
{
	*out = (struct cold_dropped){ 0 };
	for (size_t i = 0; i < c->n; i++) {
		int fd = open(c->path[i], O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		struct stat st;
		int64_t before, after;

		if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode)) {
			out->refused++;
			if (fd >= 0)
				close(fd);
			continue;
		}
		before = resident_bytes(fd, st.st_size);
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
		after = resident_bytes(fd, st.st_size);
		out->files++;
		if (access(c->path[i], W_OK) && st.st_uid != geteuid()) {
			out->dropped_bytes = out->stayed_bytes = -1;
		} else if (out->stayed_bytes >= 0) {
			out->dropped_bytes += before > after ? before - after : 0;
			out->stayed_bytes += after;
			rank(out, c->path[i], after);
		}
		close(fd);
	}
}

void cold_free(struct cold *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->path[i]);
	free(c->path);
	*c = (struct cold){ 0 };
}
