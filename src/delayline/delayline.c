// SPDX-License-Identifier: GPL-3.0-or-later
/* delayline - a link of a stated delay, jitter, loss and rate between two interfaces, for kernels that cannot emulate one.
 *
 * Both ends are TAP interfaces, each in a network namespace of choice. When a packet passes is
 * path.c's, where it waits shelf.c's, who carries it pump.c's. This file reads options and orders,
 * runs, reports; its own delay too, for that is in every figure measured over the link. */
#include "clock.h"
#include "control.h"
#include "orders.h"
#include "proc.h"
#include "pump.h"
#include "rec.h"
#include "say.h"
#include "rt.h"

#include <errno.h>
#include <math.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PRIORITY 25	/* above the probe, as the interrupts of a network would be */

static int call_end(const char *text, void *value);
static int read_link_rate(const char *text, void *value);
static int call_loss(const char *text, void *value);
static int call_order(const char *text, void *value);

#define ORDERS_AT_START 32

static struct {
	const char *end[2];
	int ends;
	const char *order[ORDERS_AT_START];
	int n_orders;
	struct path_cfg path;
	int64_t seed, packets, run_ns, parent, ready_fd;
	const char *control;
	struct cli_cpus cpus;
} cfg = { .path = { .queue_ns = 50 * NS_PER_MS }, .seed = 1, .packets = 16384, .ready_fd = STDERR_FILENO };
static struct rec_cfg out_cfg;

static struct {
	struct orders orders;
	struct control control;
	struct rt_state rt;
	int64_t begun_ns, cpu_ns;
	int64_t orders_heeded;
	struct rec *out;
} now = { .control.fd = -1 };
static struct pump pump;

static const struct cli_opt options[] = {
	{ CLI_CALL, 0, "end", &cfg, 0, 0, "an interface to make, with the network namespace it belongs into; give two", NULL, call_end,
	  "NAME[@FILE]" },
	{ CLI_NS, 0, "delay", &cfg.path.delay_ns, 0, (double)ORDERS_MAX_NS, "how long a packet takes, each way (0)", NULL, NULL, NULL },
	{ CLI_NS, 0, "jitter", &cfg.path.jitter_ns, 0, (double)ORDERS_MAX_NS,
	  "by how much that varies, up or down (0)", NULL, NULL, NULL },
	{ CLI_WORD, 0, "shape", &cfg.path.shape, 0, 0,
	  "of the jitter: uniform, or normal with that standard deviation (uniform)", path_shapes, NULL, NULL },
	{ CLI_FLAG, 0, "reorder", &cfg.path.reorder, 0, 0, "jitter may let packets overtake each other", NULL, NULL, NULL },
	{ CLI_CALL, 0, "loss", &cfg.path.loss, 0, 0, "how many packets are lost, in percent, each by itself (0)", NULL, call_loss,
	  "PERCENT" },
	{ CLI_CALL, 0, "rate", &cfg.path.rate_bits, 0, 0,
	  "how fast they are sent, in bits of frames, such as 10Mbit (none)", NULL, read_link_rate, "RATE" },
	{ CLI_NS, 0, "queue", &cfg.path.queue_ns, 0, (double)ORDERS_MAX_NS,
	  "how long a packet may wait for that before it is dropped (50ms)", NULL, NULL, NULL },
	{ CLI_CALL, 0, "order", &cfg, 0, 0, "an order that holds from the start, such as \"back rate 384Kbit\"; may be given many times",
	  NULL, call_order, "ORDER" },
	{ CLI_INT, 0, "seed", &cfg.seed, 0, 9e15, "of the losses and the jitter (1)", NULL, NULL, NULL },
	{ CLI_INT, 0, "packets", &cfg.packets, 16, 1 << 20,
	  "memory for so many packets on their way, both ways together (16384)", NULL, NULL, NULL },
	{ CLI_STR, 0, "control", &cfg.control, 0, 0,
	  "take orders from this fifo, which is made where it is not there: delay 50ms, loss 1%, report ...", NULL, NULL, "FIFO" },
	{ CLI_CPUS, 0, "cpus", &cfg.cpus, 0, 0, "run on these CPUs (any)", NULL, NULL, NULL },
	{ CLI_NS, 't', "time", &cfg.run_ns, NS_PER_MS, 30.0 * (double)NS_PER_DAY, "end after this long (never)", NULL, NULL, NULL },
	{ CLI_INT, 0, "parent", &cfg.parent, 1, 1e9,
	  "end at once where this is not our parent any more (its end is ours in any case)", NULL, NULL, "PID" },
	{ CLI_INT, 0, "ready-fd", &cfg.ready_fd, 0, 1023, "write \"ready\" to this descriptor (2)", NULL, NULL, "FD" },
	REC_OPTIONS(out_cfg),
	{ .type = CLI_END },
};

static int call_end(const char *text, void *value)
{
	size_t name = strcspn(text, "@");

	(void)value;
	if (cfg.ends == 2)
		die_usage("--end %s: a link has two ends", text);
	if (name == 0 || name >= IFNAMSIZ || memchr(text, '/', name))
		die_usage("--end %s: the name of an interface has 1 to 15 characters, and no /", text);
	cfg.end[cfg.ends++] = text;
	return 0;
}

static int read_link_rate(const char *text, void *value)
{
	int err = orders_read_rate(text, value);

	if (err && err != -ENOTUNIQ)
		die_usage("--rate %s: a rate from 1kbit to 100Gbit, such as 10Mbit, or none", text);
	return err;
}

static int call_loss(const char *text, void *value)
{
	if (orders_read_loss(text, value))
		die_usage("--loss %s: percent, from 0 to 100", text);
	return 0;
}

static int call_order(const char *text, void *value)
{
	struct orders tried = { 0 };

	(void)value;
	if (cfg.n_orders == ORDERS_AT_START)
		die_usage("--order %s: at most %d of them", text, ORDERS_AT_START);
	if (!*text || orders_read(&tried, text) || !tried.changed)
		die_usage("--order %s: an order that changes the link, such as \"forth rate 1500Kbit\" or \"delay 20ms\"", text);
	cfg.order[cfg.n_orders++] = text;
	return 0;
}

/* --- the report ------------------------------------------------------------------------------------------------ */

static void report_wire_settings(struct rec *r)
{
	static const char *const names[] = { "forth", "back" };

	rec_object(r, "settings");
	rec_int(r, "seed", (int64_t)now.orders.seed);
	rec_int(r, "packets", cfg.packets);
	for (int i = 0; i < 2; i++) {
		const struct path_cfg *path = &now.orders.cfg[i];

		rec_object(r, names[i]);
		rec_int(r, "rate_bits_per_s", path->rate_bits);
		rec_real(r, "queue_ms", (double)path->queue_ns / NS_PER_MS, 6);
		rec_real(r, "delay_ms", (double)path->delay_ns / NS_PER_MS, 6);
		rec_real(r, "jitter_ms", (double)path->jitter_ns / NS_PER_MS, 6);
		rec_str(r, "shape", path_shapes[path->shape]);
		rec_bool(r, "reorder", path->reorder);
		rec_real(r, "loss_percent", path->loss * 100, 6);
		rec_end(r);
	}
	rec_end(r);
}

static void report_way(struct rec *r, int i)
{
	const struct pump_way *way = &pump.way[i];

	rec_object(r, NULL);
	rec_str(r, "from", pump.ends[i].name);
	rec_str(r, "to", pump.ends[!i].name);
	rec_int(r, "packets", way->packets);
	rec_int(r, "bytes", way->bytes);
	rec_int(r, "passed", way->fate[PATH_PASSES]);
	rec_int(r, "passed_bytes", way->passed_bytes);
	rec_int(r, "lost", way->fate[PATH_LOST]);
	rec_int(r, "dropped_by_queue", way->fate[PATH_DROPPED]);
	rec_int(r, "dropped_no_room", way->no_room);
	rec_int(r, "refused", way->refused);
	rec_count(r, "dropped_before", end_dropped(&pump.ends[i]));
	rec_end(r);
}

static void report_late(struct rec *r)
{
	static const int64_t upto[] = { 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, LATE_MOST_US };
	static const struct { const char *name; double p;
			      } percentiles[] = { { "p50", 0.5 }, { "p90", 0.9 }, { "p99", 0.99 }, { "p999", 0.999 } };
	const struct late *late = &pump.late;

	rec_object(r, "added_delay_us");
	rec_int(r, "n", late->n);
	rec_real(r, "min", late->n ? (double)late->min_ns / 1000 : NAN, 1);
	rec_real(r, "mean", late_mean(late), 1);
	for (size_t i = 0; i < sizeof(percentiles) / sizeof(*percentiles); i++)
		rec_real(r, percentiles[i].name, late_percentile(late, percentiles[i].p), 0);
	rec_real(r, "max", late->n ? (double)late->max_ns / 1000 : NAN, 1);
	rec_array(r, "histogram");
	for (size_t i = 0; i < sizeof(upto) / sizeof(*upto); i++) {
		rec_object(r, NULL);
		rec_int(r, "upto_us", upto[i]);
		rec_int(r, "cumulative", late_within(late, upto[i]));
		rec_end(r);
	}
	rec_end(r);
	rec_end(r);
}

static bool lossy(void)
{
	return pump.way[0].no_room || pump.way[1].no_room;
}

/* "10.0 Mbit/s, queue 50.0 ms, 20.0 ms each way, no loss" */
static void describe_path(const struct path_cfg *p, const char *each_way, char *text, size_t size)
{
	char rate[80] = "no limit of rate", jitter[40] = "", loss[40] = "no loss";

	if (p->rate_bits)
		snprintf(rate, sizeof(rate), "%s, queue %s", say_bits((double)p->rate_bits), say_ns((double)p->queue_ns));
	if (p->jitter_ns)
		snprintf(jitter, sizeof(jitter), " ± %s", say_ns((double)p->jitter_ns));
	if (p->loss > 0)
		snprintf(loss, sizeof(loss), "loss %s %%", say_number(p->loss * 100));
	snprintf(text, size, "%s, %s%s%s, %s", rate, p->delay_ns ? say_ns((double)p->delay_ns) : "no delay", jitter, each_way, loss);
}

static void say_way(struct rec *r, int i, const char *link)
{
	const struct pump_way *way = &pump.way[i];
	const struct { int64_t n; const char *what; } gone[] = {
		{ way->fate[PATH_LOST], "lost as asked" }, { way->fate[PATH_DROPPED], "dropped (queue full)" },
		{ way->no_room, "dropped (no room)" }, { way->refused, "refused by the interface" },
		{ end_dropped(&pump.ends[i]), "missed" },
	};
	char text[256] = "";

	for (size_t k = 0; k < sizeof(gone) / sizeof(*gone); k++)
		if (gone[k].n > 0)
			snprintf(text + strlen(text), sizeof(text) - strlen(text), ", %s %s", say_count(gone[k].n), gone[k].what);
	if (way->packets && !*text)
		strcpy(text, ", all delivered");
	rec_say(r, "  %s -> %s   %s packets%s%s%s", pump.ends[i].name, pump.ends[!i].name, say_count(way->packets), text,
		*link ? "; " : "", link);
}

static void say_link(struct rec *r, double wall_ns)
{
	bool alike = !memcmp(&now.orders.cfg[0], &now.orders.cfg[1], sizeof(now.orders.cfg[0]));
	const struct late *late = &pump.late;
	char link[2][256];

	for (int i = 0; i < 2; i++)
		describe_path(&now.orders.cfg[i], alike && now.orders.cfg[i].delay_ns ? " each way" : "", link[i], sizeof(link[i]));
	rec_say(r, "%s <-> %s: %s%s%s", pump.ends[0].name, pump.ends[1].name, alike ? link[0] : "", alike ? "; " : "", say_ns(wall_ns));
	for (int i = 0; i < 2; i++)
		say_way(r, i, alike ? "" : link[i]);
	if (late->n)
		rec_say(r, "The line's own delay on top: %s µs (p50), %s (p99), %s at worst", say_number(late_percentile(late, 0.5)),
			say_number(late_percentile(late, 0.99)), say_number((double)late->max_ns / NS_PER_US));
	if (lossy())
		rec_warn(r, "%s packets found no room and were dropped; give more with --packets",
			 say_count(pump.way[0].no_room + pump.way[1].no_room));
	if (pump.broken)
		rec_warn(r, "the interface %s is gone", pump.ends[pump.broken - 1].name);
}

static void report_wire(struct rec *r)
{
	int64_t wall = clock_now() - now.begun_ns;
	char text[128];

	report_wire_settings(r);
	rec_object(r, "result");
	rec_array(r, "ways");
	report_way(r, 0);
	report_way(r, 1);
	rec_end(r);
	report_late(r);
	rec_int(r, "on_their_way", (int64_t)delay_queue_count(pump.shelf));
	rec_int(r, "on_their_way_max", (int64_t)delay_queue_most(pump.shelf));
	rec_int(r, "orders", now.orders_heeded);
	rec_real(r, "seconds", (double)wall / NS_PER_S, 3);
	rec_real(r, "cpu_percent", wall > 0 ? 100.0 * (double)(clock_process_cpu() - now.cpu_ns) / (double)wall : NAN, 2);
	rt_describe(&now.rt, text, sizeof(text));
	rec_str(r, "scheduling", text);
	rec_bool(r, "real_time", now.rt.fifo > 0);
	rec_bool(r, "memory_locked", now.rt.locked);
	rec_end(r);
	rec_main_table(r, "ways");
	say_link(r, (double)wall);
}

/* What was opened for the end is written now, and opened again: so there is never more than one temporary file. */
static void report_now(void)
{
	int err;

	report_wire(now.out);
	err = rec_close(now.out);
	if (err)
		warn("cannot write the report: %s", strerror(-err));
	now.out = rec_open(&out_cfg, "delayline");
	if (!now.out)
		warn("cannot write %s any more: %m; this was the last report", out_cfg.path ? out_cfg.path : "the report");
}

/* --- orders ---------------------------------------------------------------------------------------------------- */

static void open_wire_control(void)
{
	char why[512];

	if (cfg.control && control_open(&now.control, cfg.control, why, sizeof(why)))
		die(EXIT_RUN, "%s", why);
}

static void obey_wire_order(void *arg, const char *line)
{
	struct orders *o = &now.orders;
	int err = orders_read(o, line);

	(void)arg;
	if (err) {
		warn("order \"%s\" is %s", line, err == -ERANGE ? "out of range" :
		     err == -EDOM ? "a time without a unit" : "not understood; thinprobe-delayline(1) lists them");
		return;
	}
	for (int i = 0; i < 2; i++) {
		if (o->changed & 1 << i)
			path_set(&pump.way[i].path, &o->cfg[i]);
		if (o->seeded)
			path_seed(&pump.way[i].path, 2 * o->seed + (uint64_t)i);
	}
	now.orders_heeded += o->changed || o->seeded;
	if (o->report && now.out)
		report_now();
	o->changed = 0;
	o->seeded = o->report = false;
}

/* --- making it ready -------------------------------------------------------------------------------------------- */

static void read_wire_options(int argc, char **argv)
{
	int first = cli_parse(argc, argv,
			      "delayline --end NAME[@FILE] --end NAME[@FILE] [--delay TIME] [--loss PERCENT] [--rate RATE] [options]",
			      "Joins two interfaces by a link of a stated delay, jitter, loss and rate.", options);
	const struct rec_place place[] = { { "-o", out_cfg.path ? out_cfg.path : "-" }, { "--control", cfg.control } };

	if (first < argc)
		die_usage("unexpected word %s", argv[first]);
	if (cfg.ends != 2)
		die_usage("a link has two ends: --end NAME --end NAME");
	rec_check_apart(place, 2);
	proc_check_ready_fd((int)cfg.ready_fd);
}

static void open_ends(void)
{
	char why[512];

	for (int turn = 0; turn < 4; turn++) {
		int i = turn % 2;
		int err;

		if ((turn < 2) == !!strchr(cfg.end[i], '@'))	/* first those that stay where we are */
			continue;
		err = end_open(&pump.ends[i], cfg.end[i], why, sizeof(why));
		if (err)
			die(err == -EINVAL ? EXIT_USAGE : err == -EBUSY ? EXIT_RUN : EXIT_MISSING, "%s", why);
	}
}

static void make_paths(void)
{
	now.orders.seed = (uint64_t)cfg.seed;
	now.orders.cfg[0] = now.orders.cfg[1] = cfg.path;
	for (int i = 0; i < cfg.n_orders; i++)
		orders_read(&now.orders, cfg.order[i]);
	now.orders.changed = 0;
	for (int i = 0; i < 2; i++)
		path_init(&pump.way[i].path, &now.orders.cfg[i], 2 * (uint64_t)cfg.seed + (uint64_t)i);
	pump.shelf = delay_queue_new((size_t)cfg.packets);
	if (!pump.shelf)
		die(EXIT_RUN, "no memory for %lld packets; ask for fewer with --packets", (long long)cfg.packets);
}

/* One thread waits at a time: what of a signal could come between the look at proc_stop and the sleep is let in only there. */
static void run_link(void)
{
	int64_t end_ns = cfg.run_ns ? now.begun_ns + cfg.run_ns : INT64_MAX;
	sigset_t signals, before;

	proc_stop_signals(&signals);
	sigprocmask(SIG_BLOCK, &signals, &before);
	while (!proc_stop && !pump.broken && clock_now() < end_ns) {
		if (pump_turn(&pump, now.control.fd, end_ns, &before))
			control_read(&now.control, obey_wire_order, NULL);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
}

int main(int argc, char **argv)
{
	int err;

	read_wire_options(argc, argv);
	proc_stop_with_parent();
	if (cfg.parent && getppid() != (pid_t)cfg.parent)
		die(EXIT_RUN, "our parent is not %lld", (long long)cfg.parent);
	proc_catch_stop();
	now.out = rec_open(&out_cfg, "delayline");
	if (!now.out)
		die(EXIT_RUN, "cannot write %s: %m", out_cfg.path);
	err = proc_pin(&cfg.cpus);
	if (err)
		die(EXIT_USAGE, "cannot run on the CPUs of --cpus: %s", strerror(-err));
	make_paths();
	open_ends();
	rt_setup(PRIORITY, &now.rt);
	err = wire_drop_privilege();
	if (err)
		die(EXIT_RUN, "cannot give privileges up: %s", strerror(-err));
	open_wire_control();
	now.begun_ns = clock_now();
	now.cpu_ns = clock_process_cpu();
	proc_say_ready((int)cfg.ready_fd);
	run_link();
	control_remove(&now.control);
	if (!now.out)
		return EXIT_RUN;
	report_wire(now.out);
	err = rec_close(now.out);
	if (err)
		die(EXIT_RUN, "cannot write the report: %s", strerror(-err));
	for (int i = 0; i < 2; i++)
		end_close(&pump.ends[i]);
	delay_queue_free(pump.shelf);
	return pump.broken ? EXIT_RUN : lossy() ? EXIT_LOSSY : proc_stop && cfg.run_ns ? EXIT_INTERRUPTED : EXIT_OK;
}
