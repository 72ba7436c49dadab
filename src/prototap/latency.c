// SPDX-License-Identifier: GPL-3.0-or-later
#include "latency.h"
#include "cli.h"
#include "clock.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define RANGED_SHARE 0.05 /* share of keys without an exact pair above which the report remarks on it */

const char *const latency_pairings[] = { "blocks", "none", NULL };
const char *const latency_assumes[] = { "nothing", "coalescing", NULL };

int idle_add_update_count(struct idle_updates *n, const char *text)
{
	size_t digits = strcspn(text, "/");
	int64_t updates, window;
	char count[24];
	int err;

	if (text[digits] != '/' || digits >= sizeof(count))
		return -EINVAL;
	snprintf(count, sizeof(count), "%.*s", (int)digits, text);
	if (cli_parse_int(count, &updates) || updates < 0 || updates > 1000000000)
		return -EINVAL;
	err = cli_parse_ns(text + digits + 1, &window);
	if (err)
		return err;
	if (window < NS_PER_MS || window > 30 * NS_PER_DAY)
		return -EINVAL;
	n->updates += updates;
	n->window_ns += window;
	return 0;
}

/* Updates a second, and the upper 95 % bound of that rate; NAN: not measured. */
static double idle_rate(const struct idle_updates *n)
{
	return n->window_ns ? (double)n->updates * NS_PER_S / (double)n->window_ns : NAN;
}

static double idle_rate_bound(const struct idle_updates *n)
{
	return n->window_ns ? poisson_bound(n->updates) * NS_PER_S / (double)n->window_ns : NAN;
}

/* P(at most `events`) of a Poisson variable; sums from the largest term down, so that no term is lost. */
static double poisson_at_most(int64_t events, double mean)
{
	double sum = 0, n = (double)events, term = exp(n * log(mean) - mean - lgamma(n + 1));

	for (double k = n; k >= 0 && term > sum * 1e-17; k--) {
		sum += term;
		term *= k / mean;
	}
	return sum;
}

double poisson_bound(int64_t events)
{
	double low = (double)events, high = low + 10 * sqrt(low + 1);

	if (!events)
		return -log(0.05);
	for (int i = 0; i < 100; i++) {
		double middle = (low + high) / 2;

		if (poisson_at_most(events, middle) > 0.05)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* --- files --- */

int latency_open(struct key_latency *l, const struct latency_cfg *cfg, struct why *why)
{
	*l = (struct key_latency){ .cfg = *cfg };
	if (cfg->keys && !(l->in = fopen(cfg->keys, "re")))
		return why_fail(-1, why, "cannot read %s: %s", cfg->keys, strerror(errno));
	if (cfg->rows && !(l->rows = rows_open_new(cfg->rows, "wire/1", key_join_columns)))
		return why_fail(-1, why, "cannot write %s: %s", cfg->rows, strerror(errno));
	return 0;
}

static int read_typed_keys(struct key_latency *l, struct why *why)
{
	const char *file = l->cfg.keys;
	unsigned long line;
	int err = key_log_read(l->in, &l->typed, &line);

	fclose(l->in);
	l->in = NULL;
	switch (err) {
	case 0: break;
	case -EPROTO:
		return why_fail(-1, why, "%s, line %lu: not what keyrepeat --log writes (schema keys/1, with realtime_offset_ns)",
				file, line);
	case -E2BIG: return why_fail(-1, why, "%s: more than %d keys; give the log of a shorter train", file, KEY_LOG_MAX);
	case -ENODATA: return why_fail(-1, why, "%s: no key in it was sent; type again", file);
	case -ENOTSUP:
		return why_fail(-1, why,
				"%s, line %lu: no offset of the wall clock, so the key cannot be compared with packets; type again",
				file, line);
	default: return why_fail(-1, why, "cannot read %s: %s", file, strerror(-err));
	}
	l->step_ns = wall_largest_step(l->typed.wall, l->typed.walls);
	if (l->step_ns > WALL_STEP_NS)
		return why_fail(-1, why,
				"%s: the wall clock was set while these keys were typed (by %.3f ms within a second): "
				"packet times cannot be compared with them; type again",
				file, (double)l->step_ns / NS_PER_MS);
	return 0;
}

static void add_data_to_join(void *join, const struct flow *f, int channel, int64_t time_ns, uint64_t bytes)
{
	if (channel == DISPLAY)
		key_join_add_update(join, f->update[0], time_ns, bytes);
	else
		key_join_add_input(join, time_ns);
}

int latency_read_keys(struct key_latency *l, struct why *why)
{
	struct key_join_cfg wire = {
		.pairing = l->cfg.pairing, .assume = l->cfg.assume, .noise_per_s = idle_rate(&l->cfg.noise), .rows = l->rows
	};
	const struct key_log *t = &l->typed;

	if (!l->cfg.keys && !l->rows)
		return 0;
	if (l->cfg.keys) {
		if (read_typed_keys(l, why))
			return -1;
		wire.typed = &l->typed;
		if (l->cfg.pairing == PAIRING_BLOCKS && !t->in_blocks)
			return why_fail(
				-1, why,
				"%s: %zu keys in a row without a pause, so the capture does not tell which update answers which key; "
				"type them with keyrepeat --schedule blocks (--pairing none: rows without latency)",
				l->cfg.keys, t->longest);
		if (l->cfg.pairing == PAIRING_BLOCKS && t->unsent > t->n / 2)
			return why_fail(-1, why,
					"%s: most keys have no time of sending (the display repeated them); "
					"type them with keyrepeat --mode tap",
					l->cfg.keys);
	}
	key_join_init(&l->wire, &wire);
	l->tap = (struct meter_observer){ .context = &l->wire, .data = add_data_to_join };
	return 0;
}

int latency_finish(struct key_latency *l, int64_t last_ns, struct why *why)
{
	const struct key_update_join *w = &l->wire;
	int closed = 0;

	if (l->tap.context)
		key_join_finish(&l->wire, last_ns);
	if (l->rows) {
		closed = rows_close(l->rows);
		l->rows = NULL;
	}
	if (w->too_many)
		return why_fail(-1, why,
				"over %d updates in one block of keys; does the display show an animation? stop it, and type again",
				BLOCK_UPDATES_MAX);
	if (closed)
		return why_fail(-1, why, "cannot write %s: %s", l->cfg.rows, strerror(-closed));
	if (!l->cfg.keys || l->cfg.pairing != PAIRING_BLOCKS)
		return 0;
	if (w->early > 1 && 2 * w->early > w->blocks)
		return why_fail(-1, why,
				"keys in %s crossed before they were sent: the clock of the capture is behind that of the keys; "
				"capture on the host that types",
				l->cfg.keys);
	if (w->missed + w->unsent == w->blocks)
		return why_fail(
			-1, why,
			"none of the keys in %s is in the capture: was it taken at another time, on another host, or of another port?",
			l->cfg.keys);
	if (w->cut + w->missed == w->blocks)
		return why_fail(-1, why,
				"%s: the display never rested for a second after a block of keys, "
				"so the capture does not tell which update answers which key; "
				"type them with keyrepeat --schedule blocks, and let the capture go on for two seconds",
				l->cfg.keys);
	return 0;
}

static void report_remarks(struct rec_report *r, const struct key_latency *l)
{
	const struct key_update_join *w = &l->wire;

	rec_begin_array(r, "says");
	if ((double)(w->keys - w->exact) > RANGED_SHARE * (double)w->keys)
		rec_add_str(r, NULL, "wire-only latency is a range at this load; use refecho");
	if (!l->cfg.noise.window_ns)
		rec_add_str(r, NULL,
			    "the rate of updates without keys was not given (--idle): a pair is exact only if no such update came");
	if (w->marked)
		rec_add_str(r, NULL,
			    "in marked blocks, an update without a key is likelier than 5 %: none of their pairs is exact");
	if (l->cfg.assume == ASSUME_COALESCING)
		rec_add_str(
			r, NULL,
			"upper ends rest on an assumption: the application coalesces keys, and answers each by the next update but two");
	rec_end(r);
}

#define JOIN(member) COUNTER_FIELD(#member, struct key_update_join, member)

static void report_pairs(struct rec_report *r, struct key_latency *l)
{
	static const struct report_counter counts[] = {
		JOIN(exact),
		JOIN(ranged),
		JOIN(unanswered),
		JOIN(skipped),
		JOIN(not_sent),
		COUNTER_FIELD("missed", struct key_update_join, missed_keys),
		COUNTER_FIELD("updates", struct key_update_join, paired_updates),
		JOIN(blocks),
		COUNTER_FIELD("blocks_drained", struct key_update_join, drained),
		COUNTER_FIELD("blocks_marked", struct key_update_join, marked),
		COUNTER_FIELD("blocks_cut", struct key_update_join, cut),
		COUNTER_FIELD("blocks_missed", struct key_update_join, missed),
	};
	struct key_update_join *w = &l->wire;

	REPORT_COUNTERS(r, counts, w);
	rec_add_real(r, "unsolicited_per_s", idle_rate(&l->cfg.noise), 4);
	rec_add_real(r, "unsolicited_per_s_high", idle_rate_bound(&l->cfg.noise), 4);
	rec_add_real(r, "unsolicited_window_s", l->cfg.noise.window_ns ? (double)l->cfg.noise.window_ns / NS_PER_S : NAN, 3);
	rec_add_sample_range(r, "latency_from_due_ms", &w->low, &w->high, NS_PER_MS);
	rec_add_sample_range(r, "latency_from_sent_ms", &w->sent_low, &w->sent_high, NS_PER_MS);
	rec_add_sample(r, "latency_low_ms", &w->low, NS_PER_MS);
	rec_add_sample(r, "latency_high_ms", &w->high, NS_PER_MS);
	rec_add_sample(r, "latency_from_sent_low_ms", &w->sent_low, NS_PER_MS);
	rec_add_sample(r, "latency_from_sent_high_ms", &w->sent_high, NS_PER_MS);
	report_remarks(r, l);
}

void latency_report(struct rec_report *r, struct key_latency *l)
{
	size_t seen = 0;

	if (!l->cfg.keys)
		return;
	for (size_t i = 0; i < l->typed.n; i++)
		seen += l->wire.seen_ns[i] != 0;
	rec_begin_object(r, "keys");
	rec_add_int(r, "typed", (int64_t)l->typed.n);
	rec_add_int(r, "on_the_wire", (int64_t)seen);
	rec_add_str(r, "pairing", latency_pairings[l->cfg.pairing]);
	rec_add_str(r, "assumes", latency_assumes[l->cfg.assume]);
	rec_add_real(r, "realtime_step_us", (double)l->step_ns / NS_PER_US, 3);
	if (l->cfg.pairing == PAIRING_BLOCKS)
		report_pairs(r, l);
	rec_end(r);
}

void latency_free(struct key_latency *l)
{
	key_join_free(&l->wire);
	key_log_free(&l->typed);
}
