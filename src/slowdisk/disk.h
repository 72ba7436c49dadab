/* SPDX-License-Identifier: GPL-3.0-or-later */
/* disk - a FUSE mount with one file, `disk`, backed by another file.
 *
 * One thread serves one request at a time, as a disk with one head does: further requests wait in the queue of the kernel.
 * Paging may wait for this process, so nothing here allocates memory once the disk is mounted: buffers are allocated before,
 * and locked if the caller locks its memory. */
#pragma once

#include "why.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum disk_op { DISK_READ, DISK_WRITE, DISK_OPS };

struct disk_cfg {
	const char *folder;  /* mount point; must exist */
	const char *backing; /* a regular file or a block device, which gives the disk its size */
	/* Called before a request is answered: returns when the answer is due. start_ns: when serving began. */
	void (*wait)(void *context, enum disk_op op, int64_t start_ns, int64_t length);
	/* Called after the answer. err: 0 or -errno of the backing file. */
	void (*served)(void *context, enum disk_op op, int64_t start_ns, int64_t end_ns, int64_t offset, int64_t length, int err);
	void *context;
};

struct disk;

/* Mounts the disk. 0, or -errno with a line in `why`. */
int disk_mount(struct disk **out, const struct disk_cfg *cfg, struct why *why);
int64_t disk_size(const struct disk *d);
bool disk_is_direct(const struct disk *d); /* the backing file is accessed with O_DIRECT */

int disk_request_fd(const struct disk *d); /* descriptor, readable when a request waits */
/* Serves one request. Returns whether the disk is still mounted. */
bool disk_serve(struct disk *d);
bool disk_is_mounted(const struct disk *d); /* the kernel has finished mounting */
const char *disk_fuse_message(void);	    /* last error message of the FUSE library, or "" */

/* Starts a process that unmounts, since the kernel may send us requests meanwhile. Returns its pid, or -errno. The process
 * exits with status 0 (unmounted: disk_serve() returns false) or the errno, EBUSY while the file is open. */
int disk_start_unmount(const struct disk *d);
void disk_free(struct disk *d); /* only after it was unmounted */
