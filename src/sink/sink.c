/* sink - takes CPU time: all it can get, or a share of the wall clock.
 *
 * One child per unit of load. When a share is held is decided in share.c; this file reads options,
 * starts the children, waits and reports what each of them really got. */
#include "clock.h"
#include "proc.h"
#include "rec.h"
#include "share.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define SPIN_TURNS 2000		/* between looks at the clock: some microseconds */

static struct {
	int64_t count, time_ns, nice, period_ns, ready_fd;
	double percent;
	struct cli_cpus cpus;
	struct { int policy, priority; } sched;
} cfg = { .count = 1, .percent = 100, .period_ns = 10 * NS_PER_MS, .ready_fd = STDERR_FILENO,
	  .sched = { SCHED_OTHER, 0 } };
static struct rec_cfg out_cfg;
static char autogroup[64];

enum regime { CPUS, NICE, POLICY };

/* What a child tells its parent, in memory that both see. */
struct child {
	pid_t pid;
	atomic_bool spinning;
	enum regime asked;			/* what was refused */
	atomic_int refused;			/* with this errno */
	int64_t wall_ns, cpu_ns;
	struct proc_schedstat sched;
	bool accounted, died;			/* died: ended by something else than us */
};

struct board {
	atomic_bool stop;
	struct child child[];
};

static int read_policy(const char *text, void *value)
{
	static const struct { const char *name; int policy; } plain[] = {
		{ "other", SCHED_OTHER }, { "batch", SCHED_BATCH }, { "idle", SCHED_IDLE },
	};
	int64_t priority;

	(void)value;
	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++) {
		if (!strcmp(text, plain[i].name)) {
			cfg.sched.policy = plain[i].policy;
			cfg.sched.priority = 0;
			return 0;
		}
	}
	if (strncmp(text, "fifo:", 5) != 0 && strncmp(text, "rr:", 3) != 0)
		return -1;
	if (cli_read_int(strchr(text, ':') + 1, &priority) || priority < 1 || priority > 99)
		return -1;
	cfg.sched.policy = text[0] == 'f' ? SCHED_FIFO : SCHED_RR;
	cfg.sched.priority = (int)priority;
	return 0;
}

static const char *policy_text(void)
{
	static char text[16];

	switch (cfg.sched.policy) {
	case SCHED_BATCH: return "batch";
	case SCHED_IDLE: return "idle";
	case SCHED_FIFO:
	case SCHED_RR:
		snprintf(text, sizeof(text), "%s:%d", cfg.sched.policy == SCHED_FIFO ? "fifo" : "rr", cfg.sched.priority);
		return text;
	default: return "other";
	}
}

static const struct cli_opt options[] = {
	{ CLI_INT, 'n', "count", &cfg.count, 1, 10000, "how many processes (1)", NULL, NULL, NULL },
	{ CLI_REAL, 'l', "load", &cfg.percent, 0.1, 100, "share of wall-clock time each holds, in percent; 100 never yields (100)", NULL, NULL, "PERCENT" },
	{ CLI_NS, 't', "time", &cfg.time_ns, 1e6, 30.0 * (double)NS_PER_DAY, "stop after this time (when told to)", NULL, NULL, NULL },
	{ CLI_CPUS, 0, "cpus", &cfg.cpus, 0, 0, "stay on these CPUs (as inherited)", NULL, NULL, NULL },
	{ CLI_CALL, 0, "policy", &cfg.sched, 0, 0, "scheduling policy (other)", NULL, read_policy, "other|batch|idle|fifo:P|rr:P" },
	{ CLI_INT, 0, "nice", &cfg.nice, -20, 19, "nice value added to the inherited one (0)", NULL, NULL, NULL },
	{ CLI_NS, 0, "period", &cfg.period_ns, 1e6, 1e9, "period within which a share is held (10ms)", NULL, NULL, NULL },
	{ CLI_INT, 0, "ready-fd", &cfg.ready_fd, 0, 1023, "write \"ready\" to this descriptor (2)", NULL, NULL, "FD" },
	REC_OPTIONS(out_cfg),
	{ .type = CLI_END },
};

static void spin(void)
{
	for (int i = 0; i < SPIN_TURNS; i++)
		__asm__ volatile("" ::: "memory");
}

static void hold_share(struct board *board, struct child *me)
{
	struct share share;

	share_start(&share, cfg.percent / 100, cfg.period_ns, clock_now(), clock_thread_cpu());
	atomic_store(&me->spinning, true);
	while (!atomic_load_explicit(&board->stop, memory_order_relaxed)) {
		int64_t until = share_next(&share, clock_now(), clock_thread_cpu());

		if (until)
			clock_sleep_until(until);
		else
			spin();
	}
}

static void be_greedy(struct board *board, struct child *me)
{
	atomic_store(&me->spinning, true);
	while (!atomic_load_explicit(&board->stop, memory_order_relaxed))
		spin();
}

/* 0, or the errno with which `*asked` was refused. */
static int enter_regime(enum regime *asked)
{
	struct sched_param param = { .sched_priority = cfg.sched.priority };
	int err;

	*asked = CPUS;
	err = proc_pin(&cfg.cpus);
	if (err)
		return -err;
	*asked = NICE;
	errno = 0;
	if (cfg.nice && nice((int)cfg.nice) == -1 && errno)
		return errno;
	*asked = POLICY;
	if ((sched_getscheduler(0) & ~SCHED_RESET_ON_FORK) == cfg.sched.policy && !cfg.sched.priority)
		return 0;
	return sched_setscheduler(0, cfg.sched.policy, &param) ? errno : 0;
}

static void child_main(struct board *board, struct child *me, pid_t parent)
{
	int64_t start, start_cpu;
	enum regime asked;
	int refused;

	if (proc_die_with_parent(parent))
		_exit(EXIT_RUN);
	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	refused = enter_regime(&asked);
	if (refused) {
		me->asked = asked;
		atomic_store(&me->refused, refused);
		_exit(EXIT_OK);
	}
	start = clock_now();
	start_cpu = clock_thread_cpu();
	if (cfg.percent < 100)
		hold_share(board, me);
	else
		be_greedy(board, me);
	me->cpu_ns = clock_thread_cpu() - start_cpu;
	me->wall_ns = clock_now() - start;
	me->accounted = !proc_schedstat(getpid(), &me->sched);
	_exit(EXIT_OK);
}

static void note_end(struct child *c, int status, const struct rusage *used)
{
	c->pid = 0;
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return;
	c->died = true;
	c->wall_ns = 0;		/* it had no chance to say; the kernel knows what it took */
	c->cpu_ns = ((int64_t)used->ru_utime.tv_sec + used->ru_stime.tv_sec) * NS_PER_S +
		    ((int64_t)used->ru_utime.tv_usec + used->ru_stime.tv_usec) * NS_PER_US;
}

/* Children ignore the signals and look at the board, so that each still reports; a sleeping one wakes within a period. */
static void stop_children(struct board *board)
{
	atomic_store(&board->stop, true);
	for (int64_t i = 0; i < cfg.count; i++) {
		struct child *c = &board->child[i];
		struct rusage used;
		int status;
		pid_t pid;

		if (c->pid <= 0)
			continue;
		do
			pid = wait4(c->pid, &status, 0, &used);
		while (pid < 0 && errno == EINTR);
		if (pid > 0)
			note_end(c, status, &used);
	}
}

static __attribute__((noreturn)) void refuse(struct board *board, const struct child *c)
{
	int why = atomic_load(&c->refused);

	stop_children(board);
	switch (c->asked) {
	case CPUS:
		die(EXIT_RUN, "--cpus was refused: %s%s", strerror(why),
		    why == ENODEV ? "; not all of these are there and allowed, see taskset -cp $$" : "");
	case NICE:
		die(EXIT_RUN, "--nice %lld was refused: %s; root, or a higher ulimit -e, may raise priority",
		    (long long)cfg.nice, strerror(why));
	default:
		die(EXIT_RUN, "--policy %s was refused: %s; root, or a higher ulimit -r, may set it", policy_text(),
		    strerror(why));
	}
}

/* Whether the load is really there. A child that cannot get there ends the program instead of being waited for. */
static bool all_spinning(struct board *board)
{
	for (int64_t i = 0; i < cfg.count; i++) {
		struct child *c = &board->child[i];
		struct rusage used;
		int status;

		if (atomic_load(&c->spinning))
			continue;
		if (atomic_load(&c->refused))
			refuse(board, c);
		/* asked after the flags: it may have ended between them and here, and then they tell why next time */
		if (c->pid > 0 && wait4(c->pid, &status, WNOHANG, &used) > 0) {
			note_end(c, status, &used);
			if (c->died) {
				stop_children(board);
				die(EXIT_RUN, "process %lld of %lld died before it could spin; too little memory?",
				    (long long)i + 1, (long long)cfg.count);
			}
		}
		return false;
	}
	return true;
}

static void start_children(struct board *board)
{
	pid_t me = getpid();

	for (int64_t i = 0; i < cfg.count; i++) {
		pid_t pid = fork();

		if (pid < 0) {
			int saved = errno;

			stop_children(board);
			die(EXIT_RUN, "cannot start process %lld of %lld: %s", (long long)i + 1, (long long)cfg.count, strerror(saved));
		}
		if (!pid) {
			signal(SIGINT, SIG_IGN);	/* Ctrl-C reaches the whole group; the parent ends us */
			signal(SIGTERM, SIG_IGN);
			child_main(board, &board->child[i], me);
		}
		board->child[i].pid = pid;
	}
	while (!all_spinning(board) && !proc_stop)
		clock_sleep_until(clock_now() + NS_PER_MS);
}

/* The CPUs the children may use, as --cpus takes them. */
static void report_cpus(struct rec *r)
{
	struct cli_cpus use = cfg.cpus;
	char text[256] = "";
	size_t n = 0;

	if (!use.n && proc_cpus_allowed(&use))
		return;
	for (int first = 0, last; first < use.n && n < sizeof(text); first = last + 1) {
		for (last = first; last + 1 < use.n && use.cpu[last + 1] == use.cpu[last] + 1; last++)
			;
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%d", first ? "," : "", use.cpu[first]);
		if (last > first && n < sizeof(text))
			n += (size_t)snprintf(text + n, sizeof(text) - n, "-%d", use.cpu[last]);
	}
	rec_str(r, "cpus", text);
}

static double share_percent(const struct child *c)
{
	return c->wall_ns > 0 ? 100.0 * (double)c->cpu_ns / (double)c->wall_ns : 0;
}

static void report_child(struct rec *r, const struct child *c)
{
	rec_object(r, NULL);
	rec_real(r, "cpu_s", (double)c->cpu_ns / NS_PER_S, 6);
	rec_real(r, "wall_s", c->died ? NAN : (double)c->wall_ns / NS_PER_S, 6);
	rec_real(r, "share_percent", c->died ? NAN : share_percent(c), 3);
	rec_real(r, "wanted_percent", cfg.percent, 3);
	/* null: this kernel keeps no schedstat */
	rec_real(r, "runqueue_wait_s", c->accounted ? (double)c->sched.wait_ns / NS_PER_S : NAN, 6);
	rec_end(r);
}

static int64_t report(struct rec *r, const struct board *board)
{
	double total = 0;
	int64_t died = 0;

	rec_object(r, "settings");
	rec_int(r, "count", cfg.count);
	rec_real(r, "load_percent", cfg.percent, 3);
	rec_real(r, "period_ms", (double)cfg.period_ns / NS_PER_MS, 3);
	rec_int(r, "nice", cfg.nice);
	rec_str(r, "policy", policy_text());
	report_cpus(r);
	rec_end(r);
	rec_object(r, "result");
	rec_array(r, "children");
	for (int64_t i = 0; i < cfg.count; i++) {
		report_child(r, &board->child[i]);
		total += share_percent(&board->child[i]);
		died += board->child[i].died;
	}
	rec_end(r);
	rec_real(r, "total_share_percent", total, 3);
	rec_int(r, "children_died", died);
	rec_str(r, "autogroup", autogroup[0] ? autogroup : NULL);
	rec_end(r);
	return died;
}

int main(int argc, char **argv)
{
	struct board *board;
	struct rec *out;
	int64_t died;
	int err;

	err = cli_parse(argc, argv, "sink [-n COUNT] [-l PERCENT] [-t TIME] [options]",
			"Takes CPU time: greedily, or a share of the wall clock held by feedback.", options);
	if (err < argc)
		die_usage("unexpected word %s", argv[err]);
	proc_check_ready_fd((int)cfg.ready_fd);
	proc_stop_with_parent();
	proc_catch_stop();	/* before the output, which a signal would otherwise leave half done */
	out = rec_open(&out_cfg, "sink");	/* before the run: a bad path must not cost it */
	if (!out)
		die(EXIT_RUN, "cannot write %s: %m", out_cfg.path);
	board = mmap(NULL, sizeof(*board) + (size_t)cfg.count * sizeof(struct child), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (board == MAP_FAILED)
		die(EXIT_RUN, "cannot share memory with the children: %m");
	start_children(board);
	proc_autogroup(board->child[0].pid, autogroup, sizeof(autogroup));
	err = proc_stop ? 0 : proc_ready((int)cfg.ready_fd);
	if (err && cfg.ready_fd != STDERR_FILENO)
		warn("nobody reads \"ready\" on descriptor %d: %s", (int)cfg.ready_fd, strerror(-err));
	proc_wait_stop(cfg.time_ns ? clock_now() + cfg.time_ns : INT64_MAX);
	stop_children(board);
	died = report(out, board);
	err = rec_close(out);
	if (err)
		die(EXIT_RUN, "cannot write the report: %s", strerror(-err));
	/* Without -t a signal is how it is meant to end; with -t it cut the run short. */
	return proc_stop && cfg.time_ns ? EXIT_INTERRUPTED : died ? EXIT_LOSSY : EXIT_OK;
}
