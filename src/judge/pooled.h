/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pooled - compares two runs by the figures of all their repeats together, where single repeats have none: a 95 % value needs 200
 * keys, and five repeats of 95 keys have it together only.
 *
 * The interval of the difference is made from the two 95 % intervals (Zou and Donner 2008), by its wider side; at another level it
 * is as much wider as a Student's t of the run with fewer repeats. Of ranges, the ends that are nearest to each other count, and
 * only where they differ by the whole effect. */
#pragma once

#include "blocks.h"

/* Reads a table of the schema pooled/1 into the series of `t`. 0, -EPROTO with *line, -EIO. */
int pooled_read(FILE *in, struct block_table *t, unsigned long *line);
/* After blocks_compare_runs(): compares the series that it could not decide by repeats. Sets `why` and `lacks` of those that a run
 * has, or should have, and that cannot be compared. */
void pooled_compare(struct block_table *t, const struct block_effect *effect);
/* Of two runs whose values are all the same: are they a share that the intervals of both hold within the effect? These take stalls,
 * not keys, as independent. */
bool pooled_hold_share(const struct block_series *s);
