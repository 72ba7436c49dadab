// SPDX-License-Identifier: GPL-3.0-or-later
#include "holm.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static int holm_by_p(const void *a, const void *b)
{
	double x = **(double *const *)a, y = **(double *const *)b;

	return (x > y) - (x < y);
}

int holm_adjust(double *p, size_t n)
{
	double **sorted = calloc(n ? n : 1, sizeof(*sorted)), least = 0;
	size_t m = 0;

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (isfinite(p[i]))
			sorted[m++] = &p[i];
	qsort(sorted, m, sizeof(*sorted), holm_by_p);
	for (size_t i = 0; i < m; i++) {
		least = fmax(least, fmin(1, (double)(m - i) * *sorted[i]));
		*sorted[i] = least;
	}
	free(sorted);
	return 0;
}
