// SPDX-License-Identifier: GPL-3.0-or-later
/* netload - network load at a rate: TCP or UDP, one way or both, over many streams; and the end that receives it.
 *
 * pacer.c decides when frames are due, tx.c sends, rx.c receives, ctl.c has the protocol between both ends, load_report.c the
 * report. This file reads options and runs one of the two ends. */
#include "confine.h"
#include "held_up.h"
#include "proc.h"
#include "progress.h"
#include "load_report.h"
#include "say.h"
#include "why.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PORT 5210
#define PLACES 16 /* most addresses of a name that are tried */

static struct {
	struct load_cfg load;
	int64_t port, ready_fd, priority;
	const char *bind, *congestion;
	bool once, rate_given;
	int bits, spacing;
} cfg = { .load = { .lanes = 1, .seed = 1, .burst_ns = 500 * NS_PER_US, .catch_up_ns = 500 * NS_PER_MS },
	  .port = PORT,
	  .ready_fd = STDERR_FILENO };
static struct rec_cfg out_cfg;
static int sandbox; /* enum confine_mode */

static const char *const bit_words[] = { "frame", "payload", NULL }, *const spacing_words[] = { "even", "random", NULL };

static int read_rate_option(const char *text, void *value)
{
	int err;

	(void)value;
	cfg.rate_given = true;
	cfg.load.rate = 0;
	if (!strcmp(text, "max"))
		return 0;
	err = cli_parse_rate(text, &cfg.load.rate);
	if (err)
		return err;
	if (cfg.load.rate < LOAD_RATE_LEAST || cfg.load.rate > LOAD_RATE_MOST)
		return -1;
	return 0;
}

static const struct cli_opt options[] = {
	{ CLI_INT, 'p', "port", &cfg.port, 1, 65535, .of = "serve", .help = "listen on this TCP port (5210)" },
	{ CLI_STR, 0, "bind", &cfg.bind, .of = "serve", .help = "listen at this address; 0.0.0.0 or :: means all (127.0.0.1)",
	  .meta = "ADDRESS" },
	{ CLI_FLAG, 0, "once", &cfg.once, .of = "serve", .help = "end after one load" },
	{ CLI_CALL, 'r', "rate", &cfg.load.rate, .of = "send", .help = "bits a second, all streams together",
	  .call = read_rate_option, .meta = "RATE (1Kbit to 1000Gbit, such as 9.6Mbit; max)" },
	{ CLI_NS, 't', "time", &cfg.load.time_ns, 1e6, (double)LOAD_TIME_MOST, .of = "send",
	  .help = "stop after this time (default: on a signal)" },
	{ CLI_FLAG, 'u', "udp", &cfg.load.udp, .of = "send", .help = "UDP instead of TCP" },
	{ CLI_STR, 0, "congestion", &cfg.congestion, .of = "send", .help = "TCP congestion control (the kernel's default)",
	  .meta = "NAME" },
	{ CLI_FLAG, 0, "both", &cfg.load.both, .of = "send", .help = "the server sends the same load back" },
	{ CLI_INT, 0, "streams", &cfg.load.lanes, 1, LOAD_STREAMS, .of = "send", .help = "use this many streams in turn (1)" },
	{ CLI_BYTES, 0, "frame-size", &cfg.load.size, 1, LOAD_SIZE_MOST, .of = "send",
	  .help = "payload of a frame (full; at low rates for 400 frames a second)" },
	{ CLI_WORD, 0, "rate-in", &cfg.bits, .of = "send", .help = "--rate counts bits of whole frames, or of payload (frame)",
	  .words = bit_words },
	{ CLI_WORD, 0, "spacing", &cfg.spacing, .of = "send", .help = "even or random intervals of frames (even)",
	  .words = spacing_words },
	{ CLI_NS, 0, "burst", &cfg.load.burst_ns, 1e3, 1e9, .of = "send",
	  .help = "frames due within this time go together (500us)" },
	{ CLI_NS, 0, "catch-up", &cfg.load.catch_up_ns, 1e6, 1e10, .of = "send", .help = "give up frames later than this (500ms)" },
	{ CLI_INT, 0, "priority", &cfg.priority, 0, 98, .of = "send", .help = "real-time priority, if permitted (0: none)" },
	{ CLI_INT, 0, "seed", &cfg.load.seed, 0, 9e18, .of = "send", .help = "seed of data and random intervals (1)" },
	{ CLI_INT, 0, "ready-fd", &cfg.ready_fd, 0, 1023, .help = "write \"ready\" to this descriptor (2)", .meta = "FD" },
	CONFINE_OPTIONS(sandbox),
	REC_OPTIONS(out_cfg),
	{ .type = CLI_END },
};

static void write_ready_line(void)
{
	proc_tell_ready((int)cfg.ready_fd);
}

/* --- the server ----------------------------------------------------------------------------------------------- */

static int run_serve(void)
{
	const char *at = cfg.bind ? cfg.bind : "127.0.0.1";
	struct serve_totals *total = serve_totals_new();
	struct sock_address place;
	struct rec_report *out;
	int64_t from;
	int listener, err;
	struct why why;

	if (sock_resolve(at, (int)cfg.port, true, &place, 1, &why) < 0)
		die_usage("--bind %s: %s", at, why.text);
	out = rec_must_open(&out_cfg, "netload");
	listener = sock_listen(&place, false);
	if (listener < 0)
		die(EXIT_RUN, "cannot listen at %s port %d: %s; another --port or --bind", at, sock_port(&place),
		    strerror(-listener));
	/* large socket buffers take CAP_NET_ADMIN; each load gives it up when its streams are open */
	confine_must_apply(&(struct confine_cfg){
		.profile = CONFINE_SERVE, .mode = sandbox, .files = { out_cfg.path }, .keep = 1 << CAP_NET_ADMIN });
	from = clock_now();
	write_ready_line();
	err = serve(listener, cfg.once, total);
	if (err)
		die(EXIT_RUN, "cannot serve any more: %s", strerror(-err));
	report_served_loads(out, at, sock_port(&place), cfg.once, total, (double)(clock_now() - from) / NS_PER_S);
	rec_must_close(out);
	return total->broken ? EXIT_LOSSY : EXIT_OK;
}

/* --- the sender ----------------------------------------------------------------------------------------------- */

static void check_send_options(void)
{
	if (!cfg.rate_given)
		die_usage("give a rate: --rate RATE, such as 5Mbit, or max");
	if (cfg.load.udp && cfg.load.size && cfg.load.size < CTL_MARK_BYTES)
		die_usage("--frame-size %d: with --udp give at least %d", (int)cfg.load.size, CTL_MARK_BYTES);
	if (cfg.load.udp && cfg.congestion)
		die_usage("--congestion %s: with --udp there is none", cfg.congestion);
	cfg.load.payload_bits = cfg.bits == 1;
	cfg.load.random = cfg.spacing == 1;
	if (cfg.load.random && !cfg.load.rate)
		die_usage("--spacing random needs a --rate other than max");
}

/* Warns in the report where the load was not carried as asked. Returns the exit status. */
static int warn_shortfall(struct rec_report *rec, const struct load_session *r, enum send_end end, bool heard)
{
	bool broken = end == SEND_BROKEN && heard, early = end == SEND_SERVER && heard;
	bool missed;

	if (!heard)
		rec_warn(rec, "the connection to the server%s broke: what it received is not known",
			 end == SEND_BROKEN ? " and the streams" : "");
	if (early)
		rec_warn(rec, "the server ended the load early");
	if (broken)
		rec_warn(rec, "a stream broke: %s%s", strerror(-r->push.err),
			 r->push.err == -EMSGSIZE ? "; give a smaller --frame-size" : "");
	missed = held_up_warn(rec, "netload") || report_warn_rate(rec, r, &r->own);
	missed |= r->load.both && heard && report_warn_rate(rec, r, &r->other);
	if (end == SEND_SIGNAL && cfg.load.time_ns)
		return EXIT_INTERRUPTED;
	return !heard || early || broken || missed ? EXIT_LOSSY : EXIT_OK;
}

static struct progress_line progress;

static void show_sent_rate(const struct load_session *r)
{
	if (progress_take_due(&progress, clock_now()))
		progress_show(&progress, "sending %s", bit_rate_text((double)atomic_load(&r->push.bits_per_s)));
}

static int run_send(const char *to)
{
	static struct load_session r; /* static: all zero */
	struct rt_granted rt;
	struct send_facts told = { .to = to, .rt = &rt };
	struct sock_address place[PLACES];
	enum send_end end;
	struct rec_report *out;
	struct why why;
	int64_t cpu_ns;
	int err, status, places;

	check_send_options();
	places = sock_resolve(to, 0, false, place, PLACES, &why);
	if (places < 0)
		die_usage("%s: %s", to, why.text);
	out = rec_must_open(&out_cfg, "netload");
	r.load = cfg.load;
	r.congestion = cfg.congestion;
	rt_setup((int)cfg.priority, &rt);
	munlockall(); /* an ordinary user's limit is below a thread's stack, which could not start; the payload stays in memory anyway */
	rt.locked = false;
	if (cfg.priority && !rt.fifo)
		warn("--priority %d was refused: %s; continuing without real-time priority", (int)cfg.priority, strerror(rt.why));
	r.push.priority = rt.fifo;
	err = send_connect(&r, place, places, &why);
	if (err == -EINTR)
		return EXIT_INTERRUPTED;
	if (err)
		die(EXIT_RUN, "%s: %s%s", to, why.text,
		    err == -ECONNREFUSED ? "; is netload serve running there, and bound to that address?" : "");
	/* the sending thread asks for its priority */
	confine_must_apply(&(struct confine_cfg){
		.profile = CONFINE_DECODE, .mode = sandbox, .files = { out_cfg.path }, .keep = 1 << CAP_SYS_NICE });
	cpu_ns = clock_process_cpu();
	held_up_watch(rt.fifo);
	progress_start(&progress, out_cfg.detail == REC_QUIET);
	err = send_run(&r, write_ready_line, show_sent_rate, &end, &told.heard);
	progress_end(&progress);
	if (err)
		die(EXIT_RUN, "cannot start the load: %s", strerror(-err));
	told.cpu_s = (double)(clock_process_cpu() - cpu_ns) / NS_PER_S;
	told.stopped_by = send_end_words[end];
	report_sent_load(out, &r, &told);
	status = warn_shortfall(out, &r, end, told.heard);
	rec_must_close(out);
	load_session_free(&r);
	return status;
}

int main(int argc, char **argv)
{
	int first = cli_parse(argc, argv, "netload serve | send HOST:PORT --rate RATE [-t TIME] [options]",
			      "Sends network load at a rate, over TCP or UDP (send), or receives it (serve).", options);
	const struct cli_opt *other;

	if (first == argc)
		die_usage("give a command: netload serve, or netload send HOST:PORT");
	if (strcmp(argv[first], "serve") && strcmp(argv[first], "send"))
		die_usage("%s is not a command: netload serve, or netload send HOST:PORT", argv[first]);
	other = cli_foreign_option(argv[first]);
	if (other) /* such as serve --time: the server would run longer than the user expects */
		die_usage("--%s is an option of netload %s only", other->name, other->of);
	proc_require_ready_fd((int)cfg.ready_fd);
	proc_set_parent_death_term();
	proc_catch_stop();
	if (!strcmp(argv[first], "serve")) {
		cli_refuse_operands(argc, argv, first + 1);
		return run_serve();
	}
	if (first + 1 == argc)
		die_usage("give the server: netload send HOST:PORT");
	cli_refuse_operands(argc, argv, first + 2);
	return run_send(argv[first + 1]);
}
