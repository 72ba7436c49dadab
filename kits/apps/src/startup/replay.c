// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay.h"
#include "clock.h"
#include "proc.h"
#include "random.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK 4096
#define LARGEST (1024 * 1024) /* bytes; larger (merged) requests are split */
#define PAGES_TOGETHER 8      /* pages that the kernel reads around a fault by default: 2 to the power of vm.page-cluster */

int64_t replay_count_requests(int64_t requests, int64_t bytes)
{
	if (bytes <= 0)
		return 0;
	if (requests < 0)
		return (bytes + PAGES_TOGETHER * BLOCK - 1) / (PAGES_TOGETHER * BLOCK);
	return requests > 0 ? requests : 1;
}

int64_t replay_request_bytes(int64_t i, int64_t n, int64_t bytes)
{
	int64_t blocks = (bytes + BLOCK - 1) / BLOCK;

	return (blocks / n + (i < blocks % n)) * BLOCK;
}

struct replay_state {
	int fd;
	char *buffer;
	uint64_t random;
	int64_t size; /* bytes of the scratch file */
	int64_t until_ns;
};

/* Makes one request of whole blocks. 0 or -errno. */
static int replay_request(struct replay_state *r, int64_t bytes, bool writing, int64_t *took_ns, int64_t *moved)
{
	while (bytes > 0) {
		int64_t part = bytes > LARGEST ? LARGEST : bytes;
		int64_t places = (r->size - part) / BLOCK + 1;
		off_t at = (off_t)((int64_t)(random_fraction(&r->random) * (double)places) * BLOCK);
		int64_t begin = clock_now();
		ssize_t n = writing ? pwrite(r->fd, r->buffer, (size_t)part, at) : pread(r->fd, r->buffer, (size_t)part, at);

		if (n != part)
			return n < 0 ? -errno : -EIO;
		*took_ns += clock_now() - begin;
		*moved += part;
		bytes -= part;
	}
	return 0;
}

/* Makes the requests of one step in one direction. 0, -errno, or 1: time limit or signal. */
static int replay_direction(struct replay_state *r, int64_t requests, int64_t bytes, bool writing, int64_t *took_ns, int64_t *count,
			    int64_t *moved)
{
	int64_t n = replay_count_requests(requests, bytes);
	int err;

	for (int64_t i = 0; i < n; i++) {
		int64_t size = replay_request_bytes(i, n, bytes);

		if (proc_stop || clock_now() > r->until_ns)
			return 1;
		if (!size)
			continue;
		err = replay_request(r, size, writing, took_ns, moved);
		if (err)
			return err;
		++*count;
	}
	return 0;
}

static int replay_steps(struct replay_state *r, const struct traffic_step *step, size_t n, struct replay_result *out)
{
	int err = 0;

	for (size_t i = 0; i < n && !err; i++) {
		const struct traffic_counts *m = &step[i].moved;

		err = replay_direction(r, m->reads, m->read_bytes, false, &out->read_ns, &out->reads, &out->read_bytes);
		if (!err)
			err = replay_direction(r, m->writes, m->write_bytes, true, &out->write_ns, &out->writes, &out->write_bytes);
	}
	return err;
}

/* Scales the times of a replay that was cut short up to all bytes, as if it had gone on at the same speed. */
static void extrapolate_times(struct replay_result *out, const struct traffic_step *step, size_t n)
{
	int64_t reads = 0, writes = 0;

	for (size_t i = 0; i < n; i++) {
		reads += step[i].moved.read_bytes > 0 ? step[i].moved.read_bytes : 0;
		writes += step[i].moved.write_bytes > 0 ? step[i].moved.write_bytes : 0;
	}
	if (out->read_bytes && reads > out->read_bytes)
		out->read_ns = (int64_t)((double)out->read_ns * (double)reads / (double)out->read_bytes);
	if (out->write_bytes && writes > out->write_bytes)
		out->write_ns = (int64_t)((double)out->write_ns * (double)writes / (double)out->write_bytes);
	out->cut = true;
}

static int prepare_replay(struct replay_state *r, const char *path)
{
	struct stat st;

	/* O_EXCL refuses a block device in use (as swap, by a file system), which would be overwritten; no effect on files */
	r->fd = open(path, O_RDWR | O_DIRECT | O_EXCL | O_CLOEXEC);
	if (r->fd < 0)
		return -errno;
	if (fstat(r->fd, &st))
		return -errno;
	r->size = S_ISBLK(st.st_mode) ? lseek(r->fd, 0, SEEK_END) : st.st_size;
	if (r->size < LARGEST)
		return -EFBIG;
	if (posix_memalign((void **)&r->buffer, BLOCK, LARGEST))
		return -ENOMEM;
	memset(r->buffer, 0xa5, LARGEST);
	return 0;
}

int replay_traffic(const char *path, const struct traffic_step *step, size_t n, int64_t until_ns, int64_t limit_ns,
		   struct replay_result *out)
{
	struct replay_state r = { .fd = -1, .random = 1, .until_ns = clock_now() + limit_ns };
	int err = prepare_replay(&r, path);

	*out = (struct replay_result){ 0 };
	while (n && step[n - 1].at_ns > until_ns)
		n--;
	if (!err)
		err = replay_steps(&r, step, n, out);
	if (err > 0) {
		extrapolate_times(out, step, n);
		err = 0;
	}
	free(r.buffer);
	if (r.fd >= 0)
		close(r.fd);
	return err;
}
