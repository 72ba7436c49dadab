/* SPDX-License-Identifier: GPL-3.0-or-later */
/* replay - how long the recorded swap traffic takes on the same kind of device when nothing but it has to be done: T_IO.
 *
 * The same number of requests of the same sizes, reads and writes in the recorded order, one after
 * the other, with O_DIRECT at random places of a scratch file. Within a step (traffic.h) every
 * request has the mean size; as a request costs a fixed time and one per byte, the sum is that of
 * the true sizes. Where the kernel only told pages, requests have `page_request` bytes. */
#ifndef STARTUP_REPLAY_H
#define STARTUP_REPLAY_H

#include "traffic.h"

struct replay_result {
	int64_t read_ns, write_ns;
	int64_t reads, read_bytes, writes, write_bytes;	/* as replayed: sizes are whole blocks of 4096 */
	bool cut;		/* the limit or a signal came first: times are scaled up to all bytes */
};

/* Of steps seen up to until_ns. Overwrites what is in `path`, which must be 1 MiB at least. Ends
 * early after limit_ns. 0 or -errno: -EINVAL where the file's system has no O_DIRECT, -EFBIG where
 * the file is too small. */
int replay_run(const char *path, const struct traffic_step *step, size_t n, int64_t until_ns,
	       int64_t limit_ns, struct replay_result *out);

/* Size of request `i` of `n` with `bytes` together: whole blocks, equal but for one block, with the
 * sum rounded up to whole blocks. Pure. */
int64_t replay_size(int64_t i, int64_t n, int64_t bytes);
/* The requests there are in `bytes` where only pages were counted. Pure. */
int64_t replay_requests(int64_t requests, int64_t bytes);

#endif
