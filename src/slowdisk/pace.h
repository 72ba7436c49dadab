/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pace - the delays of the disk, and the commands that change them while it runs. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PACE_MAX_NS (60 * 1000000000LL) /* longest delay: the kernel takes slower disks for failed */
#define PACE_LEAST_BITS 150000		/* lowest rate, bits per second: the largest request, of 1 MiB, takes 56 s */

struct disk_delays {
	int64_t read_ns, write_ns;     /* least time from the start of a request to its answer */
	int64_t read_bits, write_bits; /* transfer rate in bits per second; 0: unlimited */
};

/* Executes a command line: "read-delay TIME", "write-delay TIME", or "delay TIME" for both; "read-rate RATE", "write-rate RATE", or
 * "rate RATE" (1500Kbit, none). An empty line is ignored. 0, or -EINVAL, -EDOM or -ERANGE with nothing changed. */
int pace_apply_command(struct disk_delays *pace, const char *line);
/* Reads "1500Kbit" or "none" (*bits 0). 0, or -EINVAL or -ERANGE. */
int pace_parse_rate(const char *text, int64_t *bits);
/* The delay of a request, in ns. */
int64_t pace_delay_ns(const struct disk_delays *pace, bool write, int64_t bytes);
