/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fbs - logs of the bytes that a server sent, in the formats "FBS 001.000" and 001.001 of rfbproxy (T. Waugh) and TightVNC's
 * SessionRecorder: blocks of u32 length, data padded to a multiple of 4, u32 milliseconds; big endian. The first block holds
 * an RFB 3.3 greeting (version, security type 1, ServerInit). */
#pragma once

#include "growing_file.h"

#include <stddef.h>
#include <stdint.h>

struct fbs_reader; /* reads an FBS log */

struct fbs_block {
	const uint8_t *bytes; /* valid until fbs_close */
	size_t n;
	uint32_t ms; /* when it arrived, or its last byte (in logs of vncplay), in ms since the log began */
};

/* Maps a log into memory. NULL with *why set and errno 0 (not a log), or NULL with errno. */
struct fbs_reader *fbs_open(const char *path, const char **why);
void fbs_close(struct fbs_reader *f);
/* 1: the next block; 0: the end; -EPROTO: an impossible length, or the file ends within a block (*block has the part that is
 * there). Later calls return the same. */
int fbs_next_block(struct fbs_reader *f, struct fbs_block *block);
size_t fbs_file_size(const struct fbs_reader *f); /* size of the file */

/* Creates a log, which is valid up to its last block at any time. NULL with errno. */
struct growing_file *fbs_create(const char *path);
/* Writes a block of bytes that arrived `ms` after the log began; above 64 KB, several blocks. 0 or -errno, which later calls
 * return as well. */
int fbs_write(struct growing_file *f, const uint8_t *bytes, size_t n, uint32_t ms);
