// SPDX-License-Identifier: GPL-3.0-or-later
#include "measured.h"

#include <errno.h>
#include <stdlib.h>

static void collect(const struct keys *keys, enum measure m, struct sample *s)
{
	for (size_t i = 0; i < keys->n; i++) {
		const struct key *k = &keys->key[i];
		int64_t ns;
		bool later;

		if (m == SEND_LATENESS) {
			if (k->sent != KEY_NONE)
				sample_add(s, k->sent - k->due);
		} else if (key_latency(k, m == LATENCY_HIGH, &ns, &later) && (m != LATENCY_SENT || k->sent != KEY_NONE)) {
			ns -= m == LATENCY_SENT ? k->sent - k->due : 0;
			(later ? sample_add_censored : sample_add)(s, ns);
		}
	}
}

void measured_free(struct measured *p)
{
	for (size_t r = 0; p->run && r < p->runs; r++)
		sample_free(&p->run[r]);
	free(p->run);
	sample_free(&p->all);
	pool_free(&p->pool);
}

int measured_make(const struct train *t, size_t n, enum measure m, struct measured *out)
{
	*out = (struct measured){ 0 };
	out->run = calloc(n ? n : 1, sizeof(*out->run));
	if (!out->run)
		return -ENOMEM;
	for (size_t r = 0; r < n; r++) {
		struct sample *s = &out->run[out->runs];

		collect(&t[r].keys, m, s);
		out->lost = out->lost || s->lost;
		for (size_t i = 0; i < s->n; i++)
			if (pool_add(&out->pool, s->value[i], out->runs))
				out->lost = true;
		collect(&t[r].keys, m, &out->all);
		if (s->n)
			out->runs++;
		else
			sample_free(s);
	}
	pool_sort(&out->pool);
	return out->lost || out->all.lost ? -ENOMEM : 0;
}
