/* SPDX-License-Identifier: GPL-3.0-or-later */
/* say - figures as people read them: three significant digits (two below 1), thousands with commas, a unit that fits.
 *
 * Each returns a text of its own that holds until say_* has been called 32 times more: fit for the arguments of one
 * rec_say(). Not for several threads. What is no number is "-"; there is no negative zero. */
#ifndef THINPROBE_SAY_H
#define THINPROBE_SAY_H

#include "sample.h"

#include <stdint.h>

const char *say_number(double value);		/* 0.69  9.98  12.3  412  1,230 */
const char *say_count(int64_t value);		/* 48,212 */
const char *say_ns(double ns);			/* 412 ns, 31 µs, 5.20 ms, 10.0 s, 12 min 4 s, 3 h 20 min */
const char *say_bytes(double bytes);		/* powers of 1000, for traffic: 663 B, 1.40 kB, 38.4 MB */
const char *say_memory(double bytes);		/* powers of 1024: 4.00 GiB */
const char *say_bits(double bits_per_s);	/* 424 kbit/s, 5.00 Mbit/s */
/* A quantile (0: the least value, 1: the greatest) divided by `unit`; ">812" where it lies among values later than were
 * waited for, "-" where the sample cannot tell. Sorts the sample. */
const char *say_quantile(struct sample *s, double p, double unit);

#endif
