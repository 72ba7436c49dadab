/* keyrepeat - sends keys on a schedule that waits for nobody, and watches for their echo.
 *
 * When keys are due is in schedule.c, sending and watching in train.c, which echo belongs to which key in pairing.c, the
 * figures in figures.c; what keys are sent to is a target.h each. This file reads options, runs, reports. */
#include "clock.h"
#include "keysym.h"
#include "proc.h"
#include "report.h"
#include "rt.h"
#include "schedule.h"
#include "script.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define KEYS_MAX 10000000

enum { TAP, HOLD };
static const char *const modes[] = { "tap", "hold", NULL };
static const char *const watches[] = { "none", "update", "patch", NULL };
static const struct target *const targets[] = { &target_x11, &target_vnc, &target_null };

static struct {
	double rate_per_s, noise_per_s;
	int64_t time_ns, seed, priority, threshold_ns, skip, ready_fd, patch_wait_ns;
	int schedule, mode, watch;
	const char *key, *script, *log, *password_file;
	bool hold_start;
	struct cli_cpus cpus;
} cfg = { .rate_per_s = 20, .time_ns = 60 * NS_PER_S, .seed = 1, .priority = 20, .threshold_ns = 100 * NS_PER_MS, .skip = 5,
	  .ready_fd = STDERR_FILENO, .patch_wait_ns = 5 * NS_PER_S, .key = "a" };
static struct rec_cfg out_cfg;

/* "0.25/s", or the number alone */
static int read_noise(const char *text, void *value)
{
	char number[32];
	double *per_s = value;

	snprintf(number, sizeof(number), "%.*s", (int)strcspn(text, "/"), text);
	if (text[strcspn(text, "/")] && strcmp(strchr(text, '/'), "/s") != 0)
		return -1;
	return cli_read_real(number, per_s) || !(*per_s >= 0 && *per_s <= 1000) ? -1 : 0;
}

static const struct cli_opt options[] = {
	{ CLI_REAL, 'r', "rate", &cfg.rate_per_s, 0, 1000, "keys per second; 0 only watches (20)", NULL, NULL, NULL },
	{ CLI_NS, 't', "time", &cfg.time_ns, 1e6, 30.0 * (double)NS_PER_DAY, "length of the train (60s)", NULL, NULL, NULL },
	{ CLI_WORD, 0, "schedule", &cfg.schedule, 0, 0, "when keys are due (periodic)", schedule_names, NULL, NULL },
	{ CLI_WORD, 0, "mode", &cfg.mode, 0, 0, "press and release each time, or press once and repeat (tap)", modes, NULL, NULL },
	{ CLI_STR, 'k', "key", &cfg.key, 0, 0, "which key: a character, a name, U20AC or 0xff0d (a)", NULL, NULL, "KEY" },
	{ CLI_STR, 0, "script", &cfg.script, 0, 0, "keys and delays from this file, a line \"DELAY_MS KEY\" each", NULL, NULL, "FILE" },
	{ CLI_WORD, 'w', "watch", &cfg.watch, 0, 0, "what counts as echo (none)", watches, NULL, NULL },
	{ CLI_INT, 0, "seed", &cfg.seed, 0, 9e18, "for schedules with chance in them (1)", NULL, NULL, NULL },
	{ CLI_STR, 0, "log", &cfg.log, 0, 0, "write one row for each key to this file", NULL, NULL, "FILE" },
	{ CLI_FLAG, 0, "hold-start", &cfg.hold_start, 0, 0, "after \"ready\", wait for a line on standard input", NULL, NULL, NULL },
	{ CLI_INT, 0, "priority", &cfg.priority, 0, 99, "SCHED_FIFO priority to ask for; 0 asks for none (20)", NULL, NULL, NULL },
	{ CLI_CPUS, 0, "cpus", &cfg.cpus, 0, 0, "stay on these CPUs (as inherited)", NULL, NULL, NULL },
	{ CLI_NS, 0, "threshold", &cfg.threshold_ns, 1e3, 3600e9, "an echo later than this is late (100ms)", NULL, NULL, NULL },
	{ CLI_INT, 0, "skip", &cfg.skip, 0, 1e6, "leave the first keys out of figures (5)", NULL, NULL, NULL },
	{ CLI_CALL, 0, "noise", &cfg.noise_per_s, 0, 0, "updates a second that come without a key (0)", NULL, read_noise, "X/s" },
	{ CLI_STR, 0, "password-file", &cfg.password_file, 0, 0, "first line: password for vnc", NULL, NULL, "FILE" },
	{ CLI_NS, 0, "patch-wait", &cfg.patch_wait_ns, 0, 600e9, "look for the patch so long (5s)", NULL, NULL, NULL },
	{ CLI_INT, 0, "ready-fd", &cfg.ready_fd, 0, 1023, "write \"ready\" to this descriptor (2)", NULL, NULL, "FD" },
	REC_OPTIONS(out_cfg),
	{ .type = CLI_END },
};

/* The keys of the train before they have times of day. */
static struct plan {
	size_t n;
	int64_t *offset_ns, period_ns;
	struct script script;	/* owns offset_ns and keysym, where there is one */
	const uint32_t *keysym;	/* NULL: all are `only` */
	uint32_t only;
	int *key;		/* the same as the target's numbers */
	int only_key;
} plan;

static void plan_script(void)
{
	struct script *script = &plan.script;
	size_t line;
	FILE *in = fopen(cfg.script, "re");
	int err;

	if (!in)
		die(EXIT_RUN, "cannot read %s: %m", cfg.script);
	err = script_read(in, script, &line);
	fclose(in);
	if (err == -EINVAL)
		die(EXIT_USAGE, "%s, line %zu: want DELAY_MS KEY, as in \"120 a\" or \"50.5 Return\"", cfg.script, line);
	if (err)
		die(EXIT_RUN, "cannot read %s: %s", cfg.script, strerror(-err));
	while (script->n && script->offset_ns[script->n - 1] >= cfg.time_ns)
		script->n--;
	if (!script->n)
		die(EXIT_USAGE, "%s holds no key before -t ends", cfg.script);
	plan.n = script->n;
	plan.offset_ns = script->offset_ns;
	plan.keysym = script->keysym;
	/* stalls need one period: the mean one */
	plan.period_ns = plan.n > 1 ? (plan.offset_ns[plan.n - 1] - plan.offset_ns[0]) / (int64_t)(plan.n - 1) : 0;
	if (plan.period_ns < NS_PER_MS)
		plan.period_ns = NS_PER_MS;
}

static void plan_keys(void)
{
	double n = round(cfg.rate_per_s * (double)cfg.time_ns / NS_PER_S);

	if (cfg.script) {
		plan_script();
		return;
	}
	plan.period_ns = cfg.rate_per_s > 0 ? llround(NS_PER_S / cfg.rate_per_s) : 50 * NS_PER_MS;
	if (!(cfg.rate_per_s > 0))
		return;
	if (n < 1 || n > KEYS_MAX)
		die_usage("-t times --rate are %.0f keys: 1 to %d", n, KEYS_MAX);
	if (keysym_read(cfg.key, &plan.only))
		die_usage("--key %s: no such key; give a character, a name such as Return, U20AC or 0xff0d", cfg.key);
	plan.n = (size_t)n;
	plan.offset_ns = calloc(plan.n, sizeof(*plan.offset_ns));
	if (!plan.offset_ns)
		die(EXIT_RUN, "no memory for %zu keys", plan.n);
	if (schedule_fill((enum schedule_kind)cfg.schedule, cfg.rate_per_s, (uint64_t)cfg.seed, plan.offset_ns, plan.n))
		die_usage("--rate %g is too low", cfg.rate_per_s);
}

static void free_plan(void)
{
	if (cfg.script)
		script_free(&plan.script);
	else
		free(plan.offset_ns);
	free(plan.key);
}

/* Every symbol is looked up before the first key is sent. */
static void prepare_keys(const struct target *target, void *self)
{
	char why[TARGET_WHY] = "";
	size_t j;

	if (!plan.n)
		return;
	if (!plan.keysym) {
		plan.only_key = target->key(self, plan.only, why);
		if (plan.only_key < 0) {
			target->close(self);
			die(EXIT_RUN, "%s", why);
		}
		return;
	}
	plan.key = calloc(plan.n, sizeof(*plan.key));
	if (!plan.key)
		die(EXIT_RUN, "no memory for %zu keys", plan.n);
	for (size_t i = 0; i < plan.n; i++) {
		for (j = 0; j < i && plan.keysym[j] != plan.keysym[i]; j++)
			;
		plan.key[i] = j < i ? plan.key[j] : target->key(self, plan.keysym[i], why);
		if (plan.key[i] < 0) {
			target->close(self);
			die(EXIT_RUN, "%s", why);
		}
	}
}

static const struct target *find_target(const char *text, const char **where)
{
	for (size_t i = 0; i < sizeof(targets) / sizeof(*targets); i++) {
		size_t length = strlen(targets[i]->scheme);

		if (!strncmp(text, targets[i]->scheme, length) && text[length] == ':') {
			*where = text + length + 1;
			return targets[i];
		}
	}
	die_usage("%s is no target: give x11:DISPLAY, vnc:HOST:PORT or null:", text);
}

static void check_options(const struct target *target)
{
	if (cfg.mode == HOLD && (cfg.script || cfg.schedule != SCHEDULE_PERIODIC))
		die_usage("--mode hold repeats one key periodically: leave out --script and --schedule");
	if (cfg.mode == HOLD && target->repeats_itself && cfg.rate_per_s > 0 &&
	    (plan.period_ns % NS_PER_MS || plan.period_ns > 65535 * NS_PER_MS))
		die_usage("--mode hold: this display repeats every so many whole ms, and %g keys/s is none such", cfg.rate_per_s);
	if (!plan.n && cfg.watch == WATCH_NONE)
		die_usage("--rate 0 sends nothing: give --watch update to see what comes by itself");
}

/* The number of the patch may still be catching up with keys from before: wait until it has stood still. */
static void settle(const struct seen *seen)
{
	int64_t until = clock_now() + 10 * NS_PER_S, still = clock_now(), number = atomic_load(&seen->number);

	while (!proc_stop && !seen->dropped && clock_now() - still < 300 * NS_PER_MS && clock_now() < until) {
		if (number != atomic_load(&seen->number)) {
			number = atomic_load(&seen->number);
			still = clock_now();
		}
		proc_wait_stop(clock_now() + 10 * NS_PER_MS);
	}
}

/* False when standard input ended without a line: who held us back is gone. */
static bool wait_for_start(const struct seen *seen)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	char c = 0;

	while (!proc_stop && !seen->dropped) {
		ssize_t n;

		if (poll(&in, 1, 100) <= 0)
			continue;
		n = read(STDIN_FILENO, &c, 1);
		if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
			return false;
		if (n == 1 && c == '\n')
			return true;
	}
	return true;
}

static void report_settings(struct rec *r, const char *target, const char *server, const struct rt_state *rt)
{
	char text[160];
	struct cli_cpus cpus;
	size_t used = 0;

	rec_object(r, "settings");
	rec_str(r, "target", target);
	rec_str(r, "server", server);
	rec_str(r, "watch", watches[cfg.watch]);
	rec_real(r, "rate_per_s", cfg.script ? NAN : cfg.rate_per_s, 3);
	rec_real(r, "time_s", (double)cfg.time_ns / NS_PER_S, 3);
	rec_int(r, "keys", (int64_t)plan.n);
	rec_str(r, "schedule", cfg.script ? "script" : schedule_names[cfg.schedule]);
	rec_real(r, "period_ms", (double)plan.period_ns / NS_PER_MS, 3);
	rec_str(r, "mode", modes[cfg.mode]);
	rec_str(r, cfg.script ? "script" : "key", cfg.script ? cfg.script : cfg.key);
	rec_int(r, "seed", cfg.seed);
	rec_int(r, "skip", cfg.skip);
	rec_real(r, "threshold_ms", (double)cfg.threshold_ns / NS_PER_MS, 3);
	rec_real(r, "noise_per_s", cfg.noise_per_s, 4);
	rt_describe(rt, text, sizeof(text));
	rec_str(r, "scheduling", text);
	text[0] = '\0';
	if (!proc_cpus_allowed(&cpus))
		for (int i = 0; i < cpus.n && used < sizeof(text) - 8; i++)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%d", i ? "," : "", cpus.cpu[i]);
	rec_str(r, "cpus", text);
	proc_autogroup(getpid(), text, sizeof(text));
	rec_str(r, "autogroup", text);
	rec_str(r, "not_included", "keyboard, USB, compositor and screen of a real client");
	rec_end(r);
}

/* What went wrong although there is a report; NULL: nothing. */
static const char *complaint(const struct train *train, const struct seen *seen, const struct figures *f, int *status)
{
	bool sent = plan.n && train->due && pair_gone_ns(&train->key[0]) != INT64_MAX;

	*status = EXIT_RUN;
	if (train->end == TRAIN_DROPPED)
		return "the connection was dropped; is the server still running? What was measured until then is in the report";
	if (train->end == TRAIN_INTERRUPTED) {
		*status = EXIT_INTERRUPTED;
		return NULL;
	}
	if (sent && cfg.watch == WATCH_UPDATE && !f->any_answer)
		return "no echo: not one update in the whole train; is the window focused, and does it show what is typed?";
	if (sent && cfg.watch == WATCH_PATCH && !f->any_answer)
		return "no echo: the patch counted not one key; is refecho's window focused?";
	*status = EXIT_LOSSY;
	if (f->ahead)
		return "the patch counted keys that we did not send; does somebody else type there?";
	if (seen->lost)
		return "more updates came than there was room for; the rest are counted as updates_lost";
	*status = EXIT_OK;
	return NULL;
}

static void make_room(struct seen *seen, const struct target *target)
{
	double seconds = (double)cfg.time_ns / NS_PER_S + 30, drains = cfg.schedule == SCHEDULE_BLOCKS ? (double)plan.n / SCHEDULE_BLOCK * 2 : 0;
	double per_s = (double)NS_PER_S / SEEN_GAP_NS + (double)NS_PER_S / (double)plan.period_ns;
	double updates = (seconds + drains) * per_s;
	/* A caret that walks is told of by few changes a key; where there are many more, it is none. */
	size_t steps = target->tells_steps && cfg.watch == WATCH_UPDATE ? plan.n * 4 + 1000 : 0;

	if (cfg.watch == WATCH_NONE)
		updates = 1;
	if (updates > 2e8 || seen_init(seen, plan.period_ns, (size_t)updates + 1000, plan.n * 2 + 1000, steps))
		die(EXIT_RUN, "no memory for %.0f updates: take a shorter -t", updates);
}

int main(int argc, char **argv)
{
	struct train_cfg run = { 0 };
	struct figures_cfg figures_cfg;
	struct target_cfg target_cfg;
	const struct target *target;
	const char *where, *trouble;
	char why[TARGET_WHY] = "", server[400];
	struct seen seen;
	struct train train;
	struct figures figures;
	struct rt_state rt;
	struct rows *rows = NULL;
	struct rec *out;
	int first, err, status;

	first = cli_parse(argc, argv, "keyrepeat TARGET [options]",
			  "Sends keys on an open-loop schedule to x11:DISPLAY, vnc:HOST:PORT or null: and watches for their echo.", options);
	if (first != argc - 1)
		die_usage(first == argc ? "which target? give x11:DISPLAY, vnc:HOST:PORT or null:" : "more than one target");
	target = find_target(argv[first], &where);
	proc_check_ready_fd((int)cfg.ready_fd);
	proc_catch_stop();	/* before the output, which a signal would otherwise leave half done */
	plan_keys();
	check_options(target);
	out = rec_open(&out_cfg, "keyrepeat");	/* before the run: a bad path must not cost it */
	if (!out)
		die(EXIT_RUN, "cannot write %s: %m", out_cfg.path);
	if (cfg.log && !(rows = rows_open(cfg.log, "keys/1", report_columns)))
		die(EXIT_RUN, "cannot write %s: %m", cfg.log);
	err = proc_pin(&cfg.cpus);
	if (err)
		die(EXIT_RUN, "cannot run on the CPUs of --cpus: %s", strerror(-err));
	make_room(&seen, target);
	target_cfg = (struct target_cfg){ where, cfg.watch, cfg.mode == HOLD, plan.n > 0, plan.period_ns, cfg.patch_wait_ns,
					  cfg.password_file, &seen };
	run.self = target->open(&target_cfg, why);
	if (!run.self)
		die(EXIT_RUN, "%s", why);
	prepare_keys(target, run.self);
	run = (struct train_cfg){ target, run.self, &seen, cfg.watch, cfg.mode == HOLD, plan.n, plan.offset_ns, plan.key, plan.only_key,
				  !cfg.script && cfg.schedule == SCHEDULE_BLOCKS ? SCHEDULE_BLOCK : 0, plan.period_ns, cfg.time_ns,
				  cfg.noise_per_s, (int)cfg.priority };
	seen_restart(&seen);
	target->describe(run.self, server, sizeof(server));
	err = train_watch(&run);
	if (err)
		die(EXIT_RUN, "cannot start a thread: %s", strerror(-err));
	rt_setup((int)cfg.priority, &rt);	/* after all that allocates */
	if (cfg.watch == WATCH_PATCH)
		settle(&seen);
	if (!proc_stop)
		proc_ready((int)cfg.ready_fd);
	if (cfg.hold_start && !wait_for_start(&seen)) {
		train_unwatch(&run);
		target->close(run.self);
		die(EXIT_RUN, "standard input ended before the line that --hold-start waits for");
	}
	err = train_run(&run, &train);
	train_unwatch(&run);
	target->close(run.self);
	munlockall();				/* so that the report finds memory under any limit */
	for (size_t i = 0; i < train.due && i < (size_t)cfg.skip; i++)
		train.key[i].skipped = true;
	figures_cfg = (struct figures_cfg){ cfg.watch, plan.period_ns, cfg.threshold_ns, cfg.noise_per_s };
	if (err || figures_compute(&figures_cfg, &train, &seen, &figures))
		die(EXIT_RUN, "out of memory");
	if (rows && (err = report_keys(rows, &train)))
		warn("cannot write %s: %s", cfg.log, strerror(-err));
	report_settings(out, argv[first], server, &rt);
	report_result(out, &figures_cfg, &train, &seen, &figures, plan.n > 0);
	trouble = complaint(&train, &seen, &figures, &status);
	if (err)
		status = EXIT_RUN;
	err = rec_close(out);
	if (err)
		die(EXIT_RUN, "cannot write the report: %s", strerror(-err));
	if (trouble)
		warn("%s", trouble);
	figures_free(&figures);
	train_free(&train);
	seen_free(&seen);
	free_plan();
	return status;
}
