/* SPDX-License-Identifier: GPL-3.0-or-later */
/* binomial - how large a share of events may be of which `hits` of `n` were seen. */
#ifndef THINPROBE_BINOMIAL_H
#define THINPROBE_BINOMIAL_H

#include <stdint.h>

/* One-sided upper bound at 95 % (Clopper and Pearson 1934), 0..1; for none of n about 3/n. NAN without tries. */
double binomial_upper(int64_t hits, int64_t n);

#endif
