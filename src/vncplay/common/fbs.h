/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fbs - logs of what a server said, "FBS 001.000" as rfbproxy writes them: blocks of u32 length,
 * data padded to 4, u32 milliseconds; big endian.
 *
 * Source of the format: rfbproxy (T. Waugh), TightVNC's SessionRecorder. The first block holds an
 * RFB 3.3 greeting (version, security type 1, ServerInit). */
#ifndef THINPROBE_FBS_H
#define THINPROBE_FBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fbs;	/* one that is read */

struct fbs_block {
	const uint8_t *bytes;	/* valid until the log is closed */
	size_t n;
	uint32_t ms;		/* since the log began: when its first byte came */
};

/* Maps a log. NULL with *why set ("not an FBS log") and errno 0, or NULL with errno. */
struct fbs *fbs_open(const char *path, const char **why);
void fbs_close(struct fbs *f);
/* 1: the next block; 0: the end; -EPROTO: a length that cannot be, or the file ends inside of a
 * block (what there is of it is in *block). Never goes on after these. */
int fbs_next(struct fbs *f, struct fbs_block *block);
size_t fbs_size(const struct fbs *f);	/* bytes of the file */

struct fbs_writer;

/* Creates a log; valid up to its last block at every instant: killed is usable. NULL with errno. */
struct fbs_writer *fbs_create(const char *path);
/* What came `ms` after the log began, as a block of its own (more than 64 KB: several of the same
 * time). 0 or -errno, which stays. */
int fbs_write(struct fbs_writer *w, const uint8_t *bytes, size_t n, uint32_t ms);
int fbs_finish(struct fbs_writer *w);	/* closes; 0 or -errno of the first write that failed */

#endif
