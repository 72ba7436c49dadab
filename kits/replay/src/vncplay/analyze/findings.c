// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyze.h"
#include "say.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NEVER_US (INT64_MAX / 4)

static void report_times(struct rec_report *out, const char *key, const int64_t *us, int runs)
{
	rec_begin_array(out, key);
	for (int r = 0; r < runs; r++)
		rec_add_real(out, NULL, us[r] == RESPONSE_NONE ? NAN : (double)us[r] / 1000, 3);
	rec_end(out);
}

static void report_response(struct rec_report *out, const struct response *a, int runs)
{
	rec_begin_object(out, NULL);
	rec_add_int(out, "input", a->input);
	rec_add_str(out, "kind", stimulus_words[a->kind]);
	rec_add_real(out, "at_s", (double)a->at_us / 1e6, 3);
	report_times(out, "latency_from_press_ms", a->press_us, runs);
	report_times(out, "latency_from_release_ms", a->release_us, runs);
	report_times(out, "complete_ms", a->complete_us, runs);
	rec_add_real(out, "confidence", a->confidence, 3);
	rec_add_int(out, "tiles", a->tiles);
	rec_end(out);
}

/* Collects the latencies from presses in run r, us. *n counts all responses, also those to movements, which have no press. */
static void collect_latencies(const struct responses *answers, int r, struct sample *us, int64_t *n)
{
	*us = (struct sample){ 0 };
	*n = 0;
	for (size_t i = 0; i < answers->n; i++) {
		const struct response *a = &answers->item[i];

		if (a->press_us[r] == RESPONSE_NONE)
			continue;
		*n += 1;
		if (a->kind != STIMULUS_MOVE)
			sample_add(us, a->press_us[r]);
	}
}

/* Quantile of the latencies from presses in run r, us: a range where it lacks answers that another replay has. */
static struct figure latency_quantile(const struct responses *answers, int r, double p)
{
	struct sample early = { 0 }, late = { 0 };
	struct figure f;

	for (size_t i = 0; i < answers->n; i++) {
		const struct response *a = &answers->item[i];

		if (a->kind == STIMULUS_MOVE)
			continue;
		if (a->press_us[r] == RESPONSE_NONE) {
			sample_add(&early, 0);
			sample_add_censored(&late, NEVER_US);
		} else {
			sample_add(&early, a->press_us[r]);
			sample_add(&late, a->press_us[r]);
		}
	}
	f = figure_make_range(sample_quantile(&early, p), sample_quantile(&late, p));
	sample_free(&early);
	sample_free(&late);
	return f;
}

/* Number of inputs with a response in at least one replay. */
static int64_t count_answered(const struct responses *answers)
{
	int64_t n = 0;

	for (size_t i = 0; i < answers->n; i++)
		n += answers->item[i].kind != STIMULUS_MOVE;
	return n;
}

#define PACE_MS 50	/* updates further apart do not follow each other at once */
#define PACE_LEAST 20	/* so many must */
#define PACE_SHORT 0.75 /* no more than one in ten comes earlier than this share of the pace */

/* The pace of updates that follow each other at once, where hardly any comes earlier: as from a frame clock. NAN: there is none. */
static double find_frame_ms(const struct tilelog *t)
{
	struct sample ms = { 0 };
	double pace = NAN;

	for (size_t i = 1; i < t->n_updates; i++)
		if (t->update[i].ms - t->update[i - 1].ms < PACE_MS)
			sample_add(&ms, t->update[i].ms - t->update[i - 1].ms);
	if (ms.n >= PACE_LEAST)
		pace = sample_quantile(&ms, 0.5).value;
	if (!(sample_quantile(&ms, 0.1).value >= PACE_SHORT * pace))
		pace = NAN;
	sample_free(&ms);
	return pace;
}

static void report_replay(struct rec_report *out, const struct replay *p, int64_t answered, struct figure median, int64_t unmatched)
{
	struct rec_named_figure p50 = { "latency_p50_ms", median };

	rec_begin_object(out, NULL);
	rec_add_str(out, "label", p->label);
	rec_add_str(out, "status", p->inputs.status[0] ? p->inputs.status : NULL);
	rec_add_real(out, "total_s", p->total_ms / 1e3, 3);
	rec_add_real(out, "frame_ms", find_frame_ms(&p->tiles), 1);
	rec_add_int(out, "responses", answered);
	rec_add_figures(out, &p50, 1, 1000);
	rec_add_bounds(out, &p50, 1, 1000);
	rec_add_real(out, "resolution_ms", p->exact ? 0.001 : 1, 3);
	rec_add_str(out, "file", p->file);
	rec_add_ints(out, { "inputs", (int64_t)p->inputs.n }, { "syncs", (int64_t)p->inputs.n_syncs },
		     { "updates", (int64_t)p->updates }, { "bytes", (int64_t)p->bytes }, { "width", p->width },
		     { "height", p->height });
	rec_add_count(out, "unmatched", unmatched);
	rec_add_bool(out, "cut", p->cut);
	rec_add_str(out, "cut_why", p->cut ? p->why.text : NULL);
	rec_end(out);
}

bool findings_are_unusable(const struct findings *f, struct why *why)
{
	double median[ALIGN_RUNS];
	struct sample us;
	int64_t n;

	*why->text = '\0';
	for (int r = 0; r < f->runs; r++) {
		collect_latencies(&f->analysis.responses, r, &us, &n);
		median[r] = sample_quantile(&us, 0.5).value;
		/* --method paper also counts releases as inputs */
		if (!*why->text && (!n || (!f->paper && 2 * (int64_t)us.n < f->analysis.inputs)))
			why_say(why, "%zu of %d inputs of %s were answered: too few to tell response times", us.n,
				f->analysis.inputs, f->replay[r].label);
		sample_free(&us);
	}
	for (int a = 0; a < f->runs; a++)
		for (int b = 0; !*why->text && b < f->runs; b++)
			if ((!f->labelled || !strcmp(f->replay[a].label, f->replay[b].label)) && median[b] > 2 * median[a] &&
			    median[b] - median[a] > FINDINGS_FRAME_US)
				why_say(why,
					"medians of replays differ: %.1f ms in %s, %.1f ms in %s (--labels tells settings apart)",
					median[a] / 1000, f->replay[a].label, median[b] / 1000, f->replay[b].label);
	return *why->text;
}

static void print_replay(struct rec_report *out, const struct findings *f, int r)
{
	static const double p[] = { 0.5, 0.9, 1 };
	char word[3][64];
	struct sample us;
	int64_t n;

	collect_latencies(&f->analysis.responses, r, &us, &n);
	for (size_t i = 0; i < 3; i++) {
		struct figure q = latency_quantile(&f->analysis.responses, r, p[i]);

		snprintf(word[i], sizeof(word[i]), "%s",
			 figure_is_range(&q) && (p[i] >= 1 || sample_supports(&us, p[i])) ? figure_text(&q, 1000)
											  : stat_text(&us, p[i], 1000));
	}
	rec_add_row(out, "%s\t%s%s%s\t%s\t%s\t%s\t%s", f->replay[r].label, count_text((int64_t)us.n), f->paper ? "" : " of ",
		    f->paper ? "" : count_text(f->analysis.inputs), word[0], word[1], word[2],
		    ns_text(f->replay[r].total_ms * 1e6));
	rec_rank_row(out, us.n ? sample_max(&us).value : INFINITY);
	sample_free(&us);
}

static void print_slowest_response(struct rec_report *out, const struct findings *f)
{
	const struct response *slowest = NULL;
	int in = 0;

	for (size_t i = 0; i < f->analysis.responses.n; i++)
		for (int r = 0; r < f->runs; r++) {
			const struct response *a = &f->analysis.responses.item[i];

			if (a->kind == STIMULUS_MOVE || a->press_us[r] == RESPONSE_NONE ||
			    (slowest && slowest->press_us[in] >= a->press_us[r]))
				continue;
			slowest = a;
			in = r;
		}
	if (slowest)
		rec_say(out, "slowest: input %d, a %s at %s: %s (%s)", slowest->input, stimulus_words[slowest->kind],
			ns_text((double)slowest->at_us * 1e3), ns_text((double)slowest->press_us[in] * 1e3), f->replay[in].label);
}

static void print_findings_text(struct rec_report *out, const struct findings *f)
{
	int64_t answered = count_answered(&f->analysis.responses);

	if (*f->unusable.text)
		rec_warn(out, "NOT usable: %s", f->unusable.text);
	if (f->analysis.differ)
		rec_warn(out, "the replays have different inputs: are they of one trace?");
	if (f->runs > 1 && f->analysis.inputs > 0 && !f->analysis.responses.n)
		rec_warn(
			out,
			"none of %d inputs was answered alike in two replays: did each begin in the same state (vncplay play --before)?",
			f->analysis.inputs);
	else if (!f->paper && answered < f->analysis.inputs)
		rec_warn(out, "%s of %d inputs were answered in no replay", count_text(f->analysis.inputs - answered),
			 f->analysis.inputs);
	for (int r = 0; r < f->runs; r++)
		if (f->replay[r].cut)
			rec_warn(out, "%s: cut: %s; what is before is used", f->replay[r].file, f->replay[r].why.text);
	for (int r = 0; r < f->runs; r++)
		if (!f->paper && !f->replay[r].exact)
			rec_say(out, "%s: its times are whole milliseconds: response times are up to 1 ms too short",
				f->replay[r].file);
	for (int r = 0; r < f->runs; r++)
		if (replay_is_partial(&f->replay[r]))
			rec_warn(out, "%s: the replay ended by \"%s\": not all of the session is in its figures", f->replay[r].file,
				 f->replay[r].inputs.status[0] ? f->replay[r].inputs.status : "killed");
	rec_begin_table(out, "lrrrrr", "\tanswered\tp50\tp90\tmax ms\tsession");
	for (int r = 0; r < f->runs; r++)
		print_replay(out, f, r);
	print_slowest_response(out, f);
	rec_set_table(out, "responses");
}

void findings_report(struct rec_report *out, const struct findings *f)
{
	int64_t unmatched = 0;

	rec_begin_object(out, "settings");
	rec_add_str(out, "method", f->method);
	if (f->paper) {
		rec_add_int(out, "scale", f->paper->cfg.scale);
		rec_add_real(out, "differ_percent", f->paper->cfg.differ_percent, 3);
		rec_add_real(out, "join_ms", (double)f->paper->cfg.join_ns / 1e6, 3);
	}
	rec_end(out);
	rec_begin_object(out, "result");
	rec_add_bool(out, "usable", !*f->unusable.text);
	rec_add_str(out, "why_unusable", *f->unusable.text ? f->unusable.text : NULL);
	rec_add_int(out, "inputs_to_be_answered", f->analysis.inputs);
	/* of --method paper each frame is a response */
	rec_add_known_int(out, "inputs_answered", !f->paper, count_answered(&f->analysis.responses));
	rec_begin_array(out, "runs");
	for (int r = 0; r < f->runs; r++) {
		int64_t answered;
		struct sample us;

		collect_latencies(&f->analysis.responses, r, &us, &answered);
		report_replay(out, &f->replay[r], answered, latency_quantile(&f->analysis.responses, r, 0.5),
			      f->analysis.unmatched ? (int64_t)f->analysis.unmatched[r] : -1);
		sample_free(&us);
		unmatched += f->analysis.unmatched ? (int64_t)f->analysis.unmatched[r] : 0;
	}
	rec_end(out);
	rec_begin_array(out, "responses");
	for (size_t i = 0; i < f->analysis.responses.n; i++)
		report_response(out, &f->analysis.responses.item[i], f->runs);
	rec_end(out);
	rec_begin_array(out, "masked");
	for (size_t i = 0; i < f->analysis.n_masked; i++) {
		rec_begin_object(out, NULL);
		rec_add_ints(out, { "x", f->analysis.masked[i].box.x }, { "y", f->analysis.masked[i].box.y },
			     { "w", f->analysis.masked[i].box.w }, { "h", f->analysis.masked[i].box.h },
			     { "changes", (int64_t)f->analysis.masked[i].changes });
		rec_end(out);
	}
	rec_end(out);
	rec_add_count(out, "unmatched", f->analysis.unmatched ? unmatched : -1);
	rec_end(out);
	print_findings_text(out, f);
}

void findings_write_2005(FILE *out, const struct findings *f)
{
	for (int r = 0; r < f->runs; r++) {
		fprintf(out, "Sync log %d: %s.aux\n", r, f->replay[r].file);
		for (size_t i = 0; i < f->replay[r].inputs.n_old; i++)
			fprintf(out, "input_ts: %d: %u\n", r, f->replay[r].inputs.old_ms[i]);
	}
	if (f->paper) {
		method_2005_write(out, f->paper);
		return;
	}
	for (size_t i = 0; i < f->analysis.responses.n; i++) {
		const struct response *a = &f->analysis.responses.item[i];
		int present = 0;

		for (int r = 0; r < f->runs; r++)
			present += a->shown_us[r] != RESPONSE_NONE;
		if (present < f->runs) {
			fprintf(out, "-- input %d: answered in %d of %d runs, left out\n", a->input, present, f->runs);
			continue;
		}
		for (int r = 0; r < f->runs; r++)
			fprintf(out, "== %lld@0 matches with %lld@%d (%u/%u)\n", (long long)a->shown_us[0] / 1000,
				(long long)a->shown_us[r] / 1000, r, a->tiles, a->tiles);
	}
}
