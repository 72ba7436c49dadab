/* SPDX-License-Identifier: GPL-3.0-or-later */
/* disk - a FUSE mount with one file, `disk`, behind which stands another file.
 *
 * One thread answers one request at a time, as a disk with one head does: who asks while another is served waits in the kernel's
 * queue. Whoever pages through the file waits for this process, so that once it is mounted nothing here asks for memory that is not
 * there already: buffers are made before, and locked if the caller locks its memory. */
#ifndef THINPROBE_DISK_H
#define THINPROBE_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum disk_op { DISK_READ, DISK_WRITE, DISK_OPS };

struct disk_cfg {
	const char *folder;	/* where to mount; must be there */
	const char *backing;	/* a regular file or a block device: its size is the disk's */
	/* Called when a request was done and is to be answered: returns when it is time. start_ns: when it was taken up. */
	void (*wait)(void *context, enum disk_op op, int64_t start_ns, int64_t length);
	/* Called after the answer. err: 0 or -errno of the backing file. */
	void (*served)(void *context, enum disk_op op, int64_t start_ns, int64_t end_ns, int64_t offset, int64_t length, int err);
	void *context;
};

struct disk;

/* Mounts. 0 or -errno, then `why` says what went wrong (library and kernel have words of their own). */
int disk_mount(struct disk **out, const struct disk_cfg *cfg, char *why, size_t size);
int64_t disk_size(const struct disk *d);
bool disk_direct(const struct disk *d);	/* the backing file is read and written past the page cache */

int disk_fd(const struct disk *d);	/* readable when a request waits */
/* Serves one. True as long as it is mounted. */
bool disk_serve(struct disk *d);
bool disk_ready(const struct disk *d);	/* the kernel has been told all it asks of a new mount */
const char *disk_words(void);		/* the FUSE library's last complaint, or "" */

/* Asks the kernel to unmount, as a process of its own, since the kernel may ask us first: its pid, or -errno. It ends with
 * status 0 (unmounted, disk_serve() will say so) or else the errno; EBUSY while something has the file open. */
int disk_ask_unmount(const struct disk *d);
void disk_free(struct disk *d);		/* of an unmounted one */

#endif
