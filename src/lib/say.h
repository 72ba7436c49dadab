/* SPDX-License-Identifier: GPL-3.0-or-later */
/* say - formats numbers for people: three significant digits (two below 1), commas between thousands, a suitable unit.
 *
 * Each function returns a static text, valid for 32 further calls of say_*, enough for the arguments of one
 * rec_say(). Not thread-safe. NAN and infinities give "-"; there is no negative zero. */
#pragma once

#include "figure.h"

#include <stdint.h>

const char *number_text(double value);			   /* 0.69  9.98  12.3  412  1,230 */
const char *count_text(int64_t value);			   /* 48,212 */
const char *counted_text(int64_t value, const char *noun); /* 1 run, 48,212 runs; of a noun up to 20 bytes */
const char *ns_text(double ns);				   /* 412 ns, 31 µs, 5.20 ms, 10.0 s, 12 min 4 s, 3 h 20 min */
const char *bytes_text(double bytes);			   /* powers of 1000, for traffic: 663 B, 1.40 kB, 38.4 MB */
const char *memory_text(double bytes);			   /* powers of 1024: 4.00 GiB */
const char *bit_rate_text(double bits_per_s);		   /* 424 kbit/s, 5.00 Mbit/s */
/* Divided by `unit`: "12.5", "12.5 to 201", ">812" (censored, or a range without a known late end); "-" if absent. */
const char *figure_text(const struct figure *f, double unit);
/* The quantile p (0: minimum, 1: maximum) divided by `unit`; ">812" if it is a lower bound because of censored values, "-" if the
 * sample is too small. Sorts the sample. */
const char *stat_text(struct sample *s, double p, double unit);
