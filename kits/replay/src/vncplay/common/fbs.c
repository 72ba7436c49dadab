// SPDX-License-Identifier: GPL-3.0-or-later
#include "fbs.h"
#include "bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define BANNER "FBS 001.000\n"
#define FIXED_BANNER "FBS 001.001\n" /* promises that the pixel format stays, as that of what we read must */
#define BANNER_BYTES 12
#define TRACE "vncplay-tra" /* the beginning of a trace, to name that mistake; shorter than BANNER */
#define WINDOW (2u << 20)   /* bytes behind the reader that stay in memory, and are given back at once */
#define PIECE (64 << 10)    /* largest block that is written, bytes; as rfbproxy */

struct fbs_reader {
	const uint8_t *bytes;
	size_t size, at;
	size_t given; /* pages up to this offset were given back to the kernel */
	int over;
};

struct fbs_reader *fbs_open(const char *path, const char **why)
{
	struct fbs_reader *f = calloc(1, sizeof(*f));
	int fd = -1, err = 0;
	struct stat st;
	void *map;

	*why = NULL;
	if (!f)
		return NULL;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st)) {
		err = errno;
	} else if (!S_ISREG(st.st_mode)) {
		*why = "not a file";
	} else if (st.st_size < BANNER_BYTES) {
		*why = "not an FBS log: too short; give what vncplay play wrote (OUT.rfb)";
	} else {
		map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		err = map == MAP_FAILED ? errno : 0;
		f->bytes = map == MAP_FAILED ? NULL : map;
		f->size = (size_t)st.st_size;
		f->at = BANNER_BYTES;
		if (f->bytes && memcmp(f->bytes, BANNER, 4))
			*why = memcmp(f->bytes, TRACE, sizeof(TRACE) - 1)
				       ? "not an FBS log: it does not begin with FBS; give what vncplay play wrote (OUT.rfb)"
				       : "not an FBS log but a trace: give what vncplay play wrote when it played it (OUT.rfb)";
		else if (f->bytes && memcmp(f->bytes, BANNER, BANNER_BYTES) && memcmp(f->bytes, FIXED_BANNER, BANNER_BYTES))
			*why = "an FBS log of another version than 001.000 and 001.001";
	}
	if (fd >= 0)
		close(fd);
	if (err || *why) {
		fbs_close(f);
		errno = err;
		return NULL;
	}
	madvise((void *)(uintptr_t)f->bytes, f->size, MADV_SEQUENTIAL);
	return f;
}

void fbs_close(struct fbs_reader *f)
{
	if (!f)
		return;
	if (f->bytes)
		munmap((void *)(uintptr_t)f->bytes, f->size);
	free(f);
}

size_t fbs_file_size(const struct fbs_reader *f)
{
	return f->size;
}

int fbs_next_block(struct fbs_reader *f, struct fbs_block *block)
{
	size_t left = f->size - f->at, n, padded;
	const uint8_t *p = f->bytes + f->at;

	*block = (struct fbs_block){ 0 };
	if (f->over || !left)
		return f->over;
	if (f->at > f->given + 2 * WINDOW) { /* a log may be larger than memory */
		madvise((void *)(uintptr_t)(f->bytes + f->given), WINDOW, MADV_DONTNEED);
		f->given += WINDOW;
	}
	f->over = -EPROTO;
	if (left < 4)
		return f->over;
	n = bytes_get_u32(p);
	padded = (n + 3) / 4 * 4;
	if (n > INT32_MAX)
		return f->over;
	block->bytes = p + 4;
	if (left - 4 < padded || left - 4 - padded < 4) {
		block->n = left - 4 < n ? left - 4 : n;
		return f->over;
	}
	block->n = n;
	block->ms = bytes_get_u32(p + 4 + padded);
	f->at += 4 + padded + 4;
	f->over = 0;
	return 1;
}

struct growing_file *fbs_create(const char *path)
{
	return growing_file_create(path, BANNER);
}

int fbs_write(struct growing_file *f, const uint8_t *bytes, size_t n, uint32_t ms)
{
	uint8_t word[4];
	size_t now;

	for (; n && !f->err; bytes += now, n -= now) {
		now = n < PIECE ? n : PIECE;
		bytes_put_u32(word, (uint32_t)now);
		fwrite(word, 4, 1, f->out);
		fwrite(bytes, now, 1, f->out);
		fwrite("\0\0\0", (4 - now % 4) % 4, 1, f->out);
		bytes_put_u32(word, ms);
		fwrite(word, 4, 1, f->out);
		growing_file_flush(f);
	}
	return f->err;
}
