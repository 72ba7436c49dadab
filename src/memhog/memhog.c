// SPDX-License-Identifier: GPL-3.0-or-later
/* memhog - takes memory, fills it with data that neither compresses nor merges, and optionally keeps touching it.
 *
 * The memory is in hog.c; how much may be taken in headroom.c; the report in hog_report.c. This file reads the options and
 * stops the hog before the rest of the machine runs out of memory. */
#include "account.h"
#include "clock.h"
#include "files.h"
#include "held_up.h"
#include "hog.h"
#include "proc.h"
#include "random.h"
#include "rec.h"
#include "hog_report.h"
#include "say.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#define NAP_NS (4 * NS_PER_MS) /* interval of checks while filling */
#define THREADS_DEFAULT 8
#define BEHIND_PART 10 /* touches that were given up for a tenth of the time: the rate was not held */

enum { SIZE_LEAST = 1 << 20 };
enum { UNASKED = -1 };

static struct memhog_options cfg = {
	.reserve = UNASKED, .seed = UNASKED, .touching = UNASKED, .pattern = UNASKED, .access = UNASKED, .ready_fd = STDERR_FILENO
};
static struct rec_cfg out_cfg;

static const char *const page_words[] = { "4K", "2M", NULL };

static struct hog_world world = { .left_least = INT64_MAX, .group = { .limits = { INT64_MAX, INT64_MAX }, .swapped = -1 } };

static int read_size(const char *text, void *value)
{
	(void)value;
	if (!strchr(text, '%'))
		return cli_parse_bytes(text, &cfg.size) || cfg.size < SIZE_LEAST ? -1 : 0;
	return cli_parse_percent(text, &cfg.percent) || !(cfg.percent > 0 && cfg.percent <= 10000) ? -1 : 0;
}

static int read_rate(const char *text, void *value)
{
	size_t n = strlen(text);
	char size[32];

	if (n > 2 && !strcmp(text + n - 2, "/s"))
		n -= 2;
	if (n >= sizeof(size))
		return -1;
	memcpy(size, text, n);
	size[n] = '\0';
	return cli_parse_bytes(size, value) || cfg.rate < (int64_t)hog_page_bytes() ? -1 : 0;
}

static const struct cli_opt options[] = {
	{ CLI_CALL, 's', "size", &cfg.size, .help = "memory to take; PERCENT of the memory cgroup's limit, else of the machine",
	  .call = read_size, .meta = "SIZE (from 1M on) or PERCENT%" },
	{ CLI_BYTES, 0, "until-swap", &cfg.until_swap, 4096, 1e15,
	  .help = "grow until this much is in swap, or to --size (all memory)" },
	{ CLI_WORD, 0, "swap-of", &cfg.swap_of, .help = "--until-swap counts the swap of the process or its cgroup (process)",
	  .words = report_swap_words },
	{ CLI_WORD, 0, "touch", &cfg.touching, .words = report_touch_words,
	  .help = "keep touching the filled memory, or not (none; keep with --pattern, --rate, --access)" },
	{ CLI_WORD, 0, "pattern", &cfg.pattern, .help = "touch one word a page in order, or at random, or all words (seq)",
	  .words = report_pattern_words },
	{ CLI_CALL, 0, "rate", &cfg.rate, .help = "touch this many bytes of pages a second (unlimited)", .call = read_rate,
	  .meta = "SIZE/s (from 4K/s on)" },
	{ CLI_WORD, 0, "access", &cfg.access, .help = "only read the touched memory, or write to it (write)",
	  .words = report_access_words },
	{ CLI_NS, 't', "time", &cfg.time_ns, 1e6, 30 * NS_PER_DAY, .help = "stop this long after ready (default: on a signal)" },
	{ CLI_INT, 0, "threads", &cfg.threads, 1, HOG_THREADS_MAX, .help = "threads that fill and touch (one per CPU, at most 8)" },
	{ CLI_WORD, 0, "page", &cfg.huge, .help = "page size (4K)", .words = page_words },
	{ CLI_BYTES, 0, "reserve", &cfg.reserve, 0, 1e15,
	  .help = "leave this much to other processes (a tenth of memory, at least 256M)" },
	{ CLI_STR, 0, "cgroup", &cfg.cgroup, .help = "enter this cgroup: a folder with a cgroup.procs (inherited)",
	  .meta = "FOLDER" },
	{ CLI_INT, 0, "seed", &cfg.seed, 0, 9e18, .help = "seed of content and random order (a new one each time)" },
	{ CLI_INT, 0, "ready-fd", &cfg.ready_fd, 0, 1023, .help = "write \"ready\" to this descriptor (2)", .meta = "FD" },
	REC_OPTIONS(out_cfg),
	{ .type = CLI_END },
};

/* --- how much, and whether there is room ----------------------------------------------------------------------- */

static void read_memory(void)
{
	char mount[PATH_MAX / 2], name[PATH_MAX / 2];
	int err = headroom_read_meminfo("/proc", &world.machine);

	if (err)
		die(EXIT_RUN, "cannot read /proc/meminfo: %s", strerror(-err));
	world.group.version = proc_find_cgroup_mount("", "memory", mount, sizeof(mount));
	if (world.group.version && proc_read_cgroup(getpid(), "memory", name, sizeof(name)) == world.group.version)
		snprintf(world.group.folder, sizeof(world.group.folder), "%s%s", mount, strcmp(name, "/") ? name : "");
	else
		world.group.version = 0;
	headroom_read_group(&world.group);
	world.reserve = cfg.reserve >= 0 ? cfg.reserve : headroom_default_reserve(&world.machine);
}

static void choose_fill_size(void)
{
	int64_t now = headroom_left(&world.machine, &world.group, 0), most = now - world.reserve;
	bool confined = headroom_is_limited(&world.machine, &world.group);

	if (cfg.percent > 0)
		cfg.size = (int64_t)((double)headroom_percent_base(&world.machine, &world.group) * cfg.percent / 100);
	else if (!cfg.size)
		cfg.size = confined ? world.group.limits.lowest + world.machine.swap_free : most;
	if (cfg.until_swap && cfg.swap_of && world.group.swapped < 0)
		die(EXIT_RUN, "--swap-of group: there is no memory cgroup that counts its swap; use --swap-of process");
	if (cfg.until_swap && !world.machine.swap_total)
		die(EXIT_RUN, "--until-swap: there is no swap; enable one with swapon, or use --size alone");
	/* --until-swap: memory grows step by step while the reserve is checked */
	if (most > 0 && (cfg.until_swap || headroom_left(&world.machine, &world.group, cfg.size) >= world.reserve))
		return;
	if (most < SIZE_LEAST || confined)
		die(EXIT_RUN, "the machine has %s available, and --reserve keeps %s free; %s", memory_text((double)now),
		    memory_text((double)world.reserve), confined ? "use a cgroup with a lower limit" : "end other programs first");
	die(EXIT_RUN, "%s would leave %s to the rest of the machine, and --reserve keeps %s free; at most %s fit",
	    memory_text((double)cfg.size), memory_text((double)(now - cfg.size)), memory_text((double)world.reserve),
	    memory_text((double)most));
}

/* Reads the free memory if world.look_ns has come, and plans the next check. True: less than the reserve is free. */
static bool poll_reserve_breached(void)
{
	int64_t left;

	if (clock_now() < world.look_ns)
		return false;
	world.look_ns = clock_now() + NS_PER_S;
	if (headroom_read_meminfo("/proc", &world.machine))
		return false;
	left = headroom_left(&world.machine, &world.group, 0);
	if (left < world.left_least)
		world.left_least = left;
	world.look_ns = clock_now() + headroom_next_check_ns(left - world.reserve);
	return left < world.reserve;
}

/* Makes this process the first victim of the OOM killer, and locks its own code in memory so that it can react. */
static void become_oom_victim(void)
{
	int err = files_write_text("/proc/self/oom_score_adj", "1000");

	world.marked = !err;
	if (err)
		warn("cannot raise oom_score_adj: %s; the OOM killer may end another process for the memory taken here",
		     strerror(-err));
	mlockall(MCL_CURRENT);
}

/* --- the run --------------------------------------------------------------------------------------------------- */

static bool poll_swap_goal_reached(void)
{
	if (!cfg.until_swap)
		return false;
	if (cfg.swap_of && !headroom_read_group(&world.group))
		world.swapped_goal = world.group.swapped;
	else if (!cfg.swap_of)
		world.swapped_goal = account_read_number("/proc/self", "status", "VmSwap:");
	return world.swapped_goal >= cfg.until_swap;
}

/* Fills the memory. END_TIME: all that was requested. */
static enum report_end fill_memory(struct memory_hog *h)
{
	enum report_end end = END_TIME;
	bool reached = false;
	int err = hog_start_fill(h);

	if (err)
		die(EXIT_RUN, "cannot start %d threads: %s; give fewer --threads", (int)cfg.threads, strerror(-err));
	while (!h->fill_end_ns && end == END_TIME && !(reached = poll_swap_goal_reached())) {
		proc_sleep(clock_now() + NAP_NS);
		if (proc_stop)
			end = END_SIGNAL;
		else if (poll_reserve_breached())
			end = END_RESERVE;
	}
	hog_stop(h);
	if (end == END_TIME && cfg.until_swap && !reached && !poll_swap_goal_reached())
		end = END_SIZE;
	return end;
}

static volatile sig_atomic_t pause_touching; /* set by SIGUSR1 */
static int64_t paused_ns;		     /* since when nothing is touched; 0: it goes on */

static void on_pause_signal(int signal_number)
{
	(void)signal_number;
	pause_touching = 1;
}

static enum report_end hold_memory(struct memory_hog *h)
{
	int64_t until = cfg.time_ns ? clock_now() + cfg.time_ns : INT64_MAX;
	int err = cfg.touching == TOUCH_KEEP ? hog_start_touch(h) : 0;

	if (err)
		die(EXIT_RUN, "cannot start %d threads: %s; give fewer --threads", (int)cfg.threads, strerror(-err));
	proc_tell_ready((int)cfg.ready_fd);
	while (!proc_stop && clock_now() < until) {
		int64_t wake = clock_now() + NAP_NS;

		if (poll_reserve_breached())
			return END_RESERVE;
		if (pause_touching && !paused_ns) {
			hog_stop(h);
			paused_ns = clock_now();
		}
		if (pause_touching || cfg.touching != TOUCH_KEEP || wake > world.look_ns)
			wake = world.look_ns;
		proc_sleep(until < wake ? until : wake);
	}
	return proc_stop ? END_SIGNAL : END_TIME;
}

/* --- main ------------------------------------------------------------------------------------------------------ */

static void read_options(int argc, char **argv)
{
	int first = cli_parse(
		argc, argv, "memhog -s SIZE|PERCENT% | --until-swap SIZE [--pattern PATTERN] [--rate SIZE/s] [-t TIME] [options]",
		"Fills memory with data that neither compresses nor merges, and optionally keeps touching it.", options);
	bool how = cfg.pattern != UNASKED || cfg.rate || cfg.access != UNASKED;

	cli_refuse_operands(argc, argv, first);
	if (!cfg.size && !(cfg.percent > 0) && !cfg.until_swap)
		die_usage("no size is given: -s SIZE, -s PERCENT%% or --until-swap SIZE");
	if (cfg.size && cfg.percent > 0)
		die_usage("--size is given twice, in bytes and in percent");
	if (cfg.swap_of && !cfg.until_swap)
		die_usage("--swap-of needs --until-swap");
	if (cfg.touching == TOUCH_NONE && how)
		die_usage("--touch none excludes --pattern, --rate and --access");
	if (cfg.touching == UNASKED)
		cfg.touching = how ? TOUCH_KEEP : TOUCH_NONE;
	if (cfg.pattern == UNASKED)
		cfg.pattern = PATTERN_SEQ;
	proc_require_ready_fd((int)cfg.ready_fd);
}

static void choose_threads(void)
{
	struct cli_cpus cpus = { .n = 1 };
	uint64_t chance;

	if (!cfg.threads) {
		proc_allowed_cpus(&cpus);
		cfg.threads = cpus.n < THREADS_DEFAULT ? cpus.n : THREADS_DEFAULT;
	}
	if (cfg.seed < 0) {
		/* two hogs with the same seed would have identical pages, which KSM could merge */
		if (getrandom(&chance, sizeof(chance), GRND_NONBLOCK) != sizeof(chance))
			chance = (uint64_t)clock_now() ^ (uint64_t)getpid() << 40;
		cfg.seed = (int64_t)(random_bits(&chance) >> 2);
	}
}

static struct memory_hog *make_hog(void)
{
	const struct hog_cfg hog = {
		.bytes = cfg.size,
		.huge = cfg.huge,
		.threads = (int)cfg.threads,
		.seed = (uint64_t)cfg.seed,
		.write = cfg.access != ACCESS_READ,
		.order = cfg.pattern == PATTERN_RANDOM ? ACCESS_RANDOM : ACCESS_SEQ,
		.stream = cfg.pattern == PATTERN_STREAM,
		.rate = (double)cfg.rate,
	};
	struct memory_hog *h;
	int err = hog_new(&h, &hog);

	if (err)
		die(EXIT_RUN, "cannot map %lld bytes: %s; give a smaller --size", (long long)cfg.size, strerror(-err));
	return h;
}

static void warn_missed_goal(struct rec_report *out, enum report_end end, bool ready)
{
	if (end == END_RESERVE)
		rec_warn(out, "stopped %s: the rest of the machine had only %s of memory, and --reserve keeps %s free",
			 ready ? "early" : "while filling", memory_text((double)world.left_least),
			 memory_text((double)world.reserve));
	if (end == END_SIZE)
		rec_warn(out, "all %s are filled and %s are in swap, not %s; give a larger --size or a smaller --until-swap",
			 memory_text((double)cfg.size), memory_text((double)world.swapped_goal),
			 memory_text((double)cfg.until_swap));
}

int main(int argc, char **argv)
{
	struct hog_reading filled, last;
	int64_t from = 0, to = 0;
	struct rec_report *out;
	struct memory_hog *h;
	enum report_end end;
	bool ready, behind, held;
	int err;

	read_options(argc, argv);
	proc_set_parent_death_term();
	proc_catch_stop();
	sigaction(SIGUSR1, &(struct sigaction){ .sa_handler = on_pause_signal }, NULL);
	out = rec_must_open(&out_cfg, "memhog");
	err = cfg.cgroup ? proc_enter_cgroup(cfg.cgroup) : 0;
	if (err)
		die(EXIT_RUN, "--cgroup %s was refused: %s; give a cgroup folder whose cgroup.procs root or its owner may write",
		    cfg.cgroup, strerror(-err));
	read_memory();
	choose_fill_size();
	choose_threads();
	become_oom_victim();
	h = make_hog();
	end = fill_memory(h);
	report_read_hog(h, &filled);
	ready = end == END_TIME;
	if (ready && cfg.huge && !filled.err && filled.is.huge < (filled.is.rss + filled.is.swap) / 10 * 9)
		rec_warn(out, "only %s of %s are in huge pages (of %s)", memory_text((double)filled.is.huge),
			 memory_text((double)(filled.is.rss + filled.is.swap)), memory_text((double)h->huge));
	if (ready) {
		from = clock_now();
		if (cfg.touching == TOUCH_KEEP)
			held_up_watch(0);
		end = hold_memory(h);
		hog_stop(h);
		to = paused_ns ? paused_ns : clock_now();
	}
	report_read_hog(h, &last);
	warn_missed_goal(out, end, ready);
	held = held_up_warn(out, "memhog");
	behind = cfg.rate && h->pattern.given_up_ns > (to - from) / BEHIND_PART;
	if (behind && !held)
		rec_warn(out, "the memory was not touched at the requested rate: this machine cannot, or did not give the CPU");
	report_hog(out, &cfg, &world, h, &filled, &last, to - from, end);
	hog_free(h);
	rec_must_close(out);
	if (end == END_RESERVE || end == END_SIZE || behind || held)
		return EXIT_LOSSY;
	return end == END_SIGNAL && (cfg.time_ns || !ready) ? EXIT_INTERRUPTED : EXIT_OK;
}
