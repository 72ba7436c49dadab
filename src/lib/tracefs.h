/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tracefs - the kernel's own description of its tracepoints: number, names and offsets of their fields. */
#ifndef THINPROBE_TRACEFS_H
#define THINPROBE_TRACEFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The `format` files of these events ("sched/sched_switch"), each cut to TRACEFS_TEXT - 1 bytes and "" for one this kernel
 * lacks. Where tracefs is not mounted, a child that ends at once mounts it in a mount namespace of its own, so that
 * nothing changes for anybody. 0, or -errno: -EACCES no right, -ENODEV a kernel without tracefs. */
#define TRACEFS_TEXT 4096
int tracefs_formats(const char *const *event, size_t n, char (*text)[TRACEFS_TEXT]);

/* Readers of such a text; pure. */
int tracefs_id(const char *format);	/* the event's number, -1: none */
struct tracefs_field {
	int offset, size;	/* bytes in the record's raw data; size 0: no such field */
};
struct tracefs_field tracefs_field(const char *format, const char *name);
/* A field of a record, a whole number of 1, 2, 4 or 8 bytes; 0 where the record does not reach so far. */
int64_t tracefs_number(const char *raw, size_t size, struct tracefs_field f);
/* The word for `value` in the kernel's print format ("{ 3, "NET_RX" }"); false: it has no word for it. */
bool tracefs_word(const char *format, int value, char *word, size_t size);

#endif
