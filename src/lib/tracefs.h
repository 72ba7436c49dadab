/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tracefs - reads the format files of kernel tracepoints: the id, and names and offsets of fields. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Opens the folder of events; where tracefs is not mounted, in one that is mounted nowhere (with CAP_SYS_ADMIN). A descriptor, or
 * -errno: -EACCES or -EPERM (no right), -ENODEV (no tracefs). */
int tracefs_open_events(void);

/* Reads the format file of an event ("sched/sched_switch"), cut to TRACEFS_TEXT - 1 bytes; "" for a missing event. 0 or -errno. */
#define TRACEFS_TEXT 4096
int tracefs_read_format(int dir, const char *event, char text[static TRACEFS_TEXT]);

/* Parsers of a format text; pure. */
int tracefs_event_id(const char *format); /* id of the event; -1: none */
struct tracefs_field {
	int offset, size; /* bytes in the record's raw data; size 0: no such field */
};
struct tracefs_field tracefs_find_field(const char *format, const char *name);
/* The value of a field of 1, 2, 4 or 8 bytes; 0 if the record is too short. */
int64_t tracefs_field_value(const char *raw, size_t size, struct tracefs_field f);
