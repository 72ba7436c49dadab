/* SPDX-License-Identifier: GPL-3.0-or-later */
/* replay - measures T_IO: how long the recorded swap traffic takes on the same kind of device without other load.
 *
 * Repeats the recorded number of requests, reads and writes in order, one after the other, with O_DIRECT at random places of a
 * scratch file. Within a step (traffic.h), all requests have the mean size; since a request takes a fixed time plus a time for each
 * byte, the total is the same as with the true sizes. Where the number of requests is not known, each has 8 pages. */
#pragma once

#include "traffic.h"

struct replay_result {
	int64_t read_ns, write_ns;
	int64_t reads, read_bytes, writes, write_bytes; /* as replayed, in whole blocks of 4096 bytes */
	bool cut; /* the time limit or a signal ended the replay: times are scaled up to all bytes */
};

/* Replays the steps recorded until until_ns, for at most limit_ns. Overwrites the file `path`, of at least 1 MiB. 0 or -errno:
 * -EINVAL: its file system has no O_DIRECT; -EFBIG: the file is too small. */
int replay_traffic(const char *path, const struct traffic_step *step, size_t n, int64_t until_ns, int64_t limit_ns,
		   struct replay_result *out);

/* Size of request `i` of `n` for `bytes` in total, rounded up to whole blocks of which no request gets more than one more than
 * another. Pure. */
int64_t replay_request_bytes(int64_t i, int64_t n, int64_t bytes);
/* The number of requests for `bytes`; `requests` < 0 (not known): with 8 pages each. Pure. */
int64_t replay_count_requests(int64_t requests, int64_t bytes);
