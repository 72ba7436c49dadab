// SPDX-License-Identifier: GPL-3.0-or-later
/* play - the command: replays a trace, once or several times.
 *
 * play_run.c does one replay, await.c waits for the screen, match.c compares snapshots, pacing.c computes due times. This file
 * reads options, prepares each replay, and reports. */
#include "play.h"
#include "clock.h"
#include "held_up.h"
#include "vncplay/commands.h"
#include "proc.h"
#include "rec.h"
#include "rt.h"
#include "say.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define REPEAT_MOST 10000

static struct pixel_area masks[MATCH_MASKS];

static struct play_cfg cfg = {
	.server = { .timeout_ns = 10 * NS_PER_S },
	.await = { .match = { .tolerance = MATCH_TOLERANCE, .share = MATCH_SHARE, .masks = masks },
		   .timeout_ns = 30 * NS_PER_S,
		   .settle_ns = 50 * NS_PER_MS,
		   .patience_ns = 2 * NS_PER_S,
		   .wiggle_ns = 300 * NS_PER_MS,
		   .wiggle_each_ns = NS_PER_S },
	.speed = 1,
	.seed = 1,
	.wait_end_ns = 5 * NS_PER_S,
};
static struct rec_cfg out_cfg;
static int64_t tolerance = MATCH_TOLERANCE, radius, repeat = 1, seed = 1, priority;
static double jitter;
static const char *before;

static const char *const pointer_words[] = { "auto", "never", "always", NULL };

static int parse_mask(const char *text, void *value)
{
	struct pixel_area b;

	(void)value;
	if (screen_parse_area(text, &b) || cfg.await.match.n_masks == MATCH_MASKS)
		return -1;
	masks[cfg.await.match.n_masks++] = b;
	return 0;
}

static const struct cli_opt options[] = {
	SERVER_OPTIONS(cfg.server),
	CONFINE_OPTIONS(cfg.server.sandbox),
	{ CLI_FLAG, 0, "any-size", &cfg.any_size, .help = "also play on a screen of another size" },
	{ CLI_REAL, 0, "speed", &cfg.speed, 0.01, 100, .help = "divide think times by this (1)" },
	{ CLI_PERCENT, 0, "jitter", &jitter, 0, 90, .help = "vary think times at random by up to this (0%)" },
	{ CLI_INT, 0, "seed", &seed, 0, 9e15, .help = "seed of --jitter; each further replay has the next (1)" },
	{ CLI_NS, 0, "timeout", &cfg.await.timeout_ns, 1e6, 7 * NS_PER_DAY,
	  .help = "give up if a snapshot does not match within this time (30s)" },
	{ CLI_INT, 0, "tolerance", &tolerance, 0, 255, .help = "colour values that differ by this or less are equal (8)" },
	{ CLI_PERCENT, 0, "mismatch", &cfg.await.match.share, 0, 100, .help = "share of a snapshot's pixels that may differ (3%)" },
	{ CLI_NS, 0, "settle", &cfg.await.settle_ns, 0, 60e9, .help = "after a wait, a snapshot must match for this time (50ms)" },
	{ CLI_INT, 0, "search", &radius, 0, MATCH_RADIUS,
	  .help = "look this many pixels around for a snapshot not at its place (0: never)", .meta = "RADIUS" },
	{ CLI_NS, 0, "patience", &cfg.await.patience_ns, 0, 3600e9,
	  .help = "wait this long before --search, or --mask-pointer auto (2s)" },
	{ CLI_CALL, 0, "mask", masks, .help = "area that never counts; may be repeated", .call = parse_mask, .meta = "X,Y,W,H" },
	{ CLI_WORD, 0, "mask-pointer", &cfg.await.pointer, .help = "leave the pointer's picture out of snapshots (auto)",
	  .words = pointer_words },
	{ CLI_GONE, 0, "deps", .help = "an input waits for the snapshots of its trace" },
	{ CLI_NS, 0, "wait-end", &cfg.wait_end_ns, 0, 3600e9,
	  .help = "go on this long after the last input, twice as long if the screen changes (5s)" },
	{ CLI_INT, 'n', "repeat", &repeat, 1, REPEAT_MOST, .help = "number of replays: OUT-1.rfb, OUT-2.rfb, ... (1)" },
	{ CLI_STR, 0, "before", &before, .help = "run this before each replay; if it fails, stop", .meta = "COMMAND" },
	{ CLI_INT, 0, "priority", &priority, 0, 98, .help = "real-time priority, if permitted (0: none)" },
	REC_OPTIONS(out_cfg),
	{ .type = CLI_END },
};

static void read_trace(const char *path, struct input_trace *t)
{
	struct why why = { "" };
	int err = trace_load(path, t, &why);

	if (err)
		die(EXIT_RUN, "%s: %s", path, *why.text ? why.text : strerror(-err));
	if (t->cut)
		warn("%s: the last line is not whole and was left out: the recorder was killed", path);
	if (!t->n)
		die(EXIT_RUN, "%s: no inputs in it", path);
}

/* Refuses masks outside of the trace's screen. With --any-size or an unknown screen size, play_trace checks them. */
static void refuse_stray_masks(const struct input_trace *t)
{
	const struct pixel_area *m =
		!cfg.any_size ? match_find_stray_mask(masks, cfg.await.match.n_masks, t->width, t->height) : NULL;

	if (m)
		die_usage("--mask %d,%d,%d,%d is outside of the trace's screen, which is %dx%d: it would hide nothing", m->x, m->y,
			  m->w, m->h, t->width, t->height);
}

/* Path of the log of a replay: OUT.rfb, or OUT-3.rfb with --repeat. */
static void make_log_path(const char *out, int64_t run, char *path, size_t size)
{
	size_t n = strlen(out), stem = n > 4 && !strcmp(out + n - 4, ".rfb") ? n - 4 : n;
	int wrote;

	if (repeat == 1)
		wrote = snprintf(path, size, "%s", out);
	else
		wrote = snprintf(path, size, "%.*s-%lld%s", (int)stem, out, (long long)run, out + stem);
	if (wrote < 0 || (size_t)wrote >= size)
		die_usage("%.100s...: too long a name", out);
}

/* Runs the command of --before. 0, or the exit status. */
static int run_before(int64_t run)
{
	char number[24];
	int status;

	if (!before)
		return 0;
	snprintf(number, sizeof(number), "%lld", (long long)run);
	setenv("VNCPLAY_RUN", number, 1);
	status = system(before);
	if (proc_stop || (status != -1 && WIFSIGNALED(status) && (WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGTERM)))
		return EXIT_INTERRUPTED;
	if (!status)
		return 0;
	if (status == -1)
		warn("--before %s: %s", before, strerror(errno));
	else if (WIFEXITED(status))
		warn("--before %s ended with status %d before replay %s", before, WEXITSTATUS(status), number);
	else
		warn("--before %s was ended by a signal before replay %s", before, number);
	return EXIT_RUN;
}

static int warn_failed_replay(struct rec_report *out, const struct play_result *r, const struct input_trace *t, const char *path)
{
	if (r->status != PLAY_COMPLETE && r->status != PLAY_INTERRUPTED)
		rec_warn(out, "%s: %s", path, r->why.text);
	switch (r->status) {
	case PLAY_COMPLETE: return EXIT_OK;
	case PLAY_INTERRUPTED: return EXIT_INTERRUPTED;
	case PLAY_CLOSED: /* after the last input, only its response may be missing */
		return r->inputs == trace_count_inputs(t) ? EXIT_LOSSY : EXIT_RUN;
	default: return EXIT_RUN;
	}
}

static void report_settings(struct rec_report *out, const char *server, const char *trace)
{
	rec_begin_object(out, "settings");
	rec_add_str(out, "server", server);
	rec_add_str(out, "trace", trace);
	rec_add_real(out, "speed", cfg.speed, 3);
	rec_add_real(out, "jitter_percent", jitter, 1);
	rec_add_ints(out, { "seed", seed }, { "repeat", repeat }, { "tolerance", cfg.await.match.tolerance });
	rec_add_real(out, "mismatch_percent", cfg.await.match.share, 2);
	rec_add_real(out, "settle_ms", (double)cfg.await.settle_ns / NS_PER_MS, 3);
	rec_add_real(out, "timeout_s", (double)cfg.await.timeout_ns / NS_PER_S, 3);
	rec_add_real(out, "patience_s", (double)cfg.await.patience_ns / NS_PER_S, 3);
	rec_add_int(out, "search", cfg.await.radius);
	rec_add_str(out, "mask_pointer", pointer_words[cfg.await.pointer]);
	rec_add_int(out, "masks", cfg.await.match.n_masks);
	rec_add_strs(out, { "encodings", cfg.server.encodings }, { "sandbox", confine_state() });
	rec_end(out);
}

static void report_result(struct rec_report *out, const char *path, const struct input_trace *t, struct play_result *r)
{
	int inputs = trace_count_inputs(t), snapshots = t->n - inputs;

	rec_begin_object(out, NULL);
	rec_add_strs(out, { "file", path }, { "status", play_status_words[r->status] },
		     { "why", *r->why.text ? r->why.text : NULL });
	if (!r->began) { /* nothing was replayed: zeros would look like measurements */
		rec_end(out);
		rec_add_row(out, "%s\tnothing was replayed", path);
		return;
	}
	rec_add_int(out, "inputs", r->inputs);
	rec_add_int(out, "inputs_of_trace", inputs);
	rec_begin_object(out, "snapshots");
	rec_add_ints(out, { "of_trace", snapshots }, { "matched", r->snapshots }, { "at_once", r->at_once },
		     { "waited", r->waited }, { "moved", r->moved }, { "without_pointer", r->pointer_masked });
	rec_end(out);
	rec_add_int(out, "wiggles", r->wiggles);
	rec_add_sample(out, "waits_ms", &r->wait_ns, NS_PER_MS);
	rec_add_real(out, "shifted_s", (double)r->shifted_ns / NS_PER_S, 3);
	rec_add_sample(out, "input_lateness_us", &r->late_ns, NS_PER_US);
	rec_add_real(out, "total_s", (double)r->total_ns / NS_PER_S, 3);
	rec_add_real(out, "log_s", (double)r->log_ns / NS_PER_S, 3);
	rec_add_int(out, "bytes", r->bytes);
	rec_add_int(out, "updates", r->updates);
	rec_add_real(out, "cpu_percent", r->log_ns > 0 ? 100 * (double)r->cpu_ns / (double)r->log_ns : (double)NAN, 2);
	rec_add_count(out, "memory_peak_bytes", proc_memory_peak(getpid()) ? proc_memory_peak(getpid()) : -1);
	rec_end(out);
	rec_add_row(out, "%s\t%s\t%s of %s\t%s of %s\t%s\t%s", path, play_status_words[r->status], count_text(r->inputs),
		    count_text(inputs), count_text(r->snapshots), count_text(snapshots), ns_text((double)r->total_ns),
		    ns_text((double)r->shifted_ns));
	rec_rank_row(out, r->status == PLAY_COMPLETE ? 0 : 1);
}

/* Refuses output files that are also input files, for every replay. */
static void refuse_overwritten_inputs(const char *trace, const char *out)
{
	for (int64_t run = 1; run <= repeat; run++) {
		char path[PATH_MAX], side[PATH_MAX + 8];
		struct rec_output_path places[] = {
			{ "OUT.rfb", path }, { "OUT.rfb.aux", side }, { "TRACE", trace }, { "--output", out_cfg.path }
		};

		make_log_path(out, run, path, sizeof(path));
		snprintf(side, sizeof(side), "%s.aux", path);
		rec_refuse_same_outputs(places, sizeof(places) / sizeof(*places));
	}
}

/* The commands of --before would be confined, too. */
static void confine_replays(const char *out)
{
	if (!before)
		server_confine(&cfg.server, CONFINE_CALL, out, out_cfg.path, NULL);
	else if (cfg.server.sandbox == CONFINE_STRICT)
		die(EXIT_RUN, "--sandbox strict: --before runs commands, which no sandbox can let do their work; leave one out");
}

int vncplay_play(int argc, char **argv)
{
	int first = cli_parse(argc, argv, "vncplay play SERVER TRACE OUT.rfb [options]",
			      "Replays a recorded session; inputs wait until the screen looks as recorded.", options),
	    status = 0;
	static struct input_trace t;
	struct rt_granted rt;
	struct rec_report *out;

	if (argc - first < 3)
		die_usage("play what? SERVER TRACE OUT.rfb");
	cli_refuse_operands(argc, argv, first + 3);
	cfg.server.address = argv[first];
	cfg.await.match.tolerance = (int)tolerance;
	cfg.await.radius = (int)radius;
	cfg.jitter = jitter / 100;
	refuse_overwritten_inputs(argv[first + 1], argv[first + 2]);
	proc_catch_stop();
	read_trace(argv[first + 1], &t);
	refuse_stray_masks(&t);
	out = rec_must_open(&out_cfg, "vncplay-play");
	rt_setup((int)priority, &rt);
	munlockall(); /* the screen needs more memory than an ordinary user may lock */
	if (priority && !rt.fifo)
		warn("--priority %d was refused: %s; going on without", (int)priority, strerror(rt.why));
	confine_replays(argv[first + 2]);
	held_up_watch(rt.fifo);
	report_settings(out, argv[first], argv[first + 1]);
	rec_begin_object(out, "result");
	rec_begin_table(out, "llrrrr", "\t\tinputs\tsnapshots\tlength\twaited");
	rec_set_table(out, "runs");
	rec_begin_array(out, "runs");
	for (int64_t run = 1; run <= repeat && (!status || status == EXIT_LOSSY) && !proc_stop; run++) {
		struct play_result r;
		char path[PATH_MAX];

		make_log_path(argv[first + 2], run, path, sizeof(path));
		int err = run_before(run), replayed;

		if (err) {
			status = err;
			break;
		}
		cfg.seed = (uint64_t)(seed + run - 1);
		play_trace(&cfg, &t, path, &r);
		report_result(out, path, &t, &r);
		replayed = warn_failed_replay(out, &r, &t, path);
		status = replayed ? replayed : status;
		play_result_free(&r);
	}
	rec_end(out);
	held_up_report(out);
	rec_end(out);
	if (held_up_warn(out, "vncplay") && !status)
		status = EXIT_LOSSY;
	rec_must_close(out);
	trace_free(&t);
	return proc_stop ? EXIT_INTERRUPTED : status;
}
