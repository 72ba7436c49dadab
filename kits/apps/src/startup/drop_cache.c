// SPDX-License-Identifier: GPL-3.0-or-later
#include "drop_cache.h"
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGES_AT_ONCE 4096 /* pages for each mincore() */

static bool is_droppable(const char *path)
{
	static const char *const excluded[] = { "/dev/", "/proc/", "/sys/", "/memfd:", "/SYSV" };
	static const char deleted[] = " (deleted)";
	size_t n = strlen(path);

	for (size_t i = 0; i < sizeof(excluded) / sizeof(*excluded); i++)
		if (!strncmp(path, excluded[i], strlen(excluded[i])))
			return false;
	return path[0] == '/' && (n < sizeof(deleted) || strcmp(path + n - (sizeof(deleted) - 1), deleted) != 0);
}

char *file_set_mapped_path(char *line)
{
	char *path = line;

	/* skip address, permissions, offset, device and inode; the path may hold spaces */
	for (int field = 0; field < 5; field++) {
		path += strcspn(path, " ");
		path += strspn(path, " ");
	}
	path[strcspn(path, "\n")] = '\0';
	return is_droppable(path) ? path : NULL;
}

static int compare_paths(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Adds a file unless it is there already, or no regular file, or deleted. */
static void add_file(struct file_set *c, const char *path)
{
	struct stat st;
	char *copy;

	if (tfind(path, &c->paths, compare_paths) || c->n == FILE_SET_MAX || !is_droppable(path) || stat(path, &st) ||
	    !S_ISREG(st.st_mode))
		return;
	copy = strdup(path);
	if (copy && tsearch(copy, &c->paths, compare_paths))
		c->n++;
	else
		free(copy);
}

static void add_mapped_files(struct file_set *c, pid_t pid)
{
	char path[64], line[4400], *file;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		file = file_set_mapped_path(line);
		if (file)
			add_file(c, file);
	}
	if (f)
		fclose(f);
}

/* Adds the file that a link below /proc/PID/fd points to. */
static void add_linked_file(struct file_set *c, pid_t pid, int fd)
{
	char link[64], file[4096];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%d/fd/%d", (int)pid, fd);
	n = readlink(link, file, sizeof(file) - 1);
	if (n <= 0)
		return;
	file[n] = '\0';
	add_file(c, file);
}

static void add_open_files(struct file_set *c, pid_t pid)
{
	char folder[64];
	pid_t *fd = NULL;
	size_t n = 0;

	snprintf(folder, sizeof(folder), "/proc/%d/fd", (int)pid);
	files_list_numeric_names(folder, &fd, &n);
	for (size_t i = 0; i < n; i++)
		add_linked_file(c, pid, fd[i]);
	free(fd);
}

void file_set_add_processes(struct file_set *c, const struct tree *t)
{
	for (int i = 0; i < t->n; i++) {
		add_mapped_files(c, t->pid[i]);
		add_open_files(c, t->pid[i]);
	}
}

/* Bytes of a file in the page cache. For files of other users, which this user may not write, the kernel says that all pages are
 * there. */
static int64_t count_cached_bytes(int fd, int64_t size)
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

/* Inserts a file into the list of those of which most bytes stayed. */
static void insert_stayed(struct drop_result *out, const char *path, int64_t bytes)
{
	for (int i = 0; i < FILE_SET_STAYED && bytes > 0; i++) {
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

static void drop_file(const void *node, VISIT which, void *result)
{
	const char *path = *(char *const *)node;
	struct drop_result *out = result;
	int64_t before, after;
	struct stat st;
	int fd;

	if (which != postorder && which != leaf) /* each file once, in the order of paths */
		return;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		out->refused++;
		if (fd >= 0)
			close(fd);
		return;
	}
	before = count_cached_bytes(fd, st.st_size);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	after = count_cached_bytes(fd, st.st_size);
	out->files++;
	if (access(path, W_OK) && st.st_uid != geteuid()) {
		out->dropped_bytes = out->stayed_bytes = -1;
	} else if (out->stayed_bytes >= 0) {
		out->dropped_bytes += before > after ? before - after : 0;
		out->stayed_bytes += after;
		insert_stayed(out, path, after);
	}
	close(fd);
}

void file_set_drop_cached(const struct file_set *c, struct drop_result *out)
{
	*out = (struct drop_result){ 0 };
	twalk_r(c->paths, drop_file, out);
}

void file_set_free(struct file_set *c)
{
	tdestroy(c->paths, free);
	*c = (struct file_set){ 0 };
}

void open_trace_start(struct open_trace *o)
{
	const char *const places[] = { "/", ".", getenv("HOME") };

	o->fd = fanotify_init(FAN_CLASS_NOTIF | FAN_CLOEXEC | FAN_NONBLOCK | FAN_UNLIMITED_QUEUE, O_RDONLY | O_CLOEXEC);
	if (o->fd < 0)
		return;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		if (!places[i] || !fanotify_mark(o->fd, FAN_MARK_ADD | FAN_MARK_FILESYSTEM, FAN_OPEN, AT_FDCWD, places[i]) || i)
			continue;
		open_trace_stop(o);
		return;
	}
}

void open_trace_collect(struct open_trace *o, struct file_set *c, pid_t root)
{
	_Alignas(struct fanotify_event_metadata) char text[8192];
	const struct fanotify_event_metadata *e;
	pid_t last = 0;
	bool ours = false;
	int64_t n;

	while (o->fd >= 0 && (n = read(o->fd, text, sizeof(text))) > 0) {
		for (e = (const void *)text; FAN_EVENT_OK(e, n); e = FAN_EVENT_NEXT(e, n)) {
			/* several events in a row are mostly of the same process */
			if (e->pid != last) {
				last = e->pid;
				ours = last > 0 && tree_has_process(root, last);
			}
			if (ours && e->fd >= 0)
				add_linked_file(c, getpid(), e->fd);
			if (e->fd >= 0)
				close(e->fd);
		}
	}
}

void open_trace_stop(struct open_trace *o)
{
	if (o->fd >= 0)
		close(o->fd);
	o->fd = -1;
}
