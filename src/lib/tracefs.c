// SPDX-License-Identifier: GPL-3.0-or-later
#include "tracefs.h"
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Opens a folder of a tracefs that nothing sees but its descriptors, and that ends with them. -errno; -ENODEV: no tracefs. */
static int open_unmounted(const char *folder)
{
	int context = (int)syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC), mount = -1, dir = -1, err;

	if (context >= 0 && !syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		mount = (int)syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, 0);
	if (mount >= 0)
		dir = openat(mount, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	err = errno == ENOSYS ? -ENODEV : -errno;
	if (context >= 0)
		close(context);
	if (mount >= 0)
		close(mount);
	return dir < 0 ? err : dir;
}

int tracefs_open_events(void)
{
	int dir = open("/sys/kernel/tracing/events", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dir < 0)
		dir = open("/sys/kernel/debug/tracing/events", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return dir < 0 ? open_unmounted("events") : dir;
}

int tracefs_read_format(int dir, const char *event, char text[static TRACEFS_TEXT])
{
	char path[160];
	int err;

	snprintf(path, sizeof(path), "/proc/self/fd/%d/%s/format", dir, event);
	err = files_read_all(path, text, TRACEFS_TEXT);
	return err == -ENOENT ? 0 : err;
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
