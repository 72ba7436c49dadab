// SPDX-License-Identifier: GPL-3.0-or-later
#include "lengths.h"

#include <math.h>

#define US 1000LL
#define MS 1000000LL

const int64_t lengths_waits[LENGTHS_WAITS] = {
	5 * US, 10 * US, 20 * US, 50 * US, 100 * US, 200 * US, 500 * US, 1 * MS, 2 * MS, 5 * MS, 10 * MS, 20 * MS, 50 * MS,
	100 * MS, 200 * MS, 500 * MS, 1000 * MS
};

int64_t lengths_edge(int bin)
{
	return bin >= LENGTHS_BINS - 1 ? INT64_MAX : llround(1000.0 * pow(10.0, bin / 10.0));
}

int lengths_bin(int64_t ns)
{
	int bin = ns <= 1000 ? 0 : (int)floor(10.0 * log10((double)ns / 1000.0));

	/* the logarithm is only near the edge: the edge decides */
	while (bin > 0 && ns <= lengths_edge(bin - 1))
		bin--;
	while (bin < LENGTHS_BINS - 1 && ns > lengths_edge(bin))
		bin++;
	return bin;
}

void lengths_add(struct lengths *l, int64_t length_ns)
{
	int bin = lengths_bin(length_ns);

	l->bin_ns[bin] += length_ns;
	l->bin_events[bin]++;
	for (int i = 0; i < LENGTHS_WAITS && length_ns > lengths_waits[i]; i++)
		l->beyond_ns[i] += length_ns - lengths_waits[i];
}

double lengths_bound(const struct lengths *l, int i, int64_t total_ns)
{
	return total_ns > 0 ? (double)l->beyond_ns[i] / (double)total_ns : NAN;
}
