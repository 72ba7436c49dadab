// SPDX-License-Identifier: GPL-3.0-or-later
/* The load generator: sets up the users (crowd.c) and the watched users (watched.c), runs them and reports. */
#include "clock.h"
#include "confine.h"
#include "ends.h"
#include "memory.h"
#include "proc.h"
#include "protocols.h"
#include "users_report.h"
#include "rt.h"
#include "say.h"
#include "start.h"
#include "rdp/server.h"
#include "rfb/messages.h"
#include "viewer.h"
#include "vnc_password.h"
#include "watched.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define SPARE_DESCRIPTORS 64  /* besides users' connections */
#define VIEWER_THREADS 2      /* of a viewer's process, at least: a library may start more */
#define EXPECTED_MOST 2000000 /* requests for which memory is allocated before the run */

/* What all users share; too large for a stack. */
static struct {
	struct target target;
	struct workload workload;
	struct http_users_cfg fetch; /* how users fetch it */
	struct crowd crowd;
	struct vnc_users *vnc;
	struct rdp_users *rdp;
	struct rdp_viewer_cfg how; /* how they connect */
	struct http_users *http;
	struct watched_users *watch;
	struct viewer **viewer; /* of the watched users, and of all of RDP */
	int64_t viewers;
	int32_t encodings[MESSAGES_ENCODINGS];
	int n_encodings;
	char words[64]; /* the encodings as text, separated by blanks, as libvncclient takes them */
	char password[512], library[VIEWER_SERVER + 80];
	const char *names[WORKLOAD_OBJECTS], *paths[WORKLOAD_OBJECTS];
	char punctual[96], start[START_TEXT];
} run;

void ends_ask_priority(const struct vusers_options *cfg, char *text, size_t size)
{
	struct rt_granted got;

	rt_setup((int)cfg->priority, &got);
	munlockall(); /* memory of thousands of users exceeds the usual limit on locked memory */
	got.locked = false;
	if (cfg->priority && !got.fifo)
		warn("--priority %d was refused: %s; going on without", (int)cfg->priority, strerror(got.why));
	rt_describe(&got, text, size);
}

/* --- options --------------------------------------------------------------------------------------------- */

/* Raises a limit of the kernel on `what`, which ulimit calls `option`, to `want`. Returns the limit (-1: none). Only root may
 * exceed the hard limit. */
static int64_t raise_limit(const struct vusers_options *cfg, __rlimit_resource_t limited, const char *what, char option,
			   int64_t want)
{
	struct rlimit limit;

	if (getrlimit(limited, &limit))
		die(EXIT_RUN, "cannot read the limit on %s: %m", what);
	if (limit.rlim_cur < (rlim_t)want) {
		limit.rlim_cur = (rlim_t)want;
		limit.rlim_max = limit.rlim_max < (rlim_t)want ? (rlim_t)want : limit.rlim_max;
		if (setrlimit(limited, &limit))
			die(EXIT_MISSING, "%lld users need %lld %s, which is over the limit; raise it as root: ulimit -%c %lld",
			    (long long)cfg->users, (long long)want, what, option, (long long)want);
		getrlimit(limited, &limit);
	}
	return limit.rlim_cur == RLIM_INFINITY ? -1 : (int64_t)limit.rlim_cur;
}

/* Processes and their threads that this user has: the kernel counts both. */
static int64_t count_own_threads(void)
{
	DIR *all = opendir("/proc");
	struct proc_stat is;
	struct stat of;
	int64_t n = 0;

	for (struct dirent *e; all && (e = readdir(all));)
		if (*e->d_name >= '1' && *e->d_name <= '9' && !fstatat(dirfd(all), e->d_name, &of, 0) && of.st_uid == getuid() &&
		    !proc_read_stat(atoi(e->d_name), &is))
			n += is.threads;
	if (all)
		closedir(all);
	return n;
}

/* Users that have a process of their own. */
static int64_t count_viewers(const struct vusers_options *cfg)
{
	return run.target.rdp ? cfg->users : cfg->watched;
}

/* Dies if there may not be so many processes. (The kernel lets root have any number.) */
static void require_processes(const struct vusers_options *cfg)
{
	int64_t own = count_own_threads();
	char what[96];

	if (!count_viewers(cfg) || !getuid())
		return;
	snprintf(what, sizeof(what), "processes and threads, with the %lld that this account has", (long long)own);
	raise_limit(cfg, RLIMIT_NPROC, what, 'u', own + count_viewers(cfg) * VIEWER_THREADS);
}

static void read_think_file(struct vusers_options *cfg)
{
	unsigned long line;
	FILE *f = fopen(cfg->think_file, "re");
	int err = f ? think_read_values(f, &cfg->think, &line) : -errno;

	if (err == -EPROTO)
		die(EXIT_USAGE, "%s: line %lu is not a time in seconds", cfg->think_file, line);
	if (err)
		die(EXIT_USAGE, "%s: %s", cfg->think_file, err == -ENODATA ? "the file has no time in it" : strerror(-err));
	fclose(f);
}

/* Sets the mean think time of one user; in the open loop the mean gap between the requests of all users. */
static void set_think_mean(struct vusers_options *cfg)
{
	if (cfg->think_file)
		read_think_file(cfg);
	if ((cfg->rate > 0) + (cfg->nz > 0) + (cfg->think_ns >= 0) > 1)
		die_usage("give only one of --think-time, --users-per-second and --open");
	if (cfg->rate > 0)
		think_set_mean(&cfg->think, 1e9 / cfg->rate);
	else if (cfg->nz > 0)
		think_set_mean(&cfg->think, 1e9 * (double)cfg->users / cfg->nz);
	else if (cfg->think_ns >= 0)
		think_set_mean(&cfg->think, (double)cfg->think_ns);
	else if (!cfg->think_file)
		die_usage("no think time is given: --think-time TIME, --users-per-second RATIO, or --open RATE");
	if (cfg->rate > 0 && !(cfg->think.mean_ns > 0))
		die_usage("--open: the mean gap between requests is 0; give a lower rate");
}

static void read_workload(const struct vusers_options *cfg, struct workload *w, const struct target *t)
{
	unsigned long line = 0;
	const char *why = NULL;
	FILE *f;
	int err;

	if (!cfg->workload) {
		if (workload_make_one(w, t->path))
			die_usage("%s: the path of the URL is too long or contains blanks", t->path);
		return;
	}
	f = fopen(cfg->workload, "re");
	err = f ? workload_read(f, w, &line, &why) : -errno;
	if (why)
		die(EXIT_USAGE, "%s: line %lu: %s", cfg->workload, line, why);
	if (err)
		die(EXIT_USAGE, "%s: %s", cfg->workload, err == -ENODATA ? "the file has no object in it" : strerror(-err));
	fclose(f);
	if (strcmp(t->path, "/") != 0)
		die_usage("%s: with --workload the paths come from the file; leave the path out", t->path);
}

/* Dies if --start-at is not in the future. Connecting all users takes a while; a time in the past is most often one of another day
 * or zone. */
static void require_future_start(const struct vusers_options *cfg)
{
	struct wall_reading offset;
	char now[START_TEXT];
	int64_t wall;

	clock_read_wall(&offset);
	wall = clock_now() + offset.offset_ns;
	start_format_time(wall, now);
	if (cfg->start_at_ns && cfg->start_at_ns <= wall)
		die_usage("--start-at: that was %s ago (now: %s); give a later time, such as @%lld for in 10 s",
			  ns_text((double)(wall - cfg->start_at_ns)), now, (long long)(wall / NS_PER_S + 10));
}

static void check_options(struct vusers_options *cfg, const struct target *t, const char *text)
{
	const struct cli_opt *other = cli_foreign_option(t->http ? "http" : t->rdp ? "rdp" : "vnc");

	if (other && !strcmp(other->of, "serve"))
		die_usage("--%s is an option of vusers serve", other->name);
	if (other)
		die_usage("--%s is for %s servers, and %s is none", other->name,
			  !strcmp(other->of, "http")  ? "web"
			  : !strcmp(other->of, "rdp") ? "RDP"
						      : "VNC",
			  text);
	if (cfg->watched > cfg->users)
		die_usage("--watched %lld: there are %lld users", (long long)cfg->watched, (long long)cfg->users);
	if (cfg->echo == ECHO_PATCH && !t->rdp)
		cfg->encodings = "raw"; /* the patch is read from raw pixels */
}

/* An estimate of the requests in the measuring window. */
static int64_t expected_requests(const struct vusers_options *cfg)
{
	double mean = cfg->think.mean_ns, per_s = cfg->rate > 0 ? cfg->rate : mean > 0 ? 1e9 * (double)cfg->users / mean : 1e5;
	double n = cfg->time_ns ? per_s * (double)cfg->time_ns / 1e9 * 1.1 : EXPECTED_MOST;

	return n < EXPECTED_MOST ? (int64_t)n : EXPECTED_MOST;
}

/* Dies because no user could connect. EADDRNOTAVAIL: the kernel allows about 28,000 connections to one address and port. */
static void die_not_connected(const struct crowd *c, const char *text, int err)
{
	die(EXIT_RUN, "%s: %s%s", text,
	    *c->sums.last_why	? c->sums.last_why
	    : err == -ETIMEDOUT ? "no answer"
				: strerror(-err),
	    err == -EADDRNOTAVAIL ? "; give several ports for so many users (vnc:HOST:PORT-PORT)" : "");
}

#define UNASKED_MOST 0.05 /* updates that no request awaited, per answer: with more, other things change the screens */

/* Why counted answers may be those of another user, or no answers at all, as a line in `text`; NULL: no sign of that. */
static const char *unsure_text(const struct vusers_options *cfg, const struct vlog_sums *s, const struct report_facts *what,
			       char *text, size_t size)
{
	int64_t unasked = run.crowd.sums.unasked, answers = s->users.ended[VLOG_OK] + s->watched.ended[VLOG_OK];

	for (int64_t i = 0; i < cfg->watched; i++)
		unasked += what->user[i].unasked;
	if (!run.http && cfg->echo == ECHO_PATCH && cfg->users > run.target.ports && !(run.rdp && strchr(run.how.user, '%')))
		snprintf(text, size,
			 "%s type into %s, whose patch shows the keys of all: an answer may be that of another, and response "
			 "times too short; give each user a server (%s)",
			 counted_text(cfg->users, "user"), counted_text(run.target.ports, "server"),
			 run.rdp ? "HOST:PORT-PORT" : "vnc:HOST:PORT-PORT");
	else if (cfg->echo != ECHO_PATCH && (double)unasked > UNASKED_MOST * (double)answers)
		snprintf(text, size,
			 "%s came while their user waited for none (%s): other things change these screens, so an answer "
			 "may be none, and response times too short",
			 counted_text(unasked, "update"), counted_text(answers, "answer"));
	else
		return NULL;
	return text;
}

/* --- the run --------------------------------------------------------------------------------------------------------- */

static void prepare_http(const struct vusers_options *cfg, struct report_facts *what, struct vlog_cfg *log)
{
	read_workload(cfg, &run.workload, &run.target);
	if (cfg->per == PER_OBJECT && cfg->parallel > 1)
		die_usage("--parallel needs --per page: users who think before each object fetch one at a time");
	for (int i = 0; i < (cfg->per == PER_PAGE ? run.workload.pages : run.workload.objects); i++) {
		run.names[i] = cfg->per == PER_PAGE ? run.workload.page[i].name : run.workload.object[i].name;
		run.paths[i] = run.workload.object[cfg->per == PER_PAGE ? run.workload.page[i].first : i].path;
	}
	run.fetch = (struct http_users_cfg){ .target = &run.target,
					     .workload = &run.workload,
					     .whole_pages = cfg->per == PER_PAGE,
					     .parallel = (int)cfg->parallel,
					     .seed = (uint64_t)cfg->seed };
	log->label = run.names;
	log->path = run.paths;
	log->url = run.target.origin;
	what->kind = "http";
	what->workload = cfg->workload ? cfg->workload : "the page of the URL";
	what->objects_per_page = workload_objects_per_page(&run.workload);
	what->whole_pages = cfg->per == PER_PAGE;
	what->parallel = (int)cfg->parallel;
	what->library = http_library_name();
}

/* `next`: what an answer is without the patch. */
static void describe_desktop(const struct vusers_options *cfg, struct report_facts *what, const char *kind, const char *next)
{
	what->kind = kind;
	what->asks = by_vnc_labels[cfg->asks];
	what->echo = cfg->echo == ECHO_PATCH ? "the patch with the next number" : next;
}

static void prepare_vnc(const struct vusers_options *cfg, struct report_facts *what)
{
	struct why why;

	run.n_encodings = messages_parse_encodings(cfg->encodings, true, run.encodings, &why);
	if (run.n_encodings < 0)
		die_usage("--encodings: %s", why.text);
	snprintf(run.words, sizeof(run.words), "%s", cfg->encodings);
	for (char *p = run.words; (p = strchr(p, ','));)
		*p = ' ';
	if (cfg->password_file && vnc_password_read(cfg->password_file, run.password, &why))
		die(EXIT_USAGE, "%s", why.text);
	describe_desktop(cfg, what, "vnc", "the next update (an assumption: exact if only the keys of the user change the screen)");
	what->encodings = cfg->encodings;
}

static void prepare_rdp(const struct vusers_options *cfg, struct report_facts *what)
{
	struct rdp_server server = { .port = run.target.port[0] };
	struct rdp_trust trust = { .ignore = cfg->cert_ignore };
	struct why why;

	run.how = (struct rdp_viewer_cfg){ .host = run.target.host,
					   .user = rdp_choose_user(cfg->user, run.target.user),
					   .known_servers = cfg->known_servers,
					   .cert_ignore = cfg->cert_ignore,
					   .width = cfg->screen.w,
					   .height = cfg->screen.h };
	snprintf(server.host, sizeof(server.host), "%s", run.target.host);
	if (rdp_trust_read(&trust, &server, cfg->known_servers, &why) ||
	    rdp_read_password(cfg->password_file, cfg->no_password || cfg->echo == ECHO_PATCH, run.target.host, run.password,
			      sizeof(run.password), &why))
		die(EXIT_RUN, "%s", why.text);
	run.how.library = rdp_plugin_load(&why);
	if (!run.how.library)
		die(EXIT_MISSING, "%s", why.text);
	describe_desktop(cfg, what, "rdp",
			 "the next bitmap or frame (an assumption: exact if only the keys of the user change the screen)");
}

static void prepare_users(const struct vusers_options *cfg, struct report_facts *what, struct vlog_cfg *log)
{
	if (run.target.http)
		prepare_http(cfg, what, log);
	else
		(run.target.rdp ? prepare_rdp : prepare_vnc)(cfg, what);
	what->descriptors =
		cfg->users * (run.target.http ? http_connections_per_user(&run.fetch) : 1) + count_viewers(cfg) + SPARE_DESCRIPTORS;
	what->descriptors_most = raise_limit(cfg, RLIMIT_NOFILE, "open descriptors", 'n', what->descriptors);
	require_processes(cfg);
	log->expect = expected_requests(cfg);
}

/* Sets up the users that keep no pixels; watched users have the numbers before them. */
static void open_crowd(const struct vusers_options *cfg)
{
	struct vnc_users_cfg vnc = { .target = &run.target,
				     .move = cfg->asks,
				     .patch = cfg->echo == ECHO_PATCH,
				     .rfb = { run.encodings, run.n_encodings, cfg->password_file ? run.password : NULL } };
	struct crowd *c = &run.crowd;
	struct rdp_users_cfg rdp = { .target = &run.target, .viewer = run.viewer + cfg->watched, .move = cfg->asks };
	int err;

	c->cfg = (struct crowd_cfg){ .users = cfg->users - cfg->watched,
				     .before = cfg->watched,
				     .all = cfg->users,
				     .think = cfg->think,
				     .open = cfg->rate > 0 && cfg->users > cfg->watched,
				     .ramp_ns = cfg->ramp_ns,
				     .skip_ns = cfg->skip_ns,
				     .time_ns = cfg->time_ns,
				     .timeout_ns = cfg->timeout_ns,
				     .seed = (uint64_t)cfg->seed };
	if (c->cfg.open) /* watched users send their share of the requests themselves */
		think_set_mean(&c->cfg.think, cfg->think.mean_ns * (double)cfg->users / (double)c->cfg.users);
	err = crowd_open(c);
	if (!err && run.target.http)
		c->self = run.http = http_users_open(&run.fetch, c);
	else if (!err && run.target.rdp)
		c->self = run.rdp = rdp_users_open(&rdp, c);
	else if (!err)
		c->self = run.vnc = vnc_users_open(&vnc, c);
	if (err || !c->self)
		die(EXIT_RUN, "out of memory for %lld users", (long long)cfg->users);
	c->protocol = run.target.http ? &by_http_protocol : run.target.rdp ? &by_rdp_protocol : &by_vnc_protocol;
}

static void start_viewers(const struct vusers_options *cfg)
{
	struct viewer_cfg viewer = { .kind = run.target.rdp ? &viewer_rdp : &viewer_vnc,
				     .encodings = run.words,
				     .password = cfg->password_file || cfg->no_password ? run.password : NULL,
				     .patch = cfg->echo == ECHO_PATCH,
				     .move = cfg->asks,
				     .sandbox = cfg->sandbox,
				     .rdp = &run.how };
	int64_t n = count_viewers(cfg);

	run.viewer = memory_new((size_t)n + 1, sizeof(*run.viewer));
	for (; run.viewers < n; run.viewers++) {
		viewer.port = run.target.port[run.viewers % run.target.ports];
		viewer.number = run.viewers;
		viewer.blind = run.viewers >= cfg->watched && !viewer.patch;
		run.viewer[run.viewers] = viewer_start(&viewer);
	}
}

/* Adds what is known of the users' processes. */
static void add_viewers(const struct vusers_options *cfg, struct report_facts *what)
{
	const char *server = "";

	what->process_cpu_ns = clock_process_cpu();
	for (int64_t i = 0; i < run.viewers; i++) {
		const struct viewer_seen *seen = viewer_get_seen(run.viewer[i]);

		what->process_cpu_ns += seen->cpu_ns;
		run.crowd.sums.memory_bytes += i < cfg->watched ? 0 : seen->memory_bytes;
		server = *server ? server : seen->server;
	}
	if (!run.rdp)
		return;
	snprintf(run.library, sizeof(run.library), "%s%s", server,
		 cfg->cert_ignore ? ", certificate not checked (--cert-ignore)" : "");
	what->server = run.library;
}

/* Starts and connects the watched users. 0 or -EINTR. */
static int start_watched(const struct vusers_options *cfg, const char *text)
{
	struct watched_cfg w = { .target = &run.target,
				 .crowd = &run.crowd.cfg,
				 .viewer = run.viewer,
				 .patch = cfg->echo == ECHO_PATCH,
				 .think = cfg->think,
				 .open = cfg->rate > 0,
				 .move = cfg->asks,
				 .n = (int)cfg->watched };
	int here;

	if (!cfg->watched)
		return 0;
	if (w.open)
		think_set_mean(&w.think, cfg->think.mean_ns * (double)cfg->users);
	run.watch = watched_start(&w);
	if (!run.watch)
		die(EXIT_RUN, "cannot start %d watched users: %m", w.n);
	here = watched_await_connected(run.watch);
	if (!here)
		die(EXIT_RUN, "%s: watched users: %s", text, watched_failure(run.watch));
	return here < 0 ? here : 0;
}

static void close_users(struct vusers_options *cfg)
{
	if (run.http)
		http_users_close(run.http);
	if (run.vnc)
		vnc_users_close(run.vnc);
	if (run.rdp)
		rdp_users_close(run.rdp);
	free(run.viewer);
	crowd_close(&run.crowd);
	think_free(&cfg->think);
	explicit_bzero(run.password, sizeof(run.password));
}

static void fill_start_facts(const struct vusers_options *cfg, int64_t start, struct report_facts *what)
{
	struct wall_reading offset;

	clock_read_wall(&offset);
	if (cfg->start_at_ns) {
		start_format_time(cfg->start_at_ns, run.start);
		what->start_text = run.start;
	}
	what->start_ns = cfg->start_at_ns ? cfg->start_at_ns - offset.offset_ns : start;
	what->started_late_ns = start - what->start_ns;
}

/* Connects all users and runs them. 0; -EINTR: stopped by a signal before the start. */
static int run_users(const struct vusers_options *cfg, const char *text, struct vlog *log, struct report_facts *what)
{
	struct crowd *c = &run.crowd;
	int64_t start;
	int err = crowd_connect(c);

	if (err && err != -EINTR)
		die_not_connected(c, text, err);
	if (!err)
		err = start_watched(cfg, text);
	if (!err) {
		proc_tell_ready((int)cfg->ready_fd);
		err = crowd_wait_start(c, cfg->start_at_ns);
	}
	c->sums.stopped = err;
	if (!err) {
		start = clock_now();
		fill_start_facts(cfg, start, what);
		if (run.watch)
			watched_begin_run(run.watch, log, start);
		err = crowd_run(c, log, start);
	}
	if (err && err != -EINTR)
		die(EXIT_RUN, "cannot wait for events: %s", strerror(-err));
	if (run.watch)
		watched_end(run.watch, what->user);
	return err;
}

/* Ends the program where the options and the target do not fit. */
static void check_run(struct vusers_options *cfg, const char *text)
{
	struct why why;

	if (target_parse(text, &run.target, &why))
		die_usage("%s: %s", text, why.text);
	check_options(cfg, &run.target, text);
	if (run.target.rdp && rdp_require_password(text, cfg->password_file || cfg->no_password, cfg->echo == ECHO_PATCH, &why))
		die_usage("%s", why.text);
	target_choose_address(&run.target);
	set_think_mean(cfg);
	require_future_start(cfg);
	rec_refuse_same_outputs(
		(const struct rec_output_path[]){ { "output", cfg->out.path }, { "log", cfg->log }, { "jtl", cfg->jtl } }, 3);
}

static struct vlog *must_open_log(const struct vlog_cfg *cfg)
{
	const char *wrong;
	struct vlog *log = vlog_open(cfg, &wrong);

	if (!log && !wrong)
		die(EXIT_RUN, "cannot start the thread that writes rows: %m");
	if (!log)
		die(EXIT_RUN, "cannot write %s: %m", wrong);
	return log;
}

int ends_run_users(struct vusers_options *cfg, const char *text)
{
	struct vlog_cfg log_cfg = { .tsv = cfg->log, .jtl = cfg->jtl, .label = by_vnc_labels, .url = text, .users = cfg->users };
	struct report_facts what = { .target = text,
				     .rate = cfg->rate > 0 ? cfg->rate : (double)NAN,
				     .nz = cfg->nz > 0 ? cfg->nz : (double)NAN,
				     .objects_per_page = NAN,
				     .threshold_ns = cfg->threshold_ns,
				     .late_limit_ns = cfg->late_ns,
				     .connections = -1,
				     .clock_error_ns = start_clock_error(),
				     .think_text = cfg->think_text,
				     .punctual_by = run.punctual,
				     .watched = (int)cfg->watched };
	struct crowd *c = &run.crowd;
	struct progress_line progress;
	struct vlog_sums sums;
	struct vlog *log;
	char unsure[256];
	struct rec_report *out;
	int early, err, status;

	check_run(cfg, text);
	prepare_users(cfg, &what, &log_cfg);
	out = rec_must_open(&cfg->out, "vusers");
	ends_ask_priority(cfg, run.punctual, sizeof(run.punctual));
	start_viewers(cfg);
	/* before the first thread */
	confine_must_apply(&(struct confine_cfg){ .profile = CONFINE_CALL,
						  .mode = cfg->sandbox,
						  .files = { cfg->out.path, cfg->log, cfg->jtl },
						  .secret = cfg->password_file != NULL,
						  .port = run.target.port,
						  .ports = (size_t)run.target.ports });
	log = must_open_log(&log_cfg);
	what.each_user = cfg->out.format == REC_TSV;
	open_crowd(cfg);
	progress_start(&progress, cfg->out.detail == REC_QUIET);
	c->cfg.progress = &progress;
	early = run_users(cfg, text, log, &what);
	progress_end(&progress);
	err = vlog_close(log, &sums);
	add_viewers(cfg, &what);
	what.bytes = c->sums.bytes;
	what.why_unsure = unsure_text(cfg, &sums, &what, unsure, sizeof(unsure));
	what.connections = run.http ? c->sums.connections : -1;
	report_users(out, c, &sums, &what);
	status = report_add_warnings(out, c, &sums, &what, err);
	rec_must_close(out);
	if (early)
		status = EXIT_INTERRUPTED;
	close_users(cfg);
	vlog_free_sums(&sums);
	return status;
}
