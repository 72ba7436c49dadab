// SPDX-License-Identifier: GPL-3.0-or-later
/* memhog - takes memory: fills it with what neither compresses nor merges, and keeps touching it, if asked.
 *
 * The memory is hog.c's, how much of it there may be room.c's, what is told of it report.c's. This
 * file reads options, and watches that nobody else runs out of memory. */
#include "clock.h"
#include "hog.h"
#include "proc.h"
#include "random.h"
#include "rec.h"
#include "report.h"
#include "say.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#define NAP_NS (4 * NS_PER_MS)		/* between looks while it fills */
#define THREADS_UNASKED 8

enum { SIZE_LEAST = 1 << 20 };
enum { UNASKED = -1 };

static struct wish cfg = { .reserve = UNASKED, .seed = UNASKED, .touching = UNASKED, .pattern = UNASKED,
			   .ready_fd = STDERR_FILENO };
static struct rec_cfg out_cfg;

static const char *const page_words[] = { "4K", "2M", NULL };

static struct world world = { .left_least = INT64_MAX };

static int read_fill_size(const char *text, void *value)
{
	size_t n = strlen(text);
	char number[32];

	(void)value;
	if (!n || text[n - 1] != '%')
		return cli_read_bytes(text, &cfg.size) || cfg.size < SIZE_LEAST ? -1 : 0;
	if (n >= sizeof(number))
		return -1;
	memcpy(number, text, n - 1);
	number[n - 1] = '\0';
	return cli_read_real(number, &cfg.percent) || !(cfg.percent > 0 && cfg.percent <= 10000) ? -1 : 0;
}

static int read_touch_rate(const char *text, void *value)
{
	size_t n = strlen(text);
	char size[32];

	if (n > 2 && !strcmp(text + n - 2, "/s"))
		n -= 2;
	if (n >= sizeof(size))
		return -1;
	memcpy(size, text, n);
	size[n] = '\0';
	return cli_read_bytes(size, value) || cfg.rate < HOG_PAGE ? -1 : 0;
}

static const struct cli_opt options[] = {
	{ CLI_CALL, 's', "size", &cfg.size, 0, 0,
	  "how much; a percentage is of the memory group's limit, else of the machine", NULL, read_fill_size,
	  "SIZE (from 1M on) or PERCENT%" },
	{ CLI_BYTES, 0, "until-swap", &cfg.until_swap, 4096, 1e15,
	  "grow until this much is in swap, up to --size (all there is)", NULL, NULL, NULL },
	{ CLI_WORD, 0, "swap-of", &cfg.swap_of, 0, 0, "whose swap that is (process)", report_swap_words, NULL, NULL },
	{ CLI_WORD, 0, "touch", &cfg.touching, 0, 0,
	  "once filled, leave it alone or keep touching it (keep when a pattern, a rate, --read or --write is given)",
	  report_touch_words, NULL, NULL },
	{ CLI_WORD, 0, "pattern", &cfg.pattern, 0, 0,
	  "touch a word in each page, in order or not, or all words of each in order (seq)", report_pattern_words, NULL, NULL },
	{ CLI_CALL, 0, "rate", &cfg.rate, 0, 0, "touch this many bytes of pages a second (as fast as can be)", NULL, read_touch_rate,
	  "SIZE/s (from 4K/s on)" },
	{ CLI_FLAG, 0, "write", &cfg.write, 0, 0, "change what is touched (unless --read)", NULL, NULL, NULL },
	{ CLI_FLAG, 0, "read", &cfg.read, 0, 0, "only read it", NULL, NULL, NULL },
	{ CLI_NS, 't', "time", &cfg.time_ns, 1e6, 30.0 * (double)NS_PER_DAY,
	  "stop this long after ready (when told to)", NULL, NULL, NULL },
	{ CLI_INT, 0, "threads", &cfg.threads, 1, HOG_THREADS_MAX, "how many fill and touch (one a CPU, at most 8)", NULL, NULL, NULL },
	{ CLI_WORD, 0, "page", &cfg.huge, 0, 0, "in pages of this size (4K)", page_words, NULL, NULL },
	{ CLI_BYTES, 0, "reserve", &cfg.reserve, 0, 1e15,
	  "leave this much to everybody else (a tenth of the machine, at least 256M)", NULL, NULL, NULL },
	{ CLI_STR, 0, "cgroup", &cfg.cgroup, 0, 0, "enter this group: a folder that holds a cgroup.procs (as inherited)", NULL, NULL,
	  "FOLDER" },
	{ CLI_INT, 0, "seed", &cfg.seed, 0, 9e18, "for the content and the random pattern (another one each time)", NULL, NULL, NULL },
	{ CLI_INT, 0, "ready-fd", &cfg.ready_fd, 0, 1023, "write \"ready\" to this descriptor (2)", NULL, NULL, "FD" },
	REC_OPTIONS(out_cfg),
	{ .type = CLI_END },
};

/* "1.5 GiB", for people. */
static const char *sized(char *text, size_t room, int64_t bytes)
{
	double m = (double)bytes / 1048576;

	snprintf(text, room, fabs(m) < 1024 ? "%.0f MiB" : "%.1f GiB", fabs(m) < 1024 ? m : m / 1024);
	return text;
}

/* --- how much, and whether there is room ----------------------------------------------------------------------- */

static int read_machine(void)
{
	FILE *in = fopen("/proc/meminfo", "re");
	int err = in ? room_read_meminfo(in, &world.machine) : -errno;

	if (in)
		fclose(in);
	return err;
}

static void find_room(void)
{
	FILE *cgroup = fopen("/proc/self/cgroup", "re"), *mounts = fopen("/proc/self/mountinfo", "re");
	int err = read_machine();

	if (err)
		die(EXIT_RUN, "cannot read /proc/meminfo: %s", strerror(-err));
	if (cgroup && mounts && !room_find_group(cgroup, mounts, "", &world.group))
		room_read_group(&world.group);
	if (cgroup)
		fclose(cgroup);
	if (mounts)
		fclose(mounts);
	world.reserve = cfg.reserve >= 0 ? cfg.reserve : room_reserve(&world.machine);
}

static void choose_fill_size(void)
{
	int64_t now = room_left(&world.machine, &world.group, 0), most = now - world.reserve;
	bool confined = room_confined(&world.machine, &world.group);
	char wanted[32], left[32], reserve[32], fits[32];

	if (cfg.percent > 0)
		cfg.size = (int64_t)((double)room_whole(&world.machine, &world.group) * cfg.percent / 100);
	else if (!cfg.size)
		cfg.size = confined ? world.group.limit + world.machine.swap_free : most;
	if (cfg.until_swap && cfg.swap_of && world.group.swapped < 0)
		die(EXIT_RUN, "--swap-of group: no memory group that tells its swap; take --swap-of process");
	if (cfg.until_swap && !world.machine.swap_total)
		die(EXIT_RUN, "--until-swap: there is no swap; swapon one, or take --size alone");
	/* up to a goal it grows under watch */
	if (most > 0 && (cfg.until_swap || room_left(&world.machine, &world.group, cfg.size) >= world.reserve))
		return;
	sized(reserve, sizeof(reserve), world.reserve);
	if (most < SIZE_LEAST || confined)
		die(EXIT_RUN, "the machine has %s left, and %s are to stay; %s", sized(left, sizeof(left), now), reserve,
		    confined ? "a group with a lower limit is needed" : "end something else first");
	die(EXIT_RUN, "%s would leave %s to everybody else, and %s are to stay; up to %s fit", sized(wanted, sizeof(wanted), cfg.size),
	    sized(left, sizeof(left), now - cfg.size), reserve, sized(fits, sizeof(fits), most));
}

/* Whether the reserve is touched. Looks when it is time. */
static bool is_short(void)
{
	int64_t left;

	if (clock_now() < world.look_ns)
		return false;
	world.look_ns = clock_now() + NS_PER_S;
	if (read_machine())
		return false;
	left = room_left(&world.machine, &world.group, 0);
	if (left < world.left_least)
		world.left_least = left;
	world.look_ns = clock_now() + room_look_again_ns(left - world.reserve);
	return left < world.reserve;
}

/* First to go when memory is short, whatever else happens; and our own code stays where it is, to see that it is. */
static void be_expendable(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	world.marked = fd >= 0 && write(fd, "1000", 4) == 4;
	if (fd >= 0)
		close(fd);
	if (!world.marked)
		warn("cannot raise oom_score_adj: %m; another process may be ended for the memory taken here");
	mlockall(MCL_CURRENT);
}

/* --- the run --------------------------------------------------------------------------------------------------- */

static bool goal_reached(void)
{
	if (!cfg.until_swap)
		return false;
	if (cfg.swap_of && !room_read_group(&world.group))
		world.swapped_goal = world.group.swapped;
	else if (!cfg.swap_of)
		world.swapped_goal = hog_swapped();
	return world.swapped_goal >= cfg.until_swap;
}

/* END_TIME: filled as asked. */
static enum report_end fill_as_asked(struct hog *h)
{
	enum report_end end = END_TIME;
	bool reached = false;
	int err = hog_fill(h);

	if (err)
		die(EXIT_RUN, "cannot start %d threads: %s; fewer --threads", (int)cfg.threads, strerror(-err));
	while (!hog_fill_ended(h) && end == END_TIME && !(reached = goal_reached())) {
		proc_wait_stop(clock_now() + NAP_NS);
		if (proc_stop)
			end = END_SIGNAL;
		else if (is_short())
			end = END_RESERVE;
	}
	hog_stop(h);
	if (end == END_TIME && cfg.until_swap && !reached && !goal_reached())
		end = END_SIZE;
	return end;
}

static volatile sig_atomic_t to_rest;

static void on_rest(int signal_number)
{
	(void)signal_number;
	to_rest = 1;
}

static enum report_end hold_memory(struct hog *h)
{
	int64_t until = cfg.time_ns ? clock_now() + cfg.time_ns : INT64_MAX;
	int err = cfg.touching == TOUCH_KEEP ? hog_touch(h) : 0;

	if (err)
		die(EXIT_RUN, "cannot start %d threads: %s; fewer --threads", (int)cfg.threads, strerror(-err));
	proc_say_ready((int)cfg.ready_fd);
	while (!proc_stop && clock_now() < until) {
		int64_t wake = clock_now() + NAP_NS;

		if (is_short())
			return END_RESERVE;
		if (to_rest)
			hog_stop(h);
		if (to_rest || cfg.touching != TOUCH_KEEP || wake > world.look_ns)
			wake = world.look_ns;
		proc_wait_stop(until < wake ? until : wake);
	}
	return proc_stop ? END_SIGNAL : END_TIME;
}

/* --- main ------------------------------------------------------------------------------------------------------ */

static void read_memhog_options(int argc, char **argv)
{
	int first = cli_parse(argc, argv,
			      "memhog -s SIZE|PERCENT% | --until-swap SIZE [--pattern PATTERN] [--rate SIZE/s] [-t TIME] [options]",
			      "Takes memory, fills it with what neither compresses nor merges, and keeps touching it, if asked.", options);
	bool how = cfg.pattern != UNASKED || cfg.rate || cfg.read || cfg.write;

	if (first < argc)
		die_usage("unexpected word %s", argv[first]);
	if (!cfg.size && !(cfg.percent > 0) && !cfg.until_swap)
		die_usage("how much? -s SIZE, -s PERCENT%% or --until-swap SIZE");
	if (cfg.size && cfg.percent > 0)
		die_usage("--size is given twice, in bytes and in percent");
	if (cfg.read && cfg.write)
		die_usage("--read and --write exclude each other");
	if (cfg.swap_of && !cfg.until_swap)
		die_usage("--swap-of needs --until-swap");
	if (cfg.touching == TOUCH_NONE && how)
		die_usage("--touch none leaves nothing for a pattern, a rate, --read or --write");
	if (cfg.touching == UNASKED)
		cfg.touching = how ? TOUCH_KEEP : TOUCH_NONE;
	if (cfg.pattern == UNASKED)
		cfg.pattern = PATTERN_SEQ;
	proc_check_ready_fd((int)cfg.ready_fd);
}

static void choose_rest(void)
{
	struct cli_cpus cpus = { .n = 1 };
	uint64_t chance;

	if (!cfg.threads) {
		proc_cpus_allowed(&cpus);
		cfg.threads = cpus.n < THREADS_UNASKED ? cpus.n : THREADS_UNASKED;
	}
	if (cfg.seed < 0) {
		/* two hogs of one seed would hold the same pages */
		if (getrandom(&chance, sizeof(chance), GRND_NONBLOCK) != sizeof(chance))
			chance = (uint64_t)clock_now() ^ (uint64_t)getpid() << 40;
		cfg.seed = (int64_t)(random_bits(&chance) >> 2);
	}
}

static struct hog *map_hog(void)
{
	const struct hog_cfg hog = {
		.bytes = cfg.size, .huge = cfg.huge, .threads = (int)cfg.threads, .seed = (uint64_t)cfg.seed, .write = !cfg.read,
		.order = cfg.pattern == PATTERN_RANDOM ? TURNS_RANDOM : TURNS_SEQ, .stream = cfg.pattern == PATTERN_STREAM,
		.rate = (double)cfg.rate,
	};
	struct hog *h;
	int err = hog_new(&h, &hog);

	if (err)
		die(EXIT_RUN, "cannot map %lld bytes: %s; a smaller --size", (long long)cfg.size, strerror(-err));
	return h;
}

static void tell_why(struct rec *out, enum report_end end, bool ready)
{
	char a[32], b[32], c[32];

	if (end == END_RESERVE)
		rec_warn(out, "stopped %s: %s of memory were left to everybody else, and %s are to stay", ready ? "early" : "while filling",
			 sized(a, sizeof(a), world.left_least), sized(b, sizeof(b), world.reserve));
	if (end == END_SIZE)
		rec_warn(out, "all of %s is filled and %s are in swap, not %s; a larger --size, or a smaller --until-swap",
			 sized(a, sizeof(a), cfg.size), sized(b, sizeof(b), world.swapped_goal), sized(c, sizeof(c), cfg.until_swap));
}

int main(int argc, char **argv)
{
	struct memory_picture filled, last;
	int64_t from = 0, to = 0;
	struct rec *out;
	struct hog *h;
	enum report_end end;
	bool ready;
	int err;

	read_memhog_options(argc, argv);
	proc_stop_with_parent();
	proc_catch_stop();
	sigaction(SIGUSR1, &(struct sigaction){ .sa_handler = on_rest }, NULL);
	out = rec_open(&out_cfg, "memhog");
	if (!out)
		die(EXIT_RUN, "cannot write %s: %m", out_cfg.path);
	err = cfg.cgroup ? proc_enter_group(cfg.cgroup) : 0;
	if (err)
		die(EXIT_RUN, "--cgroup %s was refused: %s; a group is a folder that holds a cgroup.procs, which root or its owner may write",
		    cfg.cgroup, strerror(-err));
	find_room();
	choose_fill_size();
	choose_rest();
	be_expendable();
	h = map_hog();
	end = fill_as_asked(h);
	report_look(h, &filled);
	ready = end == END_TIME;
	if (ready && cfg.huge && !filled.err && filled.is.huge < (filled.is.rss + filled.is.swap) / 10 * 9)
		rec_warn(out, "only %s of %s are in pages of 2M", say_memory((double)filled.is.huge),
			 say_memory((double)(filled.is.rss + filled.is.swap)));
	if (ready) {
		from = clock_now();
		end = hold_memory(h);
		hog_stop(h);
		to = clock_now();
	}
	report_look(h, &last);
	tell_why(out, end, ready);
	report_hog(out, &cfg, &world, h, &filled, &last, to - from, end);
	hog_free(h);
	err = rec_close(out);
	if (err)
		die(EXIT_RUN, "cannot write the report: %s", strerror(-err));
	if (end == END_RESERVE || end == END_SIZE)
		return EXIT_LOSSY;
	return end == END_SIGNAL && (cfg.time_ns || !ready) ? EXIT_INTERRUPTED : EXIT_OK;
}
