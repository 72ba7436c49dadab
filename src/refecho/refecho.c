// SPDX-License-Identifier: GPL-3.0-or-later
/* refecho - answers each key, after a scripted delay, with a patch from whose pixels a program can read the key's number.
 *
 * The application (--display, --wayland) or VNC server (--vnc) with which probes are tested and calibrated. delay.c has the
 * scripted delays, echo.c decides which keys a redraw answers; this file reads options, runs the loop and reports. */
#include "clock.h"
#include "confine.h"
#include "delay.h"
#include "echo.h"
#include "face.h"
#include "held_up.h"
#include "memory.h"
#include "proc.h"
#include "random.h"
#include "rec.h"
#include "rt.h"
#include "say.h"
#include "scene.h"

#include <arpa/inet.h>
#include <errno.h>
#include <unistd.h>

#define WAITING_MAX 131072    /* keys in the queue: an hour of backlog at 20 keys/s, each costing twice the period */
#define LISTED_MAX 100000     /* keys in the JSON report */
#define BURN_TURNS 200	      /* turns of the busy loop between readings of the CPU clock: below a microsecond */
#define LOG_FLUSH_NS NS_PER_S /* between two writes of the log */

enum cost_per { PER_REDRAW, PER_KEY };
static const char *const cost_words[] = { "redraw", "key", NULL };

#define LISTEN "127.0.0.1"

static struct {
	const char *display, *listen, *log, *delay_text;
	int64_t port, cost_ns, coalesce, seed, cell, ready_fd, priority;
	double drop;
	int cost_per;
	bool noise, wayland;
} cfg = { .listen = LISTEN, .delay_text = "const:0", .coalesce = 1, .seed = 1, .cell = 8, .ready_fd = STDERR_FILENO };
static struct rec_cfg out_cfg;
static int sandbox; /* enum confine_mode */

static struct {
	struct echo_queue echo;
	struct delay_generator delay;
	uint64_t drop_random;
	struct row_file *log;
	int64_t log_flushed_ns;
	bool log_dirty;
	struct sample total, lag; /* ns from received to flushed; ns from due to flushed */
	struct sample screen;	  /* ns from flushed to presented */
	struct echo_key *listed;  /* ring buffer of the last LISTED_MAX keys, for JSON and rows only; else NULL */
	uint64_t left;		  /* keys that have left the queue */
	int64_t burnt_ns;	  /* CPU time burnt for --cost */
} run;

static int read_delay_option(const char *text, void *value)
{
	const char *path;

	(void)value;
	cfg.delay_text = text;
	return delay_parse(text, &run.delay, &path);
}

/* Reads --drop: "5%" is a percentage, a number alone a share from 0 to 1, as in earlier releases. */
static int read_drop_option(const char *text, void *value)
{
	bool percent = strchr(text, '%');
	double number;

	if (cli_parse_percent(text, &number) || number < 0 || number > (percent ? 100 : 1))
		return -EINVAL;
	*(double *)value = percent ? number / 100 : number;
	return 0;
}

static const struct cli_opt options[] = {
	{ CLI_STR, 'd', "display", &cfg.display, .help = "be a window on this X display", .meta = "DISPLAY" },
	{ CLI_FLAG, 0, "wayland", &cfg.wayland, .help = "be a full-screen window on $WAYLAND_DISPLAY" },
	{ CLI_INT, 0, "vnc", &cfg.port, 1, 65535, .help = "be a VNC server on this port", .meta = "PORT" },
	{ CLI_STR, 0, "listen", &cfg.listen, .help = "IPv4 address of the VNC server (127.0.0.1)", .meta = "ADDR" },
	{ CLI_CALL, 0, "answer-delay", NULL, .help = "delay from a key's arrival until it is due (const:0)",
	  .call = read_delay_option, .meta = "const:T|uniform:T,T|bimodal:T,T,P|file:F" },
	{ CLI_NS, 0, "cost", &cfg.cost_ns, 0, 10e9, .help = "CPU time to burn before drawing (0)" },
	{ CLI_WORD, 0, "cost-per", &cfg.cost_per, .help = "burn --cost for each redraw, or each key (redraw)",
	  .words = cost_words },
	{ CLI_INT, 0, "coalesce", &cfg.coalesce, 1, 1000, .help = "draw when K keys are due, or 1 s after the last key (1)",
	  .meta = "K" },
	{ CLI_CALL, 0, "drop", &cfg.drop, .help = "share of keys that are never drawn (0%)", .call = read_drop_option,
	  .meta = "PERCENT% (or a share from 0 to 1)" },
	{ CLI_FLAG, 0, "noise", &cfg.noise, .help = "overlay noise, so that encoders use lossy coding" },
	{ CLI_INT, 0, "seed", &cfg.seed, .help = "seed of delays, drops and noise (1)" },
	{ CLI_INT, 0, "cell", &cfg.cell, SCENE_CELL_MIN, SCENE_CELL_MAX, .help = "width of a patch cell in pixels (8)" },
	{ CLI_FILE, 0, "log", &cfg.log, .help = "write a row for each key" },
	{ CLI_INT, 0, "priority", &cfg.priority, 1, 99, .help = "real-time priority, if permitted (none)" },
	{ CLI_INT, 0, "ready-fd", &cfg.ready_fd, 0, 1023, .help = "write \"ready\" to this descriptor (2)", .meta = "FD" },
	CONFINE_OPTIONS(sandbox),
	REC_OPTIONS(out_cfg),
	{ .type = CLI_END },
};

static void record_key(const struct echo_key *k, void *arg)
{
	(void)arg;
	if (k->flushed_ns && !k->dropped) {
		sample_add(&run.total, k->flushed_ns - k->received_ns);
		sample_add(&run.lag, k->flushed_ns - k->due_ns);
		if (k->presented_ns)
			sample_add(&run.screen, k->presented_ns - k->flushed_ns);
	}
	if (run.listed)
		run.listed[run.left % LISTED_MAX] = *k;
	run.left++;
	if (!run.log)
		return;
	rows_write_int(run.log, k->seq);
	rows_write_times(run.log, k->received_ns, k->draw_ns, k->flushed_ns);
	rows_write_ints(run.log, k->dropped, k->coalesced);
	rows_write_times(run.log, k->presented_ns);
	rows_end_row(run.log);
	run.log_dirty = true;
}

static void on_typed_key(void *arg, int64_t now_ns, unsigned char character)
{
	bool drop = cfg.drop > 0 && random_fraction(&run.drop_random) < cfg.drop;

	(void)arg;
	echo_add_key(&run.echo, now_ns, delay_next_ns(&run.delay), drop, character);
}

static void on_flushed(void *arg, int64_t now_ns)
{
	(void)arg;
	echo_mark_flushed(&run.echo, now_ns, record_key, NULL);
}

static void on_presented(void *arg, uint32_t number, int64_t at_ns)
{
	(void)arg;
	echo_mark_presented(&run.echo, number, at_ns, record_key, NULL);
}

/* Burns CPU time of this thread, so that CPU time taken by other processes comes on top, as with real work. */
static void burn_cpu(int64_t cost_ns)
{
	int64_t start = clock_thread_cpu(), used = 0;

	while (used < cost_ns && !proc_stop) {
		for (int i = 0; i < BURN_TURNS; i++)
			__asm__ volatile("" ::: "memory");
		used = clock_thread_cpu() - start;
	}
	run.burnt_ns += used;
}

static void perform_redraw(struct echo_face *face, size_t keys)
{
	static unsigned char typed[WAITING_MAX];
	const struct echo_key *k;
	size_t n = 0;

	if (cfg.cost_ns)
		burn_cpu(cfg.cost_per == PER_KEY ? cfg.cost_ns * (int64_t)keys : cfg.cost_ns);
	if (proc_stop)
		return; /* the cost was not burnt in full: these keys count as waiting */
	for (size_t i = 0; (k = echo_redraw_key(&run.echo, i)); i++)
		if (!k->dropped)
			typed[n++] = k->character;
	face->draw(face, echo_end_redraw(&run.echo, clock_now()), typed, n);
}

/* Writes the log about once a second, but not in the last 5 ms before next_ns, when a key is due. Returns when to call again. */
static int64_t flush_log(int64_t next_ns)
{
	int64_t now;

	if (!run.log || !run.log_dirty)
		return INT64_MAX;
	now = clock_now();
	if (now - run.log_flushed_ns < LOG_FLUSH_NS)
		return run.log_flushed_ns + LOG_FLUSH_NS;
	if (next_ns - now < 5 * NS_PER_MS)
		return next_ns;
	rows_flush(run.log);
	run.log_flushed_ns = now;
	run.log_dirty = false;
	return INT64_MAX;
}

static int answer_keys(struct echo_face *face, struct why *why)
{
	while (!proc_stop) {
		int64_t next = echo_next_due_ns(&run.echo), flush = flush_log(next);
		size_t keys;
		int err = face->wait(face, flush < next ? flush : next, why);

		if (err)
			return err;
		keys = echo_begin_redraw(&run.echo, clock_now());
		if (keys)
			perform_redraw(face, keys);
	}
	return 0;
}

static void load_delays(void)
{
	const struct rec_output_path place[] = { { "--log", cfg.log }, { "--output", out_cfg.path ? out_cfg.path : "-" } };
	const char *path;
	FILE *in;
	int line, err;

	rec_refuse_same_outputs(place, 2);
	run.delay.random = (uint64_t)cfg.seed;
	if (run.delay.kind != DELAY_FILE)
		return;
	delay_parse(cfg.delay_text, &run.delay, &path);
	rec_refuse_output_of_input(place, 2, path);
	in = fopen(path, "re");
	if (!in)
		die(EXIT_RUN, "cannot read the delays in %s: %m", path);
	err = delay_load_file(&run.delay, in, &line);
	fclose(in);
	if (err && err != -EINVAL && err != -ERANGE)
		die(EXIT_RUN, "cannot read the delays in %s: %s", path, strerror(-err));
	if (err && line)
		die(EXIT_USAGE, "%s line %d: not a time from 0 to 1h such as 20ms", path, line);
	if (err)
		die(EXIT_USAGE, "%s: no times in it; write one on each line, such as 20ms", path);
}

static void report_keys(struct rec_report *r)
{
	uint64_t first = run.left > LISTED_MAX ? run.left - LISTED_MAX : 0;

	rec_begin_array(r, "keys");
	for (uint64_t i = first; i < run.left; i++) {
		const struct echo_key *k = &run.listed[i % LISTED_MAX];

		rec_begin_object(r, NULL);
		rec_add_ints(r, { "seq", k->seq }, { "received_ns", k->received_ns });
		rec_add_known_int(r, "draw_ns", k->draw_ns, k->draw_ns);
		rec_add_known_int(r, "flushed_ns", k->flushed_ns, k->flushed_ns);
		rec_add_bool(r, "dropped", k->dropped);
		rec_add_bool(r, "coalesced", k->coalesced);
		rec_add_known_int(r, "presented_ns", k->presented_ns, k->presented_ns);
		rec_end(r);
	}
	rec_end(r);
}

static void say_echo_result(struct rec_report *r)
{
	uint64_t open = run.echo.received - run.echo.answered;
	char answered[80] = "all answered", shared[60] = "";

	if (!run.echo.received) {
		rec_say(r, "0 keys: none was typed.");
		return;
	}
	if (open)
		snprintf(answered, sizeof(answered), "%s answered, %s dropped as asked, %s not",
			 count_text((int64_t)run.echo.answered), count_text((int64_t)run.echo.dropped),
			 count_text((int64_t)(open - run.echo.dropped)));
	if (run.echo.coalesced)
		snprintf(shared, sizeof(shared), " (%s shared one)", count_text((int64_t)run.echo.coalesced));
	rec_say(r, "%s key%s, %s, in %s redraws%s", count_text((int64_t)run.echo.received), run.echo.received == 1 ? "" : "s",
		answered, count_text((int64_t)run.echo.redraws), shared);
	rec_say(r, "own reaction, beyond the delay asked for: %s ms (p50), %s ms at worst", stat_text(&run.lag, 0.5, NS_PER_MS),
		stat_text(&run.lag, 1, NS_PER_MS));
	if (run.echo.lost)
		rec_warn(r, "%s keys found no room in the queue and were not answered.", count_text((int64_t)run.echo.lost));
}

static void report_echo(struct rec_report *r, const struct rt_granted *rt)
{
	char words[120];

	rt_describe(rt, words, sizeof(words));
	rec_begin_object(r, "settings");
	rec_add_str(r, "face", cfg.display ? "x11" : cfg.wayland ? "wayland" : "vnc");
	if (cfg.display) {
		rec_add_str(r, "display", cfg.display);
	} else if (!cfg.wayland) {
		rec_add_str(r, "listen", cfg.listen);
		rec_add_int(r, "port", cfg.port);
	}
	rec_add_str(r, "delay", cfg.delay_text);
	rec_add_real(r, "cost_ms", (double)cfg.cost_ns / NS_PER_MS, 6);
	rec_add_str(r, "cost_per", cost_words[cfg.cost_per]);
	rec_add_int(r, "coalesce", cfg.coalesce);
	rec_add_real(r, "drop", cfg.drop, 6);
	rec_add_bool(r, "noise", cfg.noise);
	rec_add_ints(r, { "seed", cfg.seed }, { "cell", cfg.cell });
	rec_add_strs(r, { "real_time", words }, { "sandbox", confine_state() });
	rec_end(r);
	rec_begin_object(r, "result");
	rec_add_ints(r, { "keys_received", (int64_t)run.echo.received }, { "keys_answered", (int64_t)run.echo.answered },
		     { "keys_coalesced", (int64_t)run.echo.coalesced }, { "keys_dropped", (int64_t)run.echo.dropped },
		     { "keys_waiting", (int64_t)run.echo.waiting }, { "keys_lost", (int64_t)run.echo.lost },
		     { "redraws", (int64_t)run.echo.redraws }, { "flushes", (int64_t)run.echo.flushes });
	rec_add_real(r, "burnt_cpu_s", (double)run.burnt_ns / NS_PER_S, 6);
	rec_add_sample(r, "received_flushed_ms", &run.total, NS_PER_MS);
	rec_add_sample(r, "due_flushed_ms", &run.lag, NS_PER_MS);
	rec_add_sample(r, "flushed_presented_ms", &run.screen, NS_PER_MS);
	held_up_report(r);
	if (run.listed)
		report_keys(r);
	rec_end(r);
	rec_set_table(r, "keys");
	say_echo_result(r);
}

static void prepare_run(struct rt_granted *rt)
{
	static const char *const columns[] = { "seq",	  "received_ns", "draw_ns",	 "flushed_ns",
					       "dropped", "coalesced",	 "presented_ns", NULL };
	const struct echo_queue_cfg echo_cfg = { .batch = (size_t)cfg.coalesce,
						 .per_key = cfg.cost_per == PER_KEY,
						 .room = WAITING_MAX };
	bool list = out_cfg.format == REC_JSON || out_cfg.format == REC_TSV;

	run.log = rows_must_open(cfg.log, "echo/1", columns);
	run.drop_random = ~(uint64_t)cfg.seed;
	echo_queue_init(&run.echo, &echo_cfg);
	sample_reserve(&run.total, LISTED_MAX);
	sample_reserve(&run.lag, LISTED_MAX);
	sample_reserve(&run.screen, cfg.wayland ? LISTED_MAX : 0);
	run.listed = list ? memory_new(LISTED_MAX, sizeof(*run.listed)) : NULL;
	rt_setup((int)cfg.priority, rt);
	if (cfg.priority && !rt->fifo)
		warn("no real-time priority %lld: %s; going on without (root, or a limit on rtprio, allows it)",
		     (long long)cfg.priority, strerror(rt->why));
}

/* Tells a user at a terminal what "ready" tells a script. */
static void print_ready_line(void)
{
	char where[300], delay[200] = "at once";

	if (cfg.display)
		snprintf(where, sizeof(where), "window on %s", cfg.display);
	else if (cfg.wayland)
		snprintf(where, sizeof(where), "Wayland window");
	else
		snprintf(where, sizeof(where), "VNC on %s:%lld", cfg.listen, (long long)cfg.port);
	if (strcmp(cfg.delay_text, "const:0") != 0)
		snprintf(delay, sizeof(delay), "after %s", cfg.delay_text);
	fprintf(stderr, "refecho: %s, answers %s; Ctrl-C ends it\n", where, delay);
}

static void check_options(void)
{
	if (!!cfg.display + !!cfg.port + cfg.wayland != 1)
		die_usage("say either --display DISPLAY, --wayland or --vnc PORT");
	if (cfg.wayland && !face_wayland_built)
		die(EXIT_MISSING, "built without Wayland; install libwayland-dev and wayland-protocols, and run: make");
	if (!cfg.port && strcmp(cfg.listen, LISTEN) != 0)
		die_usage("--listen is for --vnc PORT");
	if (inet_pton(AF_INET, cfg.listen, &(struct in_addr){ 0 }) != 1)
		die_usage("--listen %s: not an IPv4 address, such as 127.0.0.1", cfg.listen);
}

int main(int argc, char **argv)
{
	struct echo_face_cfg face_cfg;
	struct echo_face *face;
	struct rec_report *out;
	struct rt_granted rt;
	struct why why = { "" };
	int err, operands, gone;
	bool held;

	operands = cli_parse(argc, argv, "refecho --display DISPLAY | --wayland | --vnc PORT [--answer-delay SCRIPT] [options]",
			     "Shows the number of each key, after a given delay, as a patch of black and white cells.", options);
	cli_refuse_operands(argc, argv, operands);
	check_options();
	proc_require_ready_fd((int)cfg.ready_fd);
	proc_catch_stop(); /* before the output is opened, which a signal would otherwise leave incomplete */
	load_delays();
	out = rec_must_open(&out_cfg, "refecho"); /* before the run, so that a wrong path does not cost the run */
	prepare_run(&rt);
	face_cfg = (struct echo_face_cfg){ .display = cfg.display,
					   .listen = cfg.listen,
					   .port = (int)cfg.port,
					   .cell = (int)cfg.cell,
					   .noise = cfg.noise,
					   .seed = (uint64_t)cfg.seed,
					   .key = on_typed_key,
					   .flushed = on_flushed,
					   .presented = on_presented };
	face = (cfg.display ? face_open_x11 : cfg.wayland ? face_open_wayland : face_open_vnc)(&face_cfg, &why);
	if (!face)
		die(EXIT_RUN, "%s", why.text);
	run.echo.cfg.presents = face->presents;
	confine_must_apply(&(struct confine_cfg){ .profile = cfg.display ? CONFINE_DISPLAY : CONFINE_DECODE,
						  .mode = sandbox,
						  .files = { out_cfg.path },
						  .keep = 1 << CAP_IPC_LOCK });
	held_up_watch(rt.fifo);
	proc_write_ready((int)cfg.ready_fd);
	if (isatty(STDERR_FILENO) && out_cfg.detail != REC_QUIET)
		print_ready_line();
	gone = answer_keys(face, &why);
	echo_drop_unshown(&run.echo, record_key, NULL);
	face->close(face);
	if (gone)
		rec_warn(out, "%s; the report has the keys up to then", why.text);
	held = held_up_warn(out, "refecho");
	report_echo(out, &rt);
	err = rows_close(run.log);
	if (err)
		warn("cannot write %s: %s", cfg.log, strerror(-err));
	gone = gone || err;
	echo_queue_free(&run.echo);
	delay_free(&run.delay);
	sample_free(&run.total);
	sample_free(&run.lag);
	sample_free(&run.screen);
	free(run.listed);
	rec_must_close(out);
	return gone ? EXIT_RUN : run.echo.lost || held ? EXIT_LOSSY : EXIT_OK;
}
