// SPDX-License-Identifier: GPL-3.0-or-later
/* delayline - a link of a stated delay, jitter, loss and rate between two interfaces, for kernels that cannot emulate one.
 *
 * Both ends are TAP interfaces, each in a network namespace of choice. link_path.c decides when a packet is delivered,
 * delay_queue.c keeps it until then, forwarder.c reads and writes frames. This file reads options and commands, runs, and reports,
 * also the delay that the program itself adds, which is part of everything measured over the link. */
#include "clock.h"
#include "confine.h"
#include "control.h"
#include "delayline.h"
#include "proc.h"
#include "rec.h"
#include "say.h"
#include "rt.h"
#include "why.h"

#include <errno.h>
#include <math.h>
#include <net/if.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#define PRIORITY 25 /* real-time, above the probe's, as network interrupts would be */

#define COMMANDS_AT_START 32
#define WRITER_STACK (256 << 10)

static struct {
	const char *end[2]; /* values of --end */
	int ends;
	const char *order[COMMANDS_AT_START]; /* values of --order */
	int n_orders;
	struct link_settings path;
	int64_t seed, packets, run_ns, parent, ready_fd;
	const char *control;
	struct cli_cpus cpus;
} cfg = { .path = { .queue_ns = 50 * NS_PER_MS }, .seed = 1, .packets = 16384, .ready_fd = STDERR_FILENO };
static struct rec_cfg out_cfg;
static int sandbox; /* enum confine_mode */

static struct {
	struct link_changes commands;
	struct command_fifo control;
	struct rt_granted rt;
	int64_t begun_ns, cpu_ns;
	int64_t commands_applied;
	struct rec_report *out;
	pthread_t writer;	  /* writes an interim report: a slow disk must not hold up the link */
	bool writes, wants_again; /* it runs; a further report was ordered meanwhile */
	_Atomic bool written;	  /* it has ended */
} now = { .control.fd = -1 };
static struct tap_forwarder fwd;

static int read_link_end_option(const char *text, void *value)
{
	size_t name = strcspn(text, "@");

	(void)value;
	if (cfg.ends == 2)
		die_usage("--end %s: a third end; a link has two", text);
	if (name == 0 || name >= IFNAMSIZ || memchr(text, '/', name))
		die_usage("--end %s: an interface name has 1 to 15 characters, without /", text);
	cfg.end[cfg.ends++] = text;
	return 0;
}

static int read_link_rate_option(const char *text, void *value)
{
	int err = parse_link_rate(text, value);

	if (err && err != -ENOTUNIQ)
		die_usage("--rate %s: a rate from 1kbit to 100Gbit, such as 10Mbit, or none", text);
	return err;
}

static int read_loss_option(const char *text, void *value)
{
	if (parse_link_loss(text, value))
		die_usage("--loss %s: percent, from 0 to 100", text);
	return 0;
}

static int read_order_option(const char *text, void *value)
{
	struct link_changes tried = { 0 };

	(void)value;
	if (cfg.n_orders == COMMANDS_AT_START)
		die_usage("--order %s: at most %d commands can be given; --control takes any number", text, COMMANDS_AT_START);
	if (!*text || parse_link_command(&tried, text) || !tried.changed)
		die_usage("--order %s: not a command that changes the link; such as \"forth rate 1500Kbit\" or \"delay 20ms\"",
			  text);
	cfg.order[cfg.n_orders++] = text;
	return 0;
}

static const struct cli_opt options[] = {
	{ CLI_CALL, 0, "end", &cfg, .help = "interface to create, in network namespace FILE if given; give two",
	  .call = read_link_end_option, .meta = "NAME[@FILE]" },
	{ CLI_NS, 0, "delay", &cfg.path.delay_ns, 0, (double)LINK_TIME_MAX_NS, .help = "delay of a packet, each way (0)" },
	{ CLI_NS, 0, "jitter", &cfg.path.jitter_ns, 0, (double)LINK_TIME_MAX_NS, .help = "variation of the delay, up or down (0)" },
	{ CLI_WORD, 0, "shape", &cfg.path.shape,
	  .help = "distribution of the jitter; normal: --jitter is the standard deviation (uniform)", .words = jitter_shapes },
	{ CLI_FLAG, 0, "reorder", &cfg.path.reorder, .help = "jitter may let packets overtake each other" },
	{ CLI_CALL, 0, "loss", &cfg.path.loss, .help = "share of packets lost at random, each way (0)", .call = read_loss_option,
	  .meta = "PERCENT" },
	{ CLI_CALL, 0, "rate", &cfg.path.rate_bits, .help = "bits a second each way, counting whole frames, such as 10Mbit (none)",
	  .call = read_link_rate_option, .meta = "RATE" },
	{ CLI_NS, 0, "queue", &cfg.path.queue_ns, 0, (double)LINK_TIME_MAX_NS,
	  .help = "drop a packet that has to wait longer for the link (50ms)" },
	{ CLI_CALL, 0, "order", &cfg, .help = "start with this command, such as \"back rate 384Kbit\"; may be repeated",
	  .call = read_order_option, .meta = "ORDER" },
	{ CLI_INT, 0, "seed", &cfg.seed, 0, 9e15, .help = "seed of losses and jitter (1)" },
	{ CLI_INT, 0, "packets", &cfg.packets, 16, 1 << 20,
	  .help = "memory for this many packets under way, both ways together (16384)" },
	{ CLI_STR, 0, "control", &cfg.control,
	  .help = "read commands from this fifo, created if missing: delay 50ms, loss 1%, report ...", .meta = "FIFO" },
	{ CLI_CPUS, 0, "cpus", &cfg.cpus, .help = "run on these CPUs (inherited)" },
	{ CLI_NS, 't', "time", &cfg.run_ns, NS_PER_MS, 30 * NS_PER_DAY, .help = "stop after this time (default: on a signal)" },
	{ CLI_INT, 0, "parent", &cfg.parent, 1, 1e9, .help = "end at once if the parent is not this process", .meta = "PID" },
	{ CLI_INT, 0, "ready-fd", &cfg.ready_fd, 0, 1023, .help = "write \"ready\" to this descriptor (2)", .meta = "FD" },
	CONFINE_OPTIONS(sandbox),
	REC_OPTIONS(out_cfg),
	{ .type = CLI_END },
};

/* --- the report ------------------------------------------------------------------------------------------------ */

static void report_way_settings(struct rec_report *r)
{
	static const char *const names[] = { "forth", "back" };

	rec_begin_object(r, "settings");
	rec_add_int(r, "seed", (int64_t)now.commands.seed);
	rec_add_int(r, "packets", cfg.packets);
	rec_add_str(r, "sandbox", confine_state());
	for (int i = 0; i < 2; i++) {
		const struct link_settings *path = &now.commands.cfg[i];

		rec_begin_object(r, names[i]);
		rec_add_int(r, "rate_bits_per_s", path->rate_bits);
		rec_add_real(r, "queue_ms", (double)path->queue_ns / NS_PER_MS, 6);
		rec_add_real(r, "delay_ms", (double)path->delay_ns / NS_PER_MS, 6);
		rec_add_real(r, "jitter_ms", (double)path->jitter_ns / NS_PER_MS, 6);
		rec_add_str(r, "shape", jitter_shapes[path->shape]);
		rec_add_bool(r, "reorder", path->reorder);
		rec_add_real(r, "loss_percent", path->loss * 100, 6);
		rec_end(r);
	}
	rec_end(r);
}

static void report_way(struct rec_report *r, int i)
{
	const struct forward_way *way = &fwd.way[i];

	rec_begin_object(r, NULL);
	rec_add_str(r, "from", fwd.ends[i].name);
	rec_add_str(r, "to", fwd.ends[!i].name);
	rec_add_ints(r, { "packets", way->packets }, { "bytes", way->bytes }, { "passed", way->fate[LINK_PASSES] },
		     { "passed_bytes", way->passed_bytes }, { "lost", way->fate[LINK_LOSES] },
		     { "dropped_by_queue", way->fate[LINK_QUEUE_FULL] }, { "dropped_no_room", way->no_room },
		     { "dropped_too_long", way->too_long }, { "refused", way->refused });
	rec_add_count(r, "dropped_before", tap_port_read_drops(&fwd.ends[i]));
	rec_end(r);
}

/* The most that any frame can have been delayed by us: by handing it over late, and by reading it late. */
static double find_worst_us(void)
{
	return (double)(fwd.added.max_ns + fwd.unseen.max_ns) / NS_PER_US;
}

static void report_unseen_delay(struct rec_report *r)
{
	rec_begin_object(r, "unseen_us");
	rec_add_int(r, "n", fwd.unseen.n);
	rec_add_reals(r, { "p50", delay_hist_percentile(&fwd.unseen, 0.5), 0 },
		      { "p99", delay_hist_percentile(&fwd.unseen, 0.99), 0 },
		      { "max", fwd.unseen.n ? (double)fwd.unseen.max_ns / NS_PER_US : NAN, 1 });
	rec_end(r);
}

static void report_added_delay(struct rec_report *r)
{
	static const int64_t edges_us[] = { 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, DELAY_HIST_MAX_US };
	static const struct {
		const char *name;
		double p;
	} percentiles[] = { { "p50", 0.5 }, { "p90", 0.9 }, { "p99", 0.99 }, { "p999", 0.999 } };
	const struct delay_hist *added = &fwd.added;

	rec_begin_object(r, "added_delay_us");
	rec_add_int(r, "n", added->n);
	rec_add_real(r, "min", added->n ? (double)added->min_ns / 1000 : NAN, 1);
	rec_add_real(r, "mean", delay_hist_mean_us(added), 1);
	for (size_t i = 0; i < sizeof(percentiles) / sizeof(*percentiles); i++)
		rec_add_real(r, percentiles[i].name, delay_hist_percentile(added, percentiles[i].p), 0);
	rec_add_real(r, "max", added->n ? (double)added->max_ns / 1000 : NAN, 1);
	rec_add_real(r, "at_worst", added->n ? find_worst_us() : NAN, 1);
	rec_begin_array(r, "histogram");
	for (size_t i = 0; i < sizeof(edges_us) / sizeof(*edges_us); i++) {
		rec_begin_object(r, NULL);
		rec_add_int(r, "upto_us", edges_us[i]);
		rec_add_int(r, "cumulative", delay_hist_count_below(added, edges_us[i]));
		rec_end(r);
	}
	rec_end(r);
	rec_end(r);
}

static bool has_lost_frames(void)
{
	return fwd.way[0].no_room || fwd.way[1].no_room || fwd.way[0].too_long || fwd.way[1].too_long;
}

/* Writes one direction's settings, such as "10.0 Mbit/s, queue 50.0 ms, 20.0 ms each way, no loss". */
static void describe_way(const struct link_settings *p, const char *each_way, char *text, size_t size)
{
	char rate[80] = "no limit of rate", jitter[40] = "", loss[40] = "no loss";

	if (p->rate_bits)
		snprintf(rate, sizeof(rate), "%s, queue %s", bit_rate_text((double)p->rate_bits), ns_text((double)p->queue_ns));
	if (p->jitter_ns)
		snprintf(jitter, sizeof(jitter), " ± %s", ns_text((double)p->jitter_ns));
	if (p->loss > 0)
		snprintf(loss, sizeof(loss), "loss %s %%", number_text(p->loss * 100));
	snprintf(text, size, "%s, %s%s%s, %s", rate, p->delay_ns ? ns_text((double)p->delay_ns) : "no delay", jitter, each_way,
		 loss);
}

static void say_way(struct rec_report *r, int i, const char *link)
{
	const struct forward_way *way = &fwd.way[i];
	const struct {
		int64_t n;
		const char *what;
	} gone[] = {
		{ way->fate[LINK_LOSES], "lost by --loss" },  { way->fate[LINK_QUEUE_FULL], "dropped (queue full)" },
		{ way->no_room, "dropped (no room)" },	      { way->too_long, "dropped (too long)" },
		{ way->refused, "refused by the interface" }, { tap_port_read_drops(&fwd.ends[i]), "missed by the program" },
	};
	char text[256] = "";

	for (size_t k = 0; k < sizeof(gone) / sizeof(*gone); k++)
		if (gone[k].n > 0)
			snprintf(text + strlen(text), sizeof(text) - strlen(text), ", %s %s", count_text(gone[k].n), gone[k].what);
	if (way->packets && !*text)
		strcpy(text, fwd.queue->n ? ", none lost" : ", all delivered");
	rec_say(r, "  %s -> %s   %s%s%s%s", fwd.ends[i].name, fwd.ends[!i].name, counted_text(way->packets, "packet"), text,
		*link ? "; " : "", link);
}

static void say_link(struct rec_report *r, double wall_ns)
{
	bool alike = !memcmp(&now.commands.cfg[0], &now.commands.cfg[1], sizeof(now.commands.cfg[0]));
	const struct delay_hist *added = &fwd.added;
	char link[2][256];

	for (int i = 0; i < 2; i++)
		describe_way(&now.commands.cfg[i], alike && now.commands.cfg[i].delay_ns ? " each way" : "", link[i],
			     sizeof(link[i]));
	rec_say(r, "%s <-> %s: %s%s%s", fwd.ends[0].name, fwd.ends[1].name, alike ? link[0] : "", alike ? "; " : "",
		ns_text(wall_ns));
	for (int i = 0; i < 2; i++)
		say_way(r, i, alike ? "" : link[i]);
	if (added->n)
		rec_say(r, "Delay added by the program itself: %s µs (p50), %s (p99), %s at worst",
			number_text(delay_hist_percentile(added, 0.5)), number_text(delay_hist_percentile(added, 0.99)),
			number_text(find_worst_us()));
	if (fwd.queue->n)
		rec_say(r, "%s on their way", counted_text((int64_t)fwd.queue->n, "packet"));
	if (fwd.way[0].too_long || fwd.way[1].too_long)
		rec_warn(r, "%s packets were longer than %d bytes; lower the MTU of the interfaces",
			 count_text(fwd.way[0].too_long + fwd.way[1].too_long), DELAY_QUEUE_SLOT - 1);
	if (fwd.way[0].no_room || fwd.way[1].no_room)
		rec_warn(r, "%s packets were dropped because all slots were taken; give more with --packets",
			 count_text(fwd.way[0].no_room + fwd.way[1].no_room));
	if (fwd.broken)
		rec_warn(r, "the interface %s was removed during the run", fwd.ends[fwd.broken - 1].name);
}

static void report_link(struct rec_report *r)
{
	int64_t wall = clock_now() - now.begun_ns;
	char text[128];

	report_way_settings(r);
	rec_begin_object(r, "result");
	rec_begin_array(r, "ways");
	report_way(r, 0);
	report_way(r, 1);
	rec_end(r);
	report_added_delay(r);
	report_unseen_delay(r);
	rec_add_int(r, "on_their_way", (int64_t)fwd.queue->n);
	rec_add_int(r, "on_their_way_max", (int64_t)fwd.queue->most);
	rec_add_int(r, "orders", now.commands_applied);
	rec_add_real(r, "seconds", (double)wall / NS_PER_S, 3);
	rec_add_real(r, "cpu_percent", wall > 0 ? 100.0 * (double)(clock_process_cpu() - now.cpu_ns) / (double)wall : NAN, 2);
	rt_describe(&now.rt, text, sizeof(text));
	rec_add_str(r, "scheduling", text);
	rec_add_bool(r, "real_time", now.rt.fifo > 0);
	rec_add_bool(r, "memory_locked", now.rt.locked);
	rec_end(r);
	rec_set_table(r, "ways");
	say_link(r, (double)wall);
}

/* Writes the report so far, and opens a new one for the end: there is never more than one temporary file. */
static void *run_writer(void *arg)
{
	int err = rec_close(now.out);

	(void)arg;
	if (err)
		warn("cannot write the report: %s", strerror(-err));
	now.out = rec_open(&out_cfg, "delayline");
	if (!now.out)
		warn("cannot reopen %s: %m; no further report will be written", out_cfg.path ? out_cfg.path : "the report");
	atomic_store(&now.written, true);
	return NULL;
}

static void join_writer(void)
{
	if (now.writes)
		pthread_join(now.writer, NULL);
	now.writes = false;
}

/* Begins to write an interim report, unless one is being written: then later. */
static void begin_interim_report(void)
{
	now.wants_again = now.writes && !atomic_load(&now.written);
	if (now.wants_again)
		return;
	join_writer();
	if (!now.out)
		return;
	report_link(now.out);
	atomic_store(&now.written, false);
	now.writes = !proc_start_thread(&now.writer, WRITER_STACK, run_writer, NULL);
	if (!now.writes)
		run_writer(NULL);
}

/* --- commands ---------------------------------------------------------------------------------------------------- */

static void open_fifo(void)
{
	struct why why;

	if (cfg.control && fifo_open(&now.control, cfg.control, &why))
		die(EXIT_RUN, "%s", why.text);
}

static void apply_command(void *arg, const char *line)
{
	struct link_changes *o = &now.commands;
	int err = parse_link_command(o, line);

	(void)arg;
	if (err) {
		warn("command \"%s\" is %s", line,
		     err == -ERANGE ? "out of range"
		     : err == -EDOM ? "a time without a unit"
				    : "unknown; thinprobe-delayline(1) lists the commands");
		return;
	}
	for (int i = 0; i < 2; i++) {
		if (o->changed & 1 << i)
			link_path_configure(&fwd.way[i].path, &o->cfg[i]);
		if (o->seeded)
			link_path_set_seed(&fwd.way[i].path, 2 * o->seed + (uint64_t)i);
	}
	now.commands_applied += o->changed || o->seeded;
	if (o->report)
		begin_interim_report();
	o->changed = 0;
	o->seeded = o->report = false;
}

/* --- making it ready -------------------------------------------------------------------------------------------- */

static void read_line_options(int argc, char **argv)
{
	int first = cli_parse(
		argc, argv, "delayline --end NAME[@FILE] --end NAME[@FILE] [--delay TIME] [--loss PERCENT] [--rate RATE] [options]",
		"Joins two network interfaces by a link of given delay, jitter, loss and rate.", options);
	const struct rec_output_path place[] = { { "-o", out_cfg.path ? out_cfg.path : "-" }, { "--control", cfg.control } };

	cli_refuse_operands(argc, argv, first);
	if (cfg.ends != 2)
		die_usage("a link has two ends: --end NAME --end NAME");
	rec_refuse_same_outputs(place, 2);
	proc_require_ready_fd((int)cfg.ready_fd);
}

static void open_tap_ports(void)
{
	struct why why;

	for (int turn = 0; turn < 4; turn++) {
		int i = turn % 2;
		int err;

		if ((turn < 2) == !!strchr(cfg.end[i], '@')) /* interfaces without a namespace first */
			continue;
		err = tap_port_open(&fwd.ends[i], cfg.end[i], &why);
		if (err)
			die(err == -EINVAL ? EXIT_USAGE : err == -EBUSY ? EXIT_RUN : EXIT_MISSING, "%s", why.text);
	}
}

static void init_link_paths(void)
{
	now.commands.seed = (uint64_t)cfg.seed;
	now.commands.cfg[0] = now.commands.cfg[1] = cfg.path;
	for (int i = 0; i < cfg.n_orders; i++)
		parse_link_command(&now.commands, cfg.order[i]);
	now.commands.changed = 0;
	for (int i = 0; i < 2; i++)
		link_path_init(&fwd.way[i].path, &now.commands.cfg[i], 2 * (uint64_t)cfg.seed + (uint64_t)i);
	fwd.queue = delay_queue_new((size_t)cfg.packets);
}

/* Signals are blocked except while waiting, so none can arrive unseen between the check of proc_stop and the wait. */
static void run_link(void)
{
	int64_t end_ns = cfg.run_ns ? now.begun_ns + cfg.run_ns : INT64_MAX;
	sigset_t signals, before;

	proc_fill_stop_set(&signals);
	sigprocmask(SIG_BLOCK, &signals, &before);
	while (!proc_stop && !fwd.broken && clock_now() < end_ns) {
		if (forwarder_run_once(&fwd, now.control.fd, end_ns, &before))
			fifo_read_lines(&now.control, apply_command, NULL);
		if (now.wants_again)
			begin_interim_report();
	}
	join_writer();
	sigprocmask(SIG_SETMASK, &before, NULL);
}

int main(int argc, char **argv)
{
	int err;

	read_line_options(argc, argv);
	proc_set_parent_death_term();
	proc_require_parent(cfg.parent);
	proc_catch_stop();
	now.out = rec_must_open(&out_cfg, "delayline");
	err = proc_pin_thread(&cfg.cpus);
	if (err)
		die(EXIT_USAGE, "cannot run on the CPUs of --cpus: %s", strerror(-err));
	init_link_paths();
	open_tap_ports();
	rt_setup(PRIORITY, &now.rt);
	open_fifo();
	/* frames of strangers pass from now on; opening a report grows locked memory */
	confine_must_apply(&(struct confine_cfg){
		.profile = CONFINE_RECORD, .mode = sandbox, .files = { out_cfg.path, cfg.control }, .keep = 1 << CAP_IPC_LOCK });
	now.begun_ns = clock_now();
	now.cpu_ns = clock_process_cpu();
	forwarder_init(&fwd);
	proc_tell_ready((int)cfg.ready_fd);
	run_link();
	fifo_remove(&now.control);
	if (!now.out)
		return EXIT_RUN;
	report_link(now.out);
	rec_must_close(now.out);
	for (int i = 0; i < 2; i++)
		tap_port_close(&fwd.ends[i]);
	delay_queue_free(fwd.queue);
	return fwd.broken ? EXIT_RUN : has_lost_frames() ? EXIT_LOSSY : proc_stop && cfg.run_ns ? EXIT_INTERRUPTED : EXIT_OK;
}
