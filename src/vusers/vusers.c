/* vusers - many virtual users in one process, of VNC servers or of a web server; and a server of known queues to hold them against.
 *
 * The loop that keeps the times is crowd.c's; what users say to a server by_vnc.c's and by_http.c's; rows and statistics are made in a thread of
 * their own (vlog.c). This file reads options, runs one of the two ends, and ends. */
#include "by_http.h"
#include "by_vnc.h"
#include "clock.h"
#include "proc.h"
#include "report.h"
#include "rt.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define SPARE_DESCRIPTORS 64	/* besides users' connections */
#define EXPECTED_MOST 2000000	/* requests for which room is made before */

enum echo { ECHO_NEXT, ECHO_PATCH };
enum per { PER_OBJECT, PER_PAGE };
static const char *const ask_words[] = { "key", "move", NULL }, *const echo_words[] = { "next", "patch", NULL }, *const per_words[] = { "object", "page", NULL },
		  *const service_words[] = { "exp", "const", NULL };

static struct {
	int64_t users, think_ns, ramp_ns, time_ns, skip_ns, timeout_ns, late_ns, seed, ready_fd, priority, size, width;
	double rate, nz;
	const char *think_text, *log, *jtl, *workload, *encodings, *stations, *pause;
	int asks, echo, per, service;
} cfg = { .users = 1, .think_ns = -1, .timeout_ns = 10 * NS_PER_S, .late_ns = 5 * NS_PER_MS, .seed = 1, .ready_fd = STDERR_FILENO, .think_text = "exp",
	  .encodings = "zrle,hextile,copyrect,raw", .size = 1000, .width = 640 };
static struct rec_cfg out_cfg;

static struct think think;
static const char *think_file;

static int read_think(const char *text, void *value)
{
	(void)value;
	cfg.think_text = text;
	return think_parse(text, &think, &think_file) ? -1 : 0;
}

static const struct cli_opt options[] = {
	{ CLI_INT, 'n', "users", &cfg.users, 1, 1000000, "so many users (1)", NULL, NULL, NULL },
	{ CLI_NS, 'z', "think-time", &cfg.think_ns, 0, 86400e9, "mean time that a user thinks before a request", NULL, NULL, NULL },
	{ CLI_CALL, 0, "think", NULL, 0, 0, "how think times vary; with --open the gaps between requests (exp)", NULL, read_think,
	  "exp|uniform|const|lognormal[:CV]|file:F" },
	{ CLI_REAL, 0, "nz", &cfg.nz, 1e-6, 1e9, "users by think time, a second: the think time follows the number of users", NULL, NULL, "RATIO" },
	{ CLI_REAL, 0, "open", &cfg.rate, 1e-6, 1e6, "so many requests a second, whatever becomes of those before (closed loop)", NULL, NULL, "RATE" },
	{ CLI_NS, 't', "time", &cfg.time_ns, 1e6, 30 * 86400e9, "measure for so long (until told to stop)", NULL, NULL, NULL },
	{ CLI_NS, 0, "ramp", &cfg.ramp_ns, 0, 86400e9, "users begin one after the other over this time, before (0)", NULL, NULL, NULL },
	{ CLI_NS, 0, "skip", &cfg.skip_ns, 0, 86400e9, "after that, leave out so much (0)", NULL, NULL, NULL },
	{ CLI_NS, 0, "timeout", &cfg.timeout_ns, 1e6, 3600e9, "an answer that takes longer is none; also to connect (10s)", NULL, NULL, NULL },
	{ CLI_NS, 0, "late", &cfg.late_ns, 1e3, 60e9, "a run in which 1 % of requests left later than this is not valid (5ms)", NULL, NULL, NULL },
	{ CLI_WORD, 0, "asks", &cfg.asks, 0, 0, "vnc: users press keys, or move the pointer (key)", ask_words, NULL, NULL },
	{ CLI_WORD, 0, "echo", &cfg.echo, 0, 0, "vnc: what answers: the next update, or refecho's patch with the next number (next)", echo_words, NULL, NULL },
	{ CLI_STR, 0, "encodings", &cfg.encodings, 0, 0, "vnc: those asked for, the best first (zrle,hextile,copyrect,raw)", NULL, NULL, "E,..." },
	{ CLI_STR, 0, "workload", &cfg.workload, 0, 0, "http: pages and their objects (the one of the URL)", NULL, NULL, "FILE" },
	{ CLI_WORD, 0, "per", &cfg.per, 0, 0, "http: users think before each object, or each page (object)", per_words, NULL, NULL },
	{ CLI_STR, 0, "log", &cfg.log, 0, 0, "write a row for each request to this file", NULL, NULL, "FILE" },
	{ CLI_STR, 0, "jtl", &cfg.jtl, 0, 0, "write JMeter's columns for each request to this file", NULL, NULL, "FILE" },
	{ CLI_STR, 0, "stations", &cfg.stations, 0, 0, "serve: mean service times of the stations that a request passes (none)", NULL, NULL, "TIME,..." },
	{ CLI_WORD, 0, "service", &cfg.service, 0, 0, "serve: how these vary (exp)", service_words, NULL, NULL },
	{ CLI_STR, 0, "pause", &cfg.pause, 0, 0, "serve: stand still once, AT after the first request, for so long (never)", NULL, NULL, "AT,TIME" },
	{ CLI_BYTES, 0, "size", &cfg.size, 0, 1 << 30, "serve: of an HTTP answer's body (1000)", NULL, NULL, NULL },
	{ CLI_INT, 0, "width", &cfg.width, 16, 4096, "serve: pixels of the VNC desktop, which is 3/4 as high (640)", NULL, NULL, NULL },
	{ CLI_INT, 0, "priority", &cfg.priority, 0, 98, "with this real-time priority, where allowed (0: none)", NULL, NULL, NULL },
	{ CLI_INT, 0, "seed", &cfg.seed, 0, 9e15, "of all that is random (1)", NULL, NULL, NULL },
	{ CLI_INT, 0, "ready-fd", &cfg.ready_fd, 0, 1023, "write \"ready\" to this descriptor (2)", NULL, NULL, "FD" },
	REC_OPTIONS(out_cfg),
	{ .type = CLI_END },
};

static void say_ready(void)
{
	int err = proc_ready((int)cfg.ready_fd);

	if (err && cfg.ready_fd != STDERR_FILENO)
		warn("nobody reads \"ready\" on descriptor %d: %s", (int)cfg.ready_fd, strerror(-err));
}

static struct rec *open_report(void)
{
	struct rec *out = rec_open(&out_cfg, "vusers");

	if (!out)
		die(EXIT_RUN, "cannot write %s: %m", out_cfg.path);
	return out;
}

static void close_report(struct rec *out)
{
	int err = rec_close(out);

	if (err)
		die(EXIT_RUN, "cannot write the report: %s", strerror(-err));
}

static void be_punctual(char *text, size_t size)
{
	struct rt_state got;

	rt_setup((int)cfg.priority, &got);
	munlockall();	/* thousands of users are more than most may lock */
	got.locked = false;
	if (cfg.priority && !got.fifo)
		warn("--priority %d was refused: %s; going on without", (int)cfg.priority, strerror(got.why));
	rt_describe(&got, text, size);
}

/* --- the server ---------------------------------------------------------------------------------------------------- */

static void read_pause(struct serve_cfg *s)
{
	char at[32];
	size_t n = strcspn(cfg.pause, ",");

	if (n < sizeof(at) && cfg.pause[n]) {
		memcpy(at, cfg.pause, n);
		at[n] = '\0';
		if (!cli_read_ns(at, &s->pause_at_ns) && !cli_read_ns(cfg.pause + n + 1, &s->pause_ns) && s->pause_at_ns >= 0 && s->pause_ns >= 0)
			return;
	}
	die_usage("--pause %s: not two times such as 5s,1s", cfg.pause);
}

static int run_serve(const char *text)
{
	static struct target target;
	struct serve_cfg s = { .at = &target, .size = cfg.size, .width = cfg.width, .height = cfg.width * 3 / 4 };
	struct serve_sums sums = { 0 };
	char why[256];
	struct rec *out;
	int fd, err;

	if (target_parse(text, &target, why, sizeof(why)))
		die_usage("%s: %s", text, why);
	if (cfg.stations && stations_parse(cfg.stations, &s.stations))
		die_usage("--stations %s: not up to %d times such as 50ms,40ms,30ms", cfg.stations, STATIONS_MOST);
	s.stations.exponential = !cfg.service;
	s.stations.random = (uint64_t)cfg.seed;
	if (cfg.pause)
		read_pause(&s);
	out = open_report();
	be_punctual(why, sizeof(why));
	fd = serve_listen(&target);
	if (fd < 0)
		die(EXIT_RUN, "cannot listen at %s: %s; another port", text, strerror(-fd));
	say_ready();
	err = serve(fd, &s, &sums);
	if (err)
		die(EXIT_RUN, "cannot go on: %s", strerror(-err));
	report_serve(out, text, &s, &sums);
	close_report(out);
	sample_free(&sums.inside);
	sample_free(&sums.late);
	close(fd);
	return EXIT_OK;
}

/* --- users --------------------------------------------------------------------------------------------------------- */

/* What a user's connection takes. More than the hard limit only root may have. */
static int64_t get_descriptors(int64_t want)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		die(EXIT_RUN, "cannot tell how many descriptors there may be: %m");
	if (limit.rlim_cur < (rlim_t)want) {
		limit.rlim_cur = (rlim_t)want;
		limit.rlim_max = limit.rlim_max < (rlim_t)want ? (rlim_t)want : limit.rlim_max;
		if (setrlimit(RLIMIT_NOFILE, &limit))
			die(EXIT_MISSING, "%lld users need %lld descriptors, and this process may not have so many; before it, as root: ulimit -n %lld", (long long)cfg.users, (long long)want,
			    (long long)want);
		getrlimit(RLIMIT_NOFILE, &limit);
	}
	return limit.rlim_cur == RLIM_INFINITY ? -1 : (int64_t)limit.rlim_cur;
}

static void read_think_file(void)
{
	unsigned long line;
	FILE *f = fopen(think_file, "re");
	int err = f ? think_read(f, &think, &line) : -errno;

	if (err == -EPROTO)
		die(EXIT_USAGE, "%s: line %lu is not a time in seconds", think_file, line);
	if (err)
		die(EXIT_USAGE, "%s: %s", think_file, err == -ENODATA ? "there is no time in it" : strerror(-err));
	fclose(f);
}

static void choose_think(struct crowd_cfg *c)
{
	if (think_file)
		read_think_file();
	if ((cfg.rate > 0) + (cfg.nz > 0) + (cfg.think_ns >= 0) > 1)
		die_usage("one of --think-time, --nz and --open");
	if (cfg.rate > 0)
		think_set_mean(&think, 1e9 / cfg.rate);
	else if (cfg.nz > 0)
		think_set_mean(&think, 1e9 * (double)cfg.users / cfg.nz);
	else if (cfg.think_ns >= 0)
		think_set_mean(&think, (double)cfg.think_ns);
	else if (!think_file)
		die_usage("how long do users think? --think-time TIME, --nz RATIO, or --open RATE");
	c->think = think;
	c->open = cfg.rate > 0;
	if (c->open && !(think.mean_ns > 0))
		die_usage("--open with gaps of no length");
}

static void read_workload(struct workload *w, const struct target *t)
{
	unsigned long line = 0;
	const char *why = NULL;
	FILE *f;
	int err;

	if (!cfg.workload) {
		if (workload_one(w, t->path))
			die_usage("%s: a path without blanks", t->path);
		return;
	}
	f = fopen(cfg.workload, "re");
	err = f ? workload_read(f, w, &line, &why) : -errno;
	if (why)
		die(EXIT_USAGE, "%s: line %lu: %s", cfg.workload, line, why);
	if (err)
		die(EXIT_USAGE, "%s: %s", cfg.workload, err == -ENODATA ? "there is no object in it" : strerror(-err));
	fclose(f);
	if (strcmp(t->path, "/") != 0)
		die_usage("%s: with --workload the paths are those of the file", t->path);
}

static void check(const struct target *t, const char *text)
{
	if (cli_given("serve: "))
		die_usage("--%s is of vusers serve", cli_given("serve: "));
	if (t->http && cli_given("vnc: "))
		die_usage("--%s is of users of VNC, and %s is none", cli_given("vnc: "), text);
	if (!t->http && cli_given("http: "))
		die_usage("--%s is of users of a web server, and %s is none", cli_given("http: "), text);
	if (!strcmp(cfg.encodings, "raw") || cfg.echo != ECHO_PATCH)
		return;
	cfg.encodings = "raw";	/* the number is read from pixels as they are */
}

static int64_t expected(const struct crowd_cfg *c)
{
	double per_s = c->open ? cfg.rate : c->think.mean_ns > 0 ? 1e9 * (double)c->users / c->think.mean_ns : 1e5, n = c->time_ns ? per_s * (double)c->time_ns / 1e9 * 1.1 : EXPECTED_MOST;

	return n < EXPECTED_MOST ? (int64_t)n : EXPECTED_MOST;
}

/* What is to be said besides the report; the exit status. */
static int judge(const struct crowd *c, struct vlog_sums *s, int log_err)
{
	int64_t lost = s->ended[VLOG_ERROR] + s->ended[VLOG_TIMEOUT] + s->ended[VLOG_CUT];
	char text[160];
	const char *why = report_why_invalid(c, s, cfg.late_ns, text, sizeof(text));

	if (why)
		warn("not valid: %s", why);
	if (log_err)
		warn("the log is not whole: %s", strerror(-log_err));
	if (lost && !c->sums.stopped)
		warn("%lld requests failed (%lld answered with an error or broken off, %lld timed out, %lld not answered by the end)%s%s", (long long)lost, (long long)s->ended[VLOG_ERROR],
		     (long long)s->ended[VLOG_TIMEOUT], (long long)s->ended[VLOG_CUT], *c->sums.last_why ? "; the last: " : "", c->sums.last_why);
	if (c->sums.stopped && c->cfg.time_ns)
		return EXIT_INTERRUPTED;
	return (lost && !c->sums.stopped) || log_err || s->lost || c->sums.users_ready < c->cfg.users ? EXIT_LOSSY : EXIT_OK;
}

/* How far one port's 28,000 connections to one address go is the kernel's. */
static void could_not(const struct crowd *c, const char *text, int err)
{
	die(EXIT_RUN, "%s: %s%s", text, *c->sums.last_why ? c->sums.last_why : err == -ETIMEDOUT ? "no answer" : strerror(-err), err == -EADDRNOTAVAIL ? "; more ports for so many users (vnc:HOST:PORT-PORT)" : "");
}

/* What all users share; too large for a stack. */
static struct {
	struct target target;
	struct workload workload;
	struct crowd crowd;
	struct by_vnc *vnc;
	struct by_http *http;
	int32_t encodings[BY_VNC_ENCODINGS];
	int n_encodings;
	const char *names[WORKLOAD_OBJECTS], *paths[WORKLOAD_OBJECTS];
	char punctual[96];
} run;

static void describe_http(struct report_what *what, struct vlog_cfg *log)
{
	read_workload(&run.workload, &run.target);
	for (int i = 0; i < run.workload.objects; i++) {
		run.names[i] = run.workload.object[i].name;
		run.paths[i] = run.workload.object[i].path;
	}
	log->label = run.names;
	log->path = run.paths;
	log->url = run.target.origin;
	what->kind = "http";
	what->workload = cfg.workload ? cfg.workload : "the page of the URL";
	what->objects_per_page = workload_objects_per_page(&run.workload);
	what->whole_pages = cfg.per == PER_PAGE;
	what->library = by_http_library();
}

static void describe_vnc(struct report_what *what)
{
	if (by_vnc_encodings(cfg.encodings, run.encodings, &run.n_encodings))
		die_usage("--encodings %s: of zrle, hextile, copyrect and raw, each once", cfg.encodings);
	what->kind = "vnc";
	what->asks = ask_words[cfg.asks];
	what->echo = cfg.echo == ECHO_PATCH ? "the patch with the next number" : "the next update: an assumption, unless each user's keys are all that changes its screen";
	what->encodings = cfg.encodings;
}

static void open_crowd(void)
{
	struct by_vnc_cfg vnc = { .target = &run.target, .move = cfg.asks, .patch = cfg.echo == ECHO_PATCH, .rfb = { run.encodings, run.n_encodings } };
	struct by_http_cfg http = { &run.target, &run.workload, cfg.per == PER_PAGE, (uint64_t)cfg.seed };
	struct crowd *c = &run.crowd;
	int err = crowd_open(c);

	if (!err && run.target.http)
		c->self = run.http = by_http_open(&http, c);
	else if (!err)
		c->self = run.vnc = by_vnc_open(&vnc, c);
	if (err || !c->self)
		die(EXIT_RUN, "out of memory for %lld users", (long long)cfg.users);
	c->kind = run.target.http ? &by_http_kind : &by_vnc_kind;
}

static void close_crowd(void)
{
	if (run.http)
		by_http_close(run.http);
	if (run.vnc)
		by_vnc_close(run.vnc);
	crowd_close(&run.crowd);
	workload_free(&run.workload);
	think_free(&think);
}

static int run_users(const char *text)
{
	struct vlog_cfg log_cfg = { .tsv = cfg.log, .jtl = cfg.jtl, .label = by_vnc_labels, .url = text, .users = cfg.users };
	struct report_what what = { .target = text, .rate = cfg.rate > 0 ? cfg.rate : (double)NAN, .nz = cfg.nz > 0 ? cfg.nz : (double)NAN, .objects_per_page = NAN, .late_limit_ns = cfg.late_ns,
				    .connections = -1, .think_text = cfg.think_text, .punctual_by = run.punctual };
	struct crowd *c = &run.crowd;
	struct vlog_sums sums;
	struct vlog *log;
	char why[256];
	const char *wrong;
	struct rec *out;
	bool early;
	int err, status;

	if (target_parse(text, &run.target, why, sizeof(why)))
		die_usage("%s: %s", text, why);
	check(&run.target, text);
	c->cfg = (struct crowd_cfg){ .users = cfg.users, .ramp_ns = cfg.ramp_ns, .skip_ns = cfg.skip_ns, .time_ns = cfg.time_ns, .timeout_ns = cfg.timeout_ns, .seed = (uint64_t)cfg.seed };
	choose_think(&c->cfg);
	rec_check_apart((const struct rec_place[]){ { "output", out_cfg.path }, { "log", cfg.log }, { "jtl", cfg.jtl } }, 3);
	if (run.target.http)
		describe_http(&what, &log_cfg);
	else
		describe_vnc(&what);
	what.descriptors = cfg.users + SPARE_DESCRIPTORS;
	what.descriptors_most = get_descriptors(what.descriptors);
	log_cfg.expect = expected(&c->cfg);
	out = open_report();
	log = vlog_open(&log_cfg, &wrong);
	if (!log)
		die(EXIT_RUN, "cannot write %s: %m", wrong);
	be_punctual(run.punctual, sizeof(run.punctual));
	open_crowd();
	err = crowd_gather(c);
	if (err && err != -EINTR)
		could_not(c, text, err);
	early = err == -EINTR;	/* before all were there: a report of nothing, but one */
	if (early) {
		c->sums.stopped = true;
		err = 0;
	} else {
		say_ready();
		err = crowd_run(c, log);
	}
	if (err)
		die(EXIT_RUN, "cannot go on: %s", strerror(-err));
	err = vlog_close(log, &sums);
	what.process_cpu_ns = clock_process_cpu();
	what.bytes = run.http ? by_http_bytes(run.http) : by_vnc_bytes(run.vnc);
	what.connections = run.http ? by_http_connections(run.http) : -1;
	report_users(out, c, &sums, &what);
	close_report(out);
	status = judge(c, &sums, err);
	if (early)
		status = EXIT_INTERRUPTED;
	close_crowd();
	vlog_free_sums(&sums);
	return status;
}

int main(int argc, char **argv)
{
	bool server;
	int first = cli_parse(argc, argv, "vusers TARGET -n USERS -z TIME [options] | serve TARGET [options]", "Many users of a VNC or web server in one process; and a server of known queues.", options);

	if (first == argc)
		die_usage("users of what? vnc:HOST:PORT or http://HOST:PORT/");
	server = !strcmp(argv[first], "serve");
	first += server;
	if (first == argc)
		die_usage("serve where? vnc:HOST:PORT or http://HOST:PORT/");
	if (first + 1 < argc)
		die_usage("unexpected word %s", argv[first + 1]);
	proc_check_ready_fd((int)cfg.ready_fd);
	proc_stop_with_parent();
	proc_catch_stop();
	return server ? run_serve(argv[first]) : run_users(argv[first]);
}
