// SPDX-License-Identifier: GPL-3.0-or-later
#include "tracefs.h"
#include "files.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const places[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };

/* Reads one format file. 0, or -errno; -ENOENT: no such event. */
static int read_event_format(const char *place, const char *event, char *text)
{
	char path[160];
	int err;

	snprintf(path, sizeof(path), "%s/events/%s/format", place, event);
	err = files_read_all(path, text, TRACEFS_TEXT);
	return !err && !*text ? -EIO : err;
}

static int read_event_formats(const char *place, const char *const *event, size_t n, char (*text)[TRACEFS_TEXT])
{
	char path[64];

	snprintf(path, sizeof(path), "%s/events", place);
	if (access(path, R_OK | X_OK))
		return -errno;
	for (size_t i = 0; i < n; i++) {
		int err = read_event_format(place, event[i], text[i]);

		if (err == -ENOENT)
			text[i][0] = '\0';
		else if (err)
			return err;
	}
	return 0;
}

/* In the child process: mounts tracefs, on a directory that sysfs has if the kernel has tracefs, and reads the formats. */
static int mount_and_read(const char *const *event, size_t n, char (*text)[TRACEFS_TEXT])
{
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return -errno;
	if (mount("tracefs", places[0], "tracefs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL))
		return errno == ENOENT ? -ENODEV : -errno;
	return read_event_formats(places[0], event, n, text);
}

static int read_formats_in_child(const char *const *event, size_t n, char (*text)[TRACEFS_TEXT])
{
	struct formats_from_child {
		int err;
		char text[][TRACEFS_TEXT];
	} * shared;
	size_t size = sizeof(*shared) + n * TRACEFS_TEXT;
	int err, status;
	pid_t pid;

	shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return -errno;
	shared->err = -EIO;
	pid = fork();
	if (!pid) {
		shared->err = mount_and_read(event, n, shared->text);
		_exit(0);
	}
	err = pid < 0 ? -errno : 0;
	while (!err && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		; /* ECHILD if SIGCHLD is ignored: the child has ended then, too */
	if (!err)
		err = shared->err;
	if (!err)
		memcpy(text, shared->text, n * TRACEFS_TEXT);
	munmap(shared, size);
	return err;
}

int tracefs_read_formats(const char *const *event, size_t n, char (*text)[TRACEFS_TEXT])
{
	int err = -ENOENT;

	for (size_t i = 0; i < sizeof(places) / sizeof(*places) && err; i++)
		err = read_event_formats(places[i], event, n, text);
	if (err)
		err = read_formats_in_child(event, n, text);
	return err == -EPERM ? -EACCES : err;
}

int tracefs_event_id(const char *format)
{
	const char *at = strstr(format, "\nID: ");
	int id;

	return at && sscanf(at, "\nID: %d", &id) == 1 && id >= 0 ? id : -1;
}

/* "	field:__data_loc char[] name;	offset:12;	size:4;	signed:0;" and "	field:char prev_comm[16];	offset..." */
struct tracefs_field tracefs_find_field(const char *format, const char *name)
{
	struct tracefs_field none = { 0, 0 }, found;
	size_t length = strlen(name);

	for (const char *line = format; (line = strstr(line, "field:")); line++) {
		const char *end = strchr(line, ';');
		const char *last;

		if (!end)
			return none;
		last = memrchr(line, ' ', (size_t)(end - line));
		if (!last || strncmp(last + 1, name, length) || (last[1 + length] != ';' && last[1 + length] != '['))
			continue;
		if (sscanf(end, "; offset:%d; size:%d;", &found.offset, &found.size) != 2 || found.offset < 0 || found.size <= 0)
			return none;
		return found;
	}
	return none;
}

int64_t tracefs_field_value(const char *raw, size_t size, struct tracefs_field f)
{
	union {
		uint8_t u8;
		uint16_t u16;
		int32_t s32;
		int64_t s64;
	} v = { .s64 = 0 };

	if (f.size <= 0 || (size_t)f.offset + (size_t)f.size > size || (size_t)f.size > sizeof(v))
		return 0;
	memcpy(&v, raw + f.offset, (size_t)f.size);
	return f.size == 1 ? v.u8 : f.size == 2 ? v.u16 : f.size == 4 ? v.s32 : v.s64;
}
