// SPDX-License-Identifier: GPL-3.0-or-later
#include "animation.h"
#include "means.h"
#include "overtime.h"
#include "step.h"
#include "whole.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SYSTEMS_MAX 200
#define PIECE_NS 500000000LL
#define FROM_MAX 1e18
#define BELOW_RATES_MBIT { 10, 100, 1000 }

const char *animation_verdict(double share)
{
	return isnan(share) ? "" : share >= ANIMATION_AGAIN ? "again" : share <= ANIMATION_CACHED ? "cached" : "in part";
}

double animation_users(double link, double each)
{
	return each > 0 ? floor(link / each) : (double)NAN;
}

enum figure { MBIT, FRAME, FRESH, SHARE, CPU, FRESH_CPU, SEEN, SHOWN, LATE, INPUT, PACKETS, BANNER_MBIT, BANNER_FRAME, BANNER_FRESH, BANNER_SHARE, BANNER_SEEN,
	      FRAME_BYTES, INFORMATION, FIGURES };

#define SPAN(name) name, name "_low", name "_high"
static const char *const summary_columns[] = {
	"cell", "protocol", "draw", "state", "repeats", "failed", "marked",
	SPAN("mbit_per_s"), SPAN("frame_wire_bytes"), SPAN("new_frame_wire_bytes"), SPAN("share_percent"), SPAN("cpu_percent"), SPAN("new_cpu_percent"), SPAN("seen_per_s"),
	"shown_per_s", "late_percent", "input_mbit_per_s", "packets_per_frame", "verdict", "users_10mbit", "users_100mbit", "users_1000mbit",
	"banner_mbit_per_s", "banner_frame_wire_bytes", "banner_new_frame_wire_bytes", "banner_share_percent", "banner_seen_per_s", "banner_verdict",
	"frame_bytes", "information_bytes", NULL,
};
static const char *const bandwidth_columns[] = { "cell", "protocol", "draw", "step", "time_s", "mbit_per_s", "cpu_percent", NULL };

struct reader {
	const char *folder;
	char *why;
	size_t size;
	struct inputs_counts *done;
	int64_t repeats, seed;
	struct whole summary, bandwidth;
	struct means figure[FIGURES];
};

static int complain(struct reader *r, const char *file, int err, const char *what)
{
	snprintf(r->why, r->size, "%s: %s", file, what);
	return err;
}

static double per(double n, double of) { return of > 0 ? n / of : (double)NAN; }

static void add_repeat(struct reader *r, const struct json *j)
{
	struct step loop, fresh, banner, banner_fresh;
	struct means *f = r->figure;

	step_read(j, "steps.loop", &loop);
	step_read(j, "steps.fresh", &fresh);
	step_read(j, "steps.banner", &banner);
	step_read(j, "steps.banner-fresh", &banner_fresh);
	means_add(&f[MBIT], step_mbit_s(&loop));
	means_add(&f[FRAME], loop.bytes_per_frame);
	means_add(&f[FRESH], fresh.bytes_per_frame);
	means_add(&f[SHARE], 100 * per(loop.bytes_per_frame, fresh.bytes_per_frame));
	means_add(&f[CPU], loop.cpu_percent);
	means_add(&f[FRESH_CPU], fresh.cpu_percent);
	means_add(&f[SEEN], per(loop.seen, loop.seconds));
	means_add(&f[SHOWN], per(loop.shown, loop.seconds));
	means_add(&f[LATE], 100 * per(loop.late, loop.due));
	means_add(&f[INPUT], per(loop.input_bytes * 8 / 1e6, loop.seconds));
	means_add(&f[PACKETS], per(loop.packets, isnan(loop.seen) ? loop.shown : loop.seen));
	means_add(&f[BANNER_MBIT], step_mbit_s(&banner));
	means_add(&f[BANNER_FRAME], banner.bytes_per_frame);
	means_add(&f[BANNER_FRESH], banner_fresh.bytes_per_frame);
	means_add(&f[BANNER_SHARE], 100 * per(banner.bytes_per_frame, banner_fresh.bytes_per_frame));
	means_add(&f[BANNER_SEEN], per(banner.seen, banner.seconds));
	means_add(&f[FRAME_BYTES], loop.frame_bytes);
	means_add(&f[INFORMATION], loop.information_bytes);
}

static int write_bandwidth(struct reader *r, const struct step_system *s, const struct json *j, int64_t repeat)
{
	static const char *const steps[] = { "fresh", "loop" };

	for (size_t i = 0; i < 2; i++) {
		struct overtime t;
		struct step step;
		char path[4400];
		int err;

		snprintf(path, sizeof(path), "steps.%s", steps[i]);
		if (!step_read(j, path, &step) || !(step.from_ns > 0 && step.from_ns < FROM_MAX))
			continue;
		snprintf(path, sizeof(path), "%s/cells/%s/%lld/%s", r->folder, s->cell, (long long)repeat, steps[i]);
		if (!inputs_there(path, "traffic.tsv"))
			continue;
		err = overtime_read(path, (int64_t)step.from_ns, PIECE_NS, &t, r->why, r->size);
		if (err)
			return err;
		for (size_t p = 1; p < t.n; p++) {	/* the first is no whole piece */
			if ((double)(t.first + (int64_t)p + 1) * PIECE_NS / 1e9 > step.seconds)
				break;
			rows_str(r->bandwidth.rows, s->cell);
			rows_str(r->bandwidth.rows, s->protocol);
			rows_str(r->bandwidth.rows, s->draw);
			rows_str(r->bandwidth.rows, steps[i]);
			whole_number(r->bandwidth.rows, (double)(t.first + (int64_t)p) * PIECE_NS / 1e9, 3);
			whole_number(r->bandwidth.rows, t.bytes[p] * 8 / (PIECE_NS / 1e9) / 1e6, 4);
			whole_number(r->bandwidth.rows, t.cpu_percent[p], 2);
			rows_end(r->bandwidth.rows);
		}
		overtime_free(&t);
	}
	return 0;
}

static void write_system(struct reader *r, const struct step_system *s, const char *state, const int64_t counts[3])
{
	static const double rates[] = BELOW_RATES_MBIT;
	static const enum figure plain[] = { SHOWN, LATE, INPUT, PACKETS }, banner[] = { BANNER_MBIT, BANNER_FRAME, BANNER_FRESH, BANNER_SHARE, BANNER_SEEN };
	struct rows *t = r->summary.rows;
	double each = means_of(&r->figure[MBIT]);

	rows_str(t, s->cell);
	rows_str(t, s->protocol);
	rows_str(t, s->draw);
	rows_str(t, state);
	for (int i = 0; i < 3; i++)
		rows_int(t, counts[i]);
	for (int f = MBIT; f <= SEEN; f++)
		means_write(t, &r->figure[f], 0, 3, r->seed);
	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
		whole_number(t, means_of(&r->figure[plain[i]]), 3);
	rows_str(t, animation_verdict(means_of(&r->figure[SHARE])));
	for (size_t i = 0; i < sizeof(rates) / sizeof(*rates); i++)
		whole_number(t, animation_users(rates[i], each), 0);
	for (size_t i = 0; i < sizeof(banner) / sizeof(*banner); i++)
		whole_number(t, means_of(&r->figure[banner[i]]), 3);
	rows_str(t, animation_verdict(means_of(&r->figure[BANNER_SHARE])));
	whole_number(t, means_of(&r->figure[FRAME_BYTES]), 0);
	whole_number(t, means_of(&r->figure[INFORMATION]), 0);
	rows_end(t);
	r->done->rows++;
}

static int read_system(struct reader *r, const struct step_system *s)
{
	int64_t counts[3] = { 0 };	/* repeats, failed, marked */
	bool drawn = false;

	for (int f = 0; f < FIGURES; f++)
		r->figure[f].n = 0;
	for (int64_t repeat = 1; repeat <= r->repeats; repeat++) {
		bool failed, marked;
		int err;
		struct json *j = step_cell(r->folder, s, repeat, &failed, &marked, &err, r->why, r->size);

		if (err)
			return err;
		counts[0] += j != NULL;
		counts[1] += failed;
		counts[2] += j && marked;
		if (j) {
			add_repeat(r, j);
			err = drawn ? 0 : write_bandwidth(r, s, j, repeat);
			drawn = true;
			json_free(j);
			if (err)
				return err;
		}
	}
	r->done->complete += (size_t)counts[0];
	r->done->failed += (size_t)counts[1];
	r->done->marked += (size_t)counts[2];
	write_system(r, s, counts[0] ? "measured" : counts[1] ? "failed" : "not measured", counts);
	return 0;
}

static int read_systems(struct reader *r, const struct json *run)
{
	int err = 0;

	for (int i = 0; !err && i < SYSTEMS_MAX; i++) {
		struct step_system s;
		int more = step_system(run, i, &s);

		if (more < 0)
			return complain(r, r->folder, more, "run.json: settings.systems cannot be read");
		if (!more)
			break;
		err = read_system(r, &s);
	}
	return err;
}

static int write_tables(struct reader *r, const struct json *run)
{
	const struct whole_table tables[] = {
		{ &r->summary, "summary.tsv", "animation/1", summary_columns },
		{ &r->bandwidth, "bandwidth.tsv", "bandwidth/1", bandwidth_columns },
	};
	int err = whole_open_all(tables, 2, r->folder, r->why, r->size);

	return err ? err : whole_close_all(tables, 2, read_systems(r, run), r->why, r->size);
}

int animation_summarize(const char *folder, struct inputs_counts *out, char *why, size_t size)
{
	struct reader r = { .folder = folder, .why = why, .size = size, .done = out, .repeats = 1, .seed = 1 };
	struct json *run;
	double *room;
	int err;

	*out = (struct inputs_counts){ 0 };
	run = inputs_run(folder, &r.repeats, &r.seed, why, size);
	if (!run)
		return -EPROTO;
	room = calloc((size_t)r.repeats * FIGURES, sizeof(*room));
	for (int f = 0; room && f < FIGURES; f++)
		r.figure[f].v = room + f * r.repeats;
	err = room ? write_tables(&r, run) : complain(&r, folder, -ENOMEM, "out of memory");
	free(room);
	json_free(run);
	return err;
}
