// SPDX-License-Identifier: GPL-3.0-or-later
#include "findings.h"

#include <math.h>
#include <stdlib.h>

static double ms(int64_t us)
{
	return us == ANSWER_NONE ? NAN : (double)us / 1000;
}

static void times(struct rec *out, const char *key, const int64_t *us, int runs)
{
	rec_array(out, key);
	for (int r = 0; r < runs; r++)
		rec_real(out, NULL, ms(us[r]), 1);
	rec_end(out);
}

static void tell_answer(struct rec *out, const struct answer *a, int runs)
{
	rec_object(out, NULL);
	rec_int(out, "input", a->input);
	rec_str(out, "kind", stimulus_words[a->kind]);
	rec_real(out, "at_s", (double)a->at_us / 1e6, 3);
	times(out, "latency_from_press_ms", a->press_us, runs);
	times(out, "latency_from_release_ms", a->release_us, runs);
	times(out, "complete_ms", a->complete_us, runs);
	rec_real(out, "confidence", a->confidence, 3);
	rec_int(out, "tiles", a->tiles);
	rec_end(out);
}

static int by_size(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* The middle of what run `r` took from presses, which are `*n`; NAN: none, or no memory. What a
 * movement is answered by has no press. */
static double median_ms(const struct answers *answers, int r, int64_t *n)
{
	int64_t *us = calloc(answers->n + 1, sizeof(*us));
	double middle = NAN;
	size_t k = 0;

	*n = 0;
	for (size_t i = 0; i < answers->n; i++) {
		const struct answer *a = &answers->answer[i];

		if (a->press_us[r] == ANSWER_NONE)
			continue;
		*n += 1;
		if (us && a->kind != STIMULUS_MOVE)
			us[k++] = a->press_us[r];
	}
	if (k) {
		qsort(us, k, sizeof(*us), by_size);
		middle = (ms(us[(k - 1) / 2]) + ms(us[k / 2])) / 2;
	}
	free(us);
	return middle;
}

/* Inputs that were answered in one replay at least. */
static int64_t inputs_answered(const struct answers *answers)
{
	int64_t n = 0;

	for (size_t i = 0; i < answers->n; i++)
		n += answers->answer[i].kind != STIMULUS_MOVE;
	return n;
}

static void tell_run(struct rec *out, const struct replay *p, int64_t answered, double median, int64_t unmatched)
{
	rec_object(out, NULL);
	rec_str(out, "label", p->label);
	rec_str(out, "status", p->inputs.status[0] ? p->inputs.status : NULL);
	rec_real(out, "total_s", p->total_ms / 1e3, 3);
	rec_int(out, "responses", answered);
	rec_real(out, "latency_p50_ms", median, 1);
	rec_str(out, "file", p->file);
	rec_int(out, "inputs", (int64_t)p->inputs.n);
	rec_int(out, "syncs", (int64_t)p->inputs.n_syncs);
	rec_int(out, "updates", (int64_t)p->updates);
	rec_int(out, "bytes", (int64_t)p->bytes);
	rec_int(out, "width", p->width);
	rec_int(out, "height", p->height);
	rec_count(out, "unmatched", unmatched);
	rec_bool(out, "cut", p->cut);
	rec_str(out, "cut_why", p->cut ? p->why : NULL);
	rec_end(out);
}

void findings_report(struct rec *out, const struct findings *f)
{
	int64_t unmatched = 0;

	rec_object(out, "settings");
	rec_str(out, "method", f->method);
	if (f->paper) {
		rec_int(out, "scale", f->paper->cfg.scale);
		rec_real(out, "differ_percent", f->paper->cfg.differ_percent, 3);
		rec_real(out, "join_ms", (double)f->paper->cfg.join_ns / 1e6, 3);
	}
	rec_end(out);
	rec_object(out, "result");
	rec_int(out, "inputs_to_be_answered", f->inputs);
	rec_int(out, "inputs_answered", inputs_answered(f->answers));
	rec_array(out, "runs");
	for (int r = 0; r < f->runs; r++) {
		int64_t answered;
		double median = median_ms(f->answers, r, &answered);

		tell_run(out, &f->replay[r], answered, median, f->unmatched ? (int64_t)f->unmatched[r] : -1);
		unmatched += f->unmatched ? (int64_t)f->unmatched[r] : 0;
	}
	rec_end(out);
	rec_array(out, "responses");
	for (size_t i = 0; i < f->answers->n; i++)
		tell_answer(out, &f->answers->answer[i], f->runs);
	rec_end(out);
	rec_array(out, "masked");
	for (size_t i = 0; i < f->n_masked; i++) {
		rec_object(out, NULL);
		rec_int(out, "x", f->masked[i].box.x);
		rec_int(out, "y", f->masked[i].box.y);
		rec_int(out, "w", f->masked[i].box.w);
		rec_int(out, "h", f->masked[i].box.h);
		rec_int(out, "changes", (int64_t)f->masked[i].changes);
		rec_end(out);
	}
	rec_end(out);
	rec_count(out, "unmatched", f->unmatched ? unmatched : -1);
	rec_end(out);
}

void findings_old(FILE *out, const struct findings *f)
{
	for (int r = 0; r < f->runs; r++) {
		fprintf(out, "Sync log %d: %s.aux\n", r, f->replay[r].file);
		for (size_t i = 0; i < f->replay[r].inputs.n_old; i++)
			fprintf(out, "input_ts: %d: %u\n", r, f->replay[r].inputs.old_ms[i]);
	}
	if (f->paper) {
		paper_old(out, f->paper);
		return;
	}
	for (size_t i = 0; i < f->answers->n; i++) {
		const struct answer *a = &f->answers->answer[i];
		int present = 0;

		for (int r = 0; r < f->runs; r++)
			present += a->shown_ms[r] != ANSWER_NONE;
		if (present < f->runs) {
			fprintf(out, "-- input %d: answered in %d of %d runs, left out\n", a->input, present, f->runs);
			continue;
		}
		for (int r = 0; r < f->runs; r++)
			fprintf(out, "== %lld@0 matches with %lld@%d (%u/%u)\n", (long long)a->shown_ms[0], (long long)a->shown_ms[r],
				r, a->tiles, a->tiles);
	}
}
