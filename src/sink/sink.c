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

/* What a child tells its parent, in memory that both see. */
struct child {
	pid_t pid;
	atomic_bool spinning;
	atomic_int refused;		/* errno of what it was not allowed */
	int64_t wall_ns, cpu_ns;
	struct proc_schedstat sched;
	bool accounted;
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

static int enter_regime(void)
{
	struct sched_param param = { .sched_priority = cfg.sched.priority };

	if (proc_pin(&cfg.cpus))
		return errno;
	if (cfg.nice) {
		errno = 0;
		if (nice((int)cfg.nice) == -1 && errno)
			return errno;
	}
	if (cfg.sched.policy != SCHED_OTHER && sched_setscheduler(0, cfg.sched.policy, &param))
		return errno;
	return 0;
}

static void child_main(struct board *board, struct child *me, pid_t parent)
{
	int64_t start;
	int refused;

	if (proc_die_with_parent(parent))
		_exit(EXIT_RUN);
	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	refused = enter_regime();
	if (refused) {
		atomic_store(&me->refused, refused);
		_exit(EXIT_RUN);
	}
	start = clock_now();
	if (cfg.percent < 100)
		hold_share(board, me);
	else
		be_greedy(board, me);
	me->wall_ns = clock_now() - start;
	me->cpu_ns = clock_thread_cpu();
	me->accounted = !proc_schedstat(getpid(), &me->sched);
	_exit(EXIT_OK);
}

/* Children ignore the signals and look at the board, so that each still reports; a sleeping one wakes within a period. */
static void stop_children(struct board *board)
{
	atomic_store(&board->stop, true);
	for (int64_t i = 0; i < cfg.count; i++)
		if (board->child[i].pid > 0)
			while (waitpid(board->child[i].pid, NULL, 0) < 0 && errno == EINTR)
				;
}

static bool all_spinning(struct board *board)
{
	for (int64_t i = 0; i < cfg.count; i++) {
		struct child *c = &board->child[i];
		int refused = atomic_load(&c->refused);

		if (refused) {
			stop_children(board);
			die(EXIT_RUN, "the asked regime (--cpus, --nice, --policy) was refused: %s; root may set it", strerror(refused));
		}
		if (!atomic_load(&c->spinning))
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

static void report(struct rec *r, const struct board *board)
{
	double total = 0;

	rec_object(r, "settings");
	rec_int(r, "count", cfg.count);
	rec_real(r, "load_percent", cfg.percent, 3);
	rec_real(r, "period_ms", (double)cfg.period_ns / NS_PER_MS, 3);
	rec_int(r, "nice", cfg.nice);
	rec_end(r);
	rec_object(r, "result");
	rec_array(r, "children");
	for (int64_t i = 0; i < cfg.count; i++) {
		const struct child *c = &board->child[i];
		double share = c->wall_ns > 0 ? 100.0 * (double)c->cpu_ns / (double)c->wall_ns : 0;

		total += share;
		rec_object(r, NULL);
		rec_real(r, "cpu_s", (double)c->cpu_ns / NS_PER_S, 6);
		rec_real(r, "wall_s", (double)c->wall_ns / NS_PER_S, 6);
		rec_real(r, "share_percent", share, 3);
		rec_real(r, "wanted_percent", cfg.percent, 3);
		/* null: this kernel keeps no schedstat */
		rec_real(r, "runqueue_wait_s", c->accounted ? (double)c->sched.wait_ns / NS_PER_S : NAN, 6);
		rec_end(r);
	}
	rec_end(r);
	rec_real(r, "total_share_percent", total, 3);
	rec_end(r);
}

int main(int argc, char **argv)
{
	struct board *board;
	struct rec *out;
	int err;

	err = cli_parse(argc, argv, "sink [-n COUNT] [-l PERCENT] [-t TIME] [options]",
			"Takes CPU time: greedily, or a share of the wall clock held by feedback.", options);
	if (err < argc)
		die_usage("unexpected word %s", argv[err]);
	out = rec_open(&out_cfg, "sink");	/* before the run: a bad path must not cost it */
	if (!out)
		die(EXIT_RUN, "cannot write %s: %m", out_cfg.path);
	board = mmap(NULL, sizeof(*board) + (size_t)cfg.count * sizeof(struct child), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (board == MAP_FAILED)
		die(EXIT_RUN, "cannot share memory with the children: %m");
	proc_catch_stop();
	start_children(board);
	if (!proc_stop)
		proc_ready((int)cfg.ready_fd);
	proc_wait_stop(cfg.time_ns ? clock_now() + cfg.time_ns : INT64_MAX);
	stop_children(board);
	report(out, board);
	err = rec_close(out);
	if (err)
		die(EXIT_RUN, "cannot write the report: %s", strerror(-err));
	/* Without -t a signal is how it is meant to end; with -t it cut the run short. */
	return proc_stop && cfg.time_ns ? EXIT_INTERRUPTED : EXIT_OK;
}
