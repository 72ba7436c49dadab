// SPDX-License-Identifier: GPL-3.0-or-later
/* netload - network load at a rate: TCP or UDP, one way or both, over many streams; and the end that receives it.
 *
 * When frames are due is beat.c's, what the two ends say to each other talk.c's; push.c sends,
 * pull.c receives, report.c tells. This file reads options, runs one of the two ends, and ends. */
#include "clock.h"
#include "proc.h"
#include "progress.h"
#include "report.h"
#include "say.h"
#include "rt.h"
#include "send.h"
#include "serve.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define PORT 5210

static struct {
	struct load load;
	int64_t port, ready_fd, priority;
	const char *bind;
	bool once, rate_given;
	int bits, spacing;
} cfg = { .load = { .lanes = 1, .seed = 1, .burst_ns = 500 * NS_PER_US, .catch_up_ns = 500 * NS_PER_MS },
	  .port = PORT, .ready_fd = STDERR_FILENO };
static struct rec_cfg out_cfg;

static const char *const bit_words[] = { "frame", "payload", NULL }, *const spacing_words[] = { "even", "random", NULL };

static int read_load_rate(const char *text, void *value)
{
	int err;

	(void)value;
	cfg.rate_given = true;
	cfg.load.rate = 0;
	if (!strcmp(text, "max"))
		return 0;
	err = cli_read_bits(text, &cfg.load.rate);
	if (err)
		return err;
	if (cfg.load.rate < LOAD_RATE_LEAST || cfg.load.rate > LOAD_RATE_MOST)
		return -1;
	return 0;
}

static const struct cli_opt options[] = {
	{ CLI_INT, 'p', "port", &cfg.port, 1, 65535, "serve: listen on this TCP port (5210)", NULL, NULL, NULL },
	{ CLI_STR, 0, "bind", &cfg.bind, 0, 0, "serve: at this address; 0.0.0.0 or :: are all of them (127.0.0.1)", NULL, NULL,
	  "ADDRESS" },
	{ CLI_FLAG, 0, "once", &cfg.once, 0, 0, "serve: end after one load", NULL, NULL, NULL },
	{ CLI_CALL, 'r', "rate", &cfg.load.rate, 0, 0, "send: bits a second, all streams together", NULL, read_load_rate,
	  "RATE (1Kbit to 1000Gbit, such as 9.6Mbit; max)" },
	{ CLI_NS, 't', "time", &cfg.load.time_ns, 1e6, (double)LOAD_TIME_MOST,
	  "send: stop after this time (when told to)", NULL, NULL, NULL },
	{ CLI_FLAG, 'u', "udp", &cfg.load.udp, 0, 0, "send: datagrams, an open loop (TCP)", NULL, NULL, NULL },
	{ CLI_FLAG, 0, "both", &cfg.load.both, 0, 0, "send: the server sends as much back", NULL, NULL, NULL },
	{ CLI_INT, 0, "streams", &cfg.load.lanes, 1, LOAD_LANES, "send: over so many streams, in turn (1)", NULL, NULL, NULL },
	{ CLI_BYTES, 0, "frame-size", &cfg.load.size, 1, LOAD_SIZE_MOST,
	  "send: payload of a frame (a whole one, or a 400th of a second's bits)", NULL, NULL, NULL },
	{ CLI_WORD, 0, "rate-in", &cfg.bits, 0, 0,
	  "send: the rate is in bits of whole frames, or of their payload (frame)", bit_words, NULL, NULL },
	{ CLI_WORD, 0, "spacing", &cfg.spacing, 0, 0,
	  "send: frames at even distances, or at random ones (even)", spacing_words, NULL, NULL },
	{ CLI_NS, 0, "burst", &cfg.load.burst_ns, 1e3, 1e9,
	  "send: frames of so much time go together (500us, at least one frame)", NULL, NULL, NULL },
	{ CLI_NS, 0, "catch-up", &cfg.load.catch_up_ns, 0, 1e10, "send: what is later than this is given up (500ms)", NULL, NULL, NULL },
	{ CLI_INT, 0, "priority", &cfg.priority, 0, 98, "send: with this real-time priority, where allowed (0: none)", NULL, NULL, NULL },
	{ CLI_INT, 0, "seed", &cfg.load.seed, 0, 9e18, "send: of the random data (1)", NULL, NULL, NULL },
	{ CLI_INT, 0, "ready-fd", &cfg.ready_fd, 0, 1023, "write \"ready\" to this descriptor (2)", NULL, NULL, "FD" },
	REC_OPTIONS(out_cfg),
	CLI_FORMER_NAME(0, "size", "frame-size"),
	CLI_FORMER_NAME(0, "count-bits", "rate-in"),
	{ .type = CLI_END },
};

static void say_ready(void)
{
	proc_say_ready((int)cfg.ready_fd);
}

/* --- the end that receives ------------------------------------------------------------------------------------- */

static int run_serve(void)
{
	const char *at = cfg.bind ? cfg.bind : "127.0.0.1";
	struct served *total = serve_total();
	struct door_place place;
	struct rec *out;
	int64_t from;
	int listener, err;
	char why[256];

	if (door_find(at, (int)cfg.port, true, &place, why, sizeof(why)))
		die_usage("--bind %s: %s", at, why);
	out = rec_must_open(&out_cfg, "netload");
	listener = total ? door_listen(&place, false) : -ENOMEM;
	if (listener < 0)
		die(EXIT_RUN, "cannot listen at %s port %d: %s; another --port or --bind", at, door_port(&place), strerror(-listener));
	from = clock_now();
	say_ready();
	err = serve(listener, cfg.once, total);
	if (err)
		die(EXIT_RUN, "cannot go on: %s", strerror(-err));
	report_served(out, at, door_port(&place), cfg.once, total, (double)(clock_now() - from) / NS_PER_S);
	rec_must_close(out);
	return total->broken ? EXIT_LOSSY : EXIT_OK;
}

/* --- the end that sends ---------------------------------------------------------------------------------------- */

static void check_send(void)
{
	if (!cfg.rate_given)
		die_usage("which rate? --rate RATE, such as 5Mbit, or max");
	if (cli_given("serve: "))
		die_usage("--%s is of netload serve", cli_given("serve: "));
	if (cfg.load.udp && cfg.load.size && cfg.load.size < TALK_MARK)
		die_usage("--frame-size %d: a datagram of this needs at least %d", (int)cfg.load.size, TALK_MARK);
	cfg.load.payload_bits = cfg.bits == 1;
	cfg.load.random = cfg.spacing == 1;
	if (cfg.load.random && !cfg.load.rate)
		die_usage("--spacing random needs a rate");
}

/* What is to be said besides the report; the exit status. */
static int judge_trip(struct rec *rec, const struct trip *r, enum send_end end, bool heard)
{
	int status = EXIT_OK;

	if (!heard) {
		rec_warn(rec, "the server is gone%s: what it received is not known", end == SEND_BROKEN ? ", and so are the streams" : "");
		status = EXIT_LOSSY;
	} else if (end == SEND_SERVER) {
		rec_warn(rec, "the server ended the load early");
		status = EXIT_LOSSY;
	}
	if (end == SEND_BROKEN && heard) {
		rec_warn(rec, "a stream broke: %s%s", strerror(-r->push.err), r->push.err == -EMSGSIZE ? "; a smaller --frame-size" : "");
		status = EXIT_LOSSY;
	}
	if (!report_held(r) && r->own.sent_ns >= NS_PER_S / 2) {
		rec_warn(rec, "%.4g of %.4g Mbit/s went out%s", report_sent(r), report_offered(r),
			 r->load.udp ? ": this process got no CPU in time" :
			 ": the link or the server takes no more, or this process got no CPU");
		status = EXIT_LOSSY;
	}
	return end == SEND_SIGNAL && cfg.load.time_ns ? EXIT_INTERRUPTED : status;
}

static struct progress progress;

static void show_load_progress(const struct trip *r)
{
	if (progress_due(&progress, clock_now()))
		progress_show(&progress, "sending %s", say_bits((double)atomic_load(&r->push.bits_per_s)));
}

static double cpu_used(void)
{
	struct rusage used;

	getrusage(RUSAGE_SELF, &used);
	return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

static int run_send(const char *to)
{
	static struct trip r;	/* zeroed */
	struct rt_state rt;
	struct report_facts told = { .to = to, .rt = &rt };
	struct door_place place;
	enum send_end end;
	struct rec *out;
	char why[256];
	int err, status;

	check_send();
	if (door_find(to, 0, false, &place, why, sizeof(why)))
		die_usage("%s: %s", to, why);
	out = rec_must_open(&out_cfg, "netload");
	r.load = cfg.load;
	rt_setup((int)cfg.priority, &rt);
	munlockall();	/* an ordinary user may lock less than a thread's stack; what is sent is touched all the time anyway */
	rt.locked = false;
	if (cfg.priority && !rt.fifo)
		warn("--priority %d was refused: %s; going on without", (int)cfg.priority, strerror(rt.why));
	r.push.priority = rt.fifo;
	err = send_open(&r, &place, why, sizeof(why));
	if (err == -EINTR)
		return EXIT_INTERRUPTED;
	if (err)
		die(EXIT_RUN, "%s: %s%s", to, why, err == -ECONNREFUSED ? "; is netload serve running there, and bound to that address?" : "");
	told.cpu_s = -cpu_used();
	progress_start(&progress, out_cfg.detail == REC_QUIET);
	err = send_carry(&r, say_ready, show_load_progress, &end, &told.heard);
	progress_end(&progress);
	if (err)
		die(EXIT_RUN, "cannot start the load: %s", strerror(-err));
	told.cpu_s += cpu_used();
	told.stopped_by = send_end_words[end];
	report_send(out, &r, &told);
	status = judge_trip(out, &r, end, told.heard);
	rec_must_close(out);
	trip_free(&r);
	return status;
}

int main(int argc, char **argv)
{
	int first = cli_parse(argc, argv, "netload serve | send HOST:PORT --rate RATE [-t TIME] [options]",
			      "Network load at a rate, over TCP or UDP, and the end that receives it.", options);

	if (first == argc)
		die_usage("netload what? serve, or send HOST:PORT");
	proc_check_ready_fd((int)cfg.ready_fd);
	proc_stop_with_parent();
	proc_catch_stop();
	if (!strcmp(argv[first], "serve")) {
		if (first + 1 < argc)
			die_usage("unexpected word %s", argv[first + 1]);
		if (cli_given("send: "))	/* a server that was told --time must not run for ever */
			die_usage("--%s is of netload send", cli_given("send: "));
		return run_serve();
	}
	if (strcmp(argv[first], "send") != 0)
		die_usage("%s: serve, or send HOST:PORT", argv[first]);
	if (first + 1 == argc)
		die_usage("send to where? HOST:PORT");
	if (first + 2 < argc)
		die_usage("unexpected word %s", argv[first + 2]);
	return run_send(argv[first + 1]);
}
