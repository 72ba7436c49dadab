// SPDX-License-Identifier: GPL-3.0-or-later
#include "keys.h"
#include "rows_in.h"

int64_t key_sent_time(const struct key_times *k)
{
	return k->sent_ns ? k->sent_ns : k->repeated ? k->due_ns : INT64_MAX;
}

bool key_find_latency(const struct key_times *k, int which, int64_t *ns, bool *bound)
{
	bool from_sent = which & KEY_FROM_SENT;
	int64_t from = from_sent ? k->sent_ns : k->due_ns, at = which & KEY_LATE ? k->high_ns : k->answer_ns;

	if (!(which & KEY_LATE) && !from_sent && k->earliest_ns)
		at = k->earliest_ns;
	*bound = !at;
	*ns = (at ? at : k->censored_ns) - from;
	*ns = *bound && *ns < 0 ? 0 : *ns; /* a key that fell due after the end of a capture */
	return (at || k->censored_ns) && !(from_sent && !from);
}

void key_add_latency(const struct key_times *k, int which, struct sample *s)
{
	int64_t ns;
	bool bound;

	if (key_find_latency(k, which, &ns, &bound))
		(bound ? sample_add_censored : sample_add)(s, ns);
}

bool key_is_late(const struct key_times *k, int which, int64_t limit_ns)
{
	int64_t ns;
	bool bound;

	if (!key_find_latency(k, which, &ns, &bound))
		return which & KEY_LATE;
	return bound ? which & KEY_LATE || ns >= limit_ns : ns > limit_ns;
}

bool key_read_cells(char *const cell[static KEY_COLUMNS], struct key_times *out)
{
	int64_t v[KEY_COLUMNS], early;

	for (int i = 0; i < KEY_COLUMNS; i++) {
		if (!rows_in_count(cell[i], &v[i]) || (i == KEY_DUE && v[i] == ROWS_IN_NONE))
			return false;
		v[i] = v[i] == ROWS_IN_NONE ? 0 : v[i];
	}
	*out = (struct key_times){ .number = v[KEY_NUMBER],
				   .due_ns = v[KEY_DUE],
				   .sent_ns = v[KEY_SENT],
				   .answer_ns = v[KEY_ANSWER],
				   .high_ns = v[KEY_ANSWER_HIGH],
				   .censored_ns = v[KEY_CENSORED],
				   .earliest_ns = v[KEY_EARLIEST],
				   .skipped = v[KEY_SKIPPED] };
	if (out->answer_ns && !out->high_ns && !out->censored_ns)
		out->high_ns = out->answer_ns;
	out->exact = out->answer_ns && out->high_ns == out->answer_ns;
	early = out->answer_ns ? out->answer_ns : out->censored_ns;
	return !(out->answer_ns && out->answer_ns < out->due_ns) &&
	       !(out->earliest_ns && early && (out->earliest_ns < out->due_ns || out->earliest_ns > early));
}
