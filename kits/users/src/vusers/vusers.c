// SPDX-License-Identifier: GPL-3.0-or-later
/* vusers - load generator: many virtual users of VNC or RDP servers or a web server; and a reference server with known queues.
 *
 * The event loop and its timing are in crowd.c; the protocols in by_vnc.c, by_rdp.c and by_http.c; the few users with full viewers
 * in watched.c; a thread in vlog.c writes rows and computes statistics. This file reads the options and runs the
 * reference server. */
#include "clock.h"
#include "confine.h"
#include "ends.h"
#include "merge.h"
#include "proc.h"
#include "users_report.h"
#include "serve.h"
#include "start.h"
#include "vlog.h"
#include "why.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const char *const ask_words[] = { "key", "move", NULL }, *const echo_words[] = { "next", "patch", NULL },
			 *const per_words[] = { "object", "page", NULL }, *const service_words[] = { "exp", "const", NULL };

static struct vusers_options cfg = { .users = 1,
				     .parallel = 1,
				     .think_ns = -1,
				     .timeout_ns = 10 * NS_PER_S,
				     .threshold_ns = 100 * NS_PER_MS,
				     .late_ns = 5 * NS_PER_MS,
				     .seed = 1,
				     .ready_fd = STDERR_FILENO,
				     .think_text = "exp",
				     .encodings = "zrle,hextile,copyrect,raw",
				     .screen = { 0, 0, 1024, 768 },
				     .size = 1000,
				     .width = 640 };

static int parse_think(const char *text, void *value)
{
	(void)value;
	cfg.think_text = text;
	return think_parse(text, &cfg.think, &cfg.think_file) ? -1 : 0;
}

static int parse_start_at(const char *text, void *value)
{
	return start_parse_time(text, value) ? 0 : -1;
}

static const char *to; /* TARGET; NULL: it is an operand */

static const struct cli_opt options[] = {
	{ CLI_STR, 0, "to", &to, .help = "the server, in the place of the operand TARGET", .meta = "TARGET" },
	{ CLI_INT, 'n', "users", &cfg.users, 1, 1000000, .help = "number of users (1)" },
	{ CLI_NS, 'z', "think-time", &cfg.think_ns, 0, 86400e9, .help = "mean think time of a user before a request" },
	{ CLI_CALL, 0, "think-dist", NULL, .help = "distribution of think times, or with --open of gaps between requests (exp)",
	  .call = parse_think, .meta = "exp|uniform|const|lognormal[:CV]|file:F" },
	{ CLI_REAL, 0, "users-per-second", &cfg.nz, 1e-6, 1e9, .help = "instead of -z: think time in seconds = users / RATIO",
	  .meta = "RATIO" },
	{ CLI_REAL, 0, "open", &cfg.rate, 1e-6, 1e6,
	  .help = "open loop: this many requests a second, answered or not (closed loop)", .meta = "RATE" },
	{ CLI_NS, 't', "time", &cfg.time_ns, 1e6, 30 * 86400e9, .help = "measure for this time (default: until a signal)" },
	{ CLI_CALL, 0, "start-at", &cfg.start_at_ns, .help = "begin at this time (when all users are connected)",
	  .call = parse_start_at, .meta = "TIME, such as 2030-01-31T12:00:00Z or @1895918400.5" },
	{ CLI_NS, 0, "ramp", &cfg.ramp_ns, 0, 86400e9, .help = "users start one by one over this time (0)" },
	{ CLI_NS, 0, "warmup", &cfg.skip_ns, 0, 86400e9, .help = "warm-up after the ramp, not measured (0)" },
	{ CLI_NS, 0, "timeout", &cfg.timeout_ns, 1e6, 3600e9, .help = "time limit for an answer, and for connecting (10s)" },
	{ CLI_NS, 0, "threshold", &cfg.threshold_ns, 1e3, 3600e9, .help = "report the share of responses above this (100ms)" },
	{ CLI_NS, 0, "lateness", &cfg.late_ns, 1e3, 60e9,
	  .help = "the run is invalid if 1 % of requests leave later than this (5ms)" },
	{ CLI_WORD, 0, "asks", &cfg.asks, .of = "vnc, rdp", .help = "users press keys, or move the pointer (key)",
	  .words = ask_words },
	{ CLI_WORD, 0, "echo", &cfg.echo, .of = "vnc, rdp",
	  .help = "the answer is the next update, or the next number in refecho's patch (next)", .words = echo_words },
	{ CLI_STR, 0, "encodings", &cfg.encodings, .of = "vnc",
	  .help = "encodings to request, best first (zrle,hextile,copyrect,raw)", .meta = "E,..." },
	{ CLI_FILE, 0, "password-file", &cfg.password_file, .of = "vnc, rdp",
	  .help = "file with the password, as text or (vnc) made by vncpasswd (none)" },
	{ CLI_FLAG, 0, "no-password", &cfg.no_password, .of = "rdp", .help = "the server asks for none" },
	{ CLI_STR, 0, "user", &cfg.user, .of = "rdp",
	  .help = "log in as this user (USER of rdp:USER@HOST, else $USER); % is the user's number, from 0",
	  .meta = "[DOMAIN\\]NAME" },
	{ CLI_CALL, 0, "size", &cfg.screen, .of = "rdp", .help = "ask for a screen of this size (1024x768)", .call = area_read_size,
	  .meta = "WxH" },
	{ CLI_FILE, 0, "known-servers", &cfg.known_servers, .of = "rdp",
	  .help = "known certificates, \"HOST:PORT FINGERPRINT\" a line (~/.local/state/thinprobe/known-rdp-servers)" },
	{ CLI_FLAG, 0, "cert-ignore", &cfg.cert_ignore, .of = "rdp", .help = "accept any certificate" },
	{ CLI_INT, 0, "watched", &cfg.watched, 0, VLOG_WATCHED_MOST, .of = "vnc, rdp",
	  .help = "number of users who decode all pixels, reported separately (0)" },
	{ CLI_FILE, 0, "workload", &cfg.workload, .of = "http", .help = "file of pages and their objects (the page of the URL)" },
	{ CLI_WORD, 0, "per", &cfg.per, .of = "http", .help = "users think before each object, or each page (object)",
	  .words = per_words },
	{ CLI_INT, 0, "parallel", &cfg.parallel, 1, 64, .of = "http",
	  .help = "with --per page: fetch this many objects at once (1)" },
	{ CLI_FILE, 0, "log", &cfg.log, .help = "write a row for each request" },
	{ CLI_FILE, 0, "jtl", &cfg.jtl, .help = "write a row of JMeter's columns for each request" },
	{ CLI_STR, 0, "stations", &cfg.stations, .of = "serve", .help = "mean service times of queueing stations in series (none)",
	  .meta = "TIME,..." },
	{ CLI_WORD, 0, "service", &cfg.service, .of = "serve", .help = "distribution of service times (exp)",
	  .words = service_words },
	{ CLI_STR, 0, "freeze", &cfg.pause, .of = "serve", .help = "stall once for TIME, AT after the first request (never)",
	  .meta = "AT,TIME" },
	{ CLI_BYTES, 0, "body", &cfg.size, 0, 1 << 30, .of = "serve", .help = "bytes in the body of an HTTP response (1000)" },
	{ CLI_INT, 0, "width", &cfg.width, 16, 4096, .of = "serve",
	  .help = "width of the VNC desktop in pixels, 4/3 of its height (640)" },
	{ CLI_INT, 0, "priority", &cfg.priority, 0, 98, .help = "real-time priority, if permitted (0: none)" },
	{ CLI_INT, 0, "seed", &cfg.seed, 0, 9e15, .help = "seed of the random numbers (1)" },
	{ CLI_INT, 0, "ready-fd", &cfg.ready_fd, 0, 1023, .help = "write \"ready\" to this descriptor (2)", .meta = "FD" },
	CONFINE_OPTIONS(cfg.sandbox),
	REC_OPTIONS(cfg.out),
	{ .type = CLI_END },
};

static void parse_freeze(struct serve_cfg *s)
{
	char at[32];
	size_t n = strcspn(cfg.pause, ",");

	if (n < sizeof(at) && cfg.pause[n]) {
		memcpy(at, cfg.pause, n);
		at[n] = '\0';
		if (!cli_parse_ns(at, &s->pause_at_ns) && !cli_parse_ns(cfg.pause + n + 1, &s->pause_ns) && s->pause_at_ns >= 0 &&
		    s->pause_ns >= 0)
			return;
	}
	die_usage("--freeze %s: not two times such as 5s,1s", cfg.pause);
}

static int run_server(const char *text)
{
	static struct target target;
	struct serve_cfg s = { .at = &target, .size = cfg.size, .width = cfg.width, .height = cfg.width * 3 / 4 };
	struct serve_sums sums = { 0 };
	struct why why;
	struct rec_report *out;
	struct rlimit files;
	int fd, err;

	if (target_parse(text, &target, &why))
		die_usage("%s: %s", text, why.text);
	if (target.rdp)
		die_usage("%s: serves VNC and HTTP only", text);
	if (cfg.stations && stations_parse(cfg.stations, &s.stations))
		die_usage("--stations %s: not up to %d times such as 50ms,40ms,30ms", cfg.stations, STATIONS_MOST);
	s.stations.exponential = !cfg.service;
	s.stations.random = (uint64_t)cfg.seed;
	if (cfg.pause)
		parse_freeze(&s);
	out = rec_must_open(&cfg.out, "vusers");
	ends_ask_priority(&cfg, why.text, sizeof(why.text));
	if (!getrlimit(RLIMIT_NOFILE, &files)) { /* each client takes a descriptor */
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	fd = serve_listen(&target);
	if (fd < 0)
		die(EXIT_RUN, "cannot listen at %s: %s; choose another port", text, strerror(-fd));
	confine_must_apply(&(struct confine_cfg){ .profile = CONFINE_DECODE, .mode = cfg.sandbox, .files = { cfg.out.path } });
	proc_tell_ready((int)cfg.ready_fd);
	err = serve_clients(fd, &s, &sums);
	if (err)
		die(EXIT_RUN, "cannot wait for events: %s", strerror(-err));
	report_server(out, text, &s, &sums);
	rec_must_close(out);
	sample_free(&sums.inside);
	sample_free(&sums.late);
	close(fd);
	return EXIT_OK;
}

int main(int argc, char **argv)
{
	bool server;
	int first =
		cli_parse(argc, argv, "vusers TARGET -n USERS -z TIME [options] | serve TARGET [options] | merge REPORT LOG ...",
			  "Emulates many users of a VNC, RDP or web server; serve: a reference server with known queues.", options);

	if (!to && first == argc)
		die_usage("users of what? vnc:HOST:PORT, rdp:HOST:PORT or http://HOST:PORT/");
	if (!to && !strcmp(argv[first], "merge"))
		return merge_reports(argv + first + 1, argc - first - 1, cfg.log, &cfg.out);
	server = !to && !strcmp(argv[first], "serve");
	first += server;
	if (!to && first == argc)
		die_usage("serve where? vnc:HOST:PORT or http://HOST:PORT/");
	cli_refuse_operands(argc, argv, first + !to);
	proc_require_ready_fd((int)cfg.ready_fd);
	proc_set_parent_death_term();
	proc_catch_stop();
	return server ? run_server(argv[first]) : ends_run_users(&cfg, to ? to : argv[first]);
}
