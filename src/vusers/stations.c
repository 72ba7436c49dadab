// SPDX-License-Identifier: GPL-3.0-or-later
#include "stations.h"
#include "cli.h"
#include "clock.h"
#include "random.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

int stations_parse(const char *text, struct stations *out)
{
	out->n = 0;
	for (;;) {
		size_t n = strcspn(text, ",");
		char word[32];
		int64_t ns;

		if (out->n == STATIONS_MOST || !n || n >= sizeof(word))
			return -EINVAL;
		memcpy(word, text, n);
		word[n] = '\0';
		if (cli_read_ns(word, &ns) || ns < 0 || ns > 3600 * NS_PER_S)
			return -EINVAL;
		out->mean_ns[out->n++] = (double)ns;
		if (!text[n])
			return 0;
		text += n + 1;
	}
}

int64_t stations_pass(struct stations *s, int64_t now_ns)
{
	for (int i = 0; i < s->n; i++) {
		double service = s->mean_ns[i] * (s->exponential ? -log(1 - random_unit(&s->random)) : 1);

		now_ns = (now_ns > s->free_ns[i] ? now_ns : s->free_ns[i]) + llround(service);
		s->free_ns[i] = now_ns;
		s->busy_ns[i] += service;
	}
	return now_ns;
}
