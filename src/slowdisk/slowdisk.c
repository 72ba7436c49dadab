// SPDX-License-Identifier: GPL-3.0-or-later
/* slowdisk - a disk of chosen slowness: a FUSE mount with one file whose reads and writes take a stated time.
 *
 * Made for swap: a loop device with direct I/O over its file is a swap device with a delay per read. The FUSE side is in
 * disk.c, the delays in pace.c. This file waits for requests, control commands and signals, in one thread, and writes the
 * log and the report. */
#include "clock.h"
#include "control.h"
#include "disk.h"
#include "files.h"
#include "held_up.h"
#include "memory.h"
#include "pace.h"
#include "proc.h"
#include "rec.h"
#include "rt.h"
#include "say.h"

#include <errno.h>
#include <malloc.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef PR_SET_IO_FLUSHER
#define PR_SET_IO_FLUSHER 57
#endif
#define PRIORITY 10			   /* real-time priority: a disk must not wait for a CPU */
#define HEAP ((size_t)8 << 20)		   /* bytes of heap allocated in advance */
#define JOURNAL_ROWS 65536u		   /* rows of the ring buffer, a power of two: 2.5 MB */
#define JOURNAL_NS (50 * NS_PER_MS)	   /* interval of writing the log */
#define JOURNAL_STACK ((size_t)128 * 1024) /* small, since it is locked in memory */

struct journal_row {
	int64_t time_ns, offset, length, service_ns;
	enum disk_op op;
};

/* The --log: a ring buffer of rows, written by a thread of its own. If the disk itself wrote the log, it would wait for the
 * page cache, which may wait for the disk. Rows that come faster than they are written are dropped and counted. */
struct journal {
	struct row_file *rows;
	pthread_t thread;
	atomic_bool end;
	_Atomic uint32_t head, tail;
	int64_t dropped;
	struct journal_row row[JOURNAL_ROWS];
};

static struct {
	const char *control, *log;
	int64_t ready_fd;
	struct disk_delays pace;
} cfg = { .ready_fd = STDERR_FILENO };
static struct rec_cfg out_cfg;

static struct {
	struct disk *disk;
	struct journal *journal;
	struct disk_delays pace;
	struct command_fifo control;
	int signals;	  /* signalfd */
	pid_t unmounting; /* process that unmounts; 0: none */
	struct rt_granted rt;
	bool flusher, spared; /* whether PR_SET_IO_FLUSHER, and the exemption from the OOM killer, were granted */
	struct {
		int64_t n, bytes, errors, sum_ns, max_ns;
	} done[DISK_OPS];
} now = { .control.fd = -1 };

static int parse_rate_option(const char *text, void *value)
{
	return pace_parse_rate(text, value);
}

static const struct cli_opt options[] = {
	{ CLI_NS, 0, "read-delay", &cfg.pace.read_ns, 0, (double)PACE_MAX_NS, .help = "delay of each read (0)" },
	{ CLI_NS, 0, "write-delay", &cfg.pace.write_ns, 0, (double)PACE_MAX_NS, .help = "delay of each write (0)" },
	{ CLI_CALL, 0, "read-rate", &cfg.pace.read_bits, .help = "rate of reads; the transfer time adds to the delay (none)",
	  .call = parse_rate_option, .meta = "RATE (150Kbit or more, or none)" },
	{ CLI_CALL, 0, "write-rate", &cfg.pace.write_bits, .help = "rate of writes; the transfer time adds to the delay (none)",
	  .call = parse_rate_option, .meta = "RATE (150Kbit or more, or none)" },
	{ CLI_STR, 0, "control", &cfg.control,
	  .help = "read commands from this fifo, created if missing: read-delay 5ms, delay 0, rate none", .meta = "FIFO" },
	{ CLI_FILE, 0, "log", &cfg.log, .help = "write a row for each request" },
	{ CLI_INT, 0, "ready-fd", &cfg.ready_fd, 0, 1023, .help = "write \"ready\" to this descriptor (2)", .meta = "FD" },
	REC_OPTIONS(out_cfg),
	{ .type = CLI_END },
};

/* --- log --- */

static void write_rows(struct journal *j)
{
	uint32_t head = atomic_load_explicit(&j->head, memory_order_acquire), tail = atomic_load(&j->tail);

	if (head == tail)
		return;
	for (; tail != head; tail++) {
		const struct journal_row *r = &j->row[tail % JOURNAL_ROWS];

		rows_write_int(j->rows, r->time_ns);
		rows_write_str(j->rows, r->op == DISK_READ ? "read" : "write");
		rows_write_ints(j->rows, r->offset, r->length, r->service_ns);
		rows_end_row(j->rows);
		atomic_store_explicit(&j->tail, tail + 1, memory_order_release);
	}
	rows_flush(j->rows);
}

static void *run_journal(void *arg)
{
	struct journal *j = arg;

	while (!atomic_load(&j->end)) {
		write_rows(j);
		clock_sleep(clock_now() + JOURNAL_NS);
	}
	write_rows(j);
	return NULL;
}

/* Opens the log and starts the thread, or ends the program. */
static struct journal *journal_open(const char *path)
{
	static const char *const columns[] = { "time_ns", "op", "offset_bytes", "length_bytes", "service_ns", NULL };
	struct journal *j = memory_new(1, sizeof(*j));
	int err;

	memset(j->row, 0xff, sizeof(j->row)); /* allocates the pages now */
	j->rows = rows_must_open(path, "disk/1", columns);
	err = proc_start_thread(&j->thread, JOURNAL_STACK, run_journal, j);
	if (err)
		die(EXIT_RUN, "cannot start the thread that writes %s: %s", path, strerror(err));
	return j;
}

/* Adds a row; never waits. */
static void journal_add(struct journal *j, const struct journal_row *row)
{
	uint32_t head = atomic_load_explicit(&j->head, memory_order_relaxed);

	if (head - atomic_load_explicit(&j->tail, memory_order_acquire) >= JOURNAL_ROWS) {
		j->dropped++;
		return;
	}
	j->row[head % JOURNAL_ROWS] = *row;
	atomic_store_explicit(&j->head, head + 1, memory_order_release);
}

/* Writes the remaining rows and ends the thread. 0 or -errno of the file; *dropped: rows lost. */
static int journal_close(struct journal *j, int64_t *dropped)
{
	int err;

	atomic_store(&j->end, true);
	pthread_join(j->thread, NULL);
	*dropped = j->dropped;
	err = rows_close(j->rows);
	free(j);
	return err;
}

/* --- control commands ------------------------------------------------------------------------------------------------- */

static void apply_command(void *arg, const char *line)
{
	int err = pace_apply_command(&now.pace, line);

	(void)arg;
	if (err)
		warn("command \"%s\" is %s; commands are: delay TIME, rate RATE, each also with read- or write- before", line,
		     err == -ERANGE ? "out of range (0 to 60s; 150Kbit or more)"
		     : err == -EDOM ? "a time without a unit"
				    : "not understood");
}

static void reap_unmount(const char *folder)
{
	int status;

	if (now.unmounting <= 0 || waitpid(now.unmounting, &status, WNOHANG) != now.unmounting)
		return;
	now.unmounting = 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return;
	warn("%s is in use and stays mounted; end what uses it (swapoff, losetup -d), then signal again", folder);
}

static void handle_signals(const char *folder)
{
	struct signalfd_siginfo info;

	while (read(now.signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGUSR1) {
			now.pace = (struct disk_delays){ 0 };
		} else if (info.ssi_signo == SIGCHLD) {
			reap_unmount(folder);
		} else if (now.unmounting <= 0) {
			now.unmounting = disk_start_unmount(now.disk);
			if (now.unmounting < 0)
				warn("cannot unmount %s: %s; umount it by hand", folder, strerror(-now.unmounting));
		}
	}
}

/* Waits until until_ns (INT64_MAX: no limit) or, if `requests`, for a request; handles commands and signals meanwhile. May return
 * early. True: a request is waiting. */
static bool wait_request(int64_t until_ns, bool requests, const char *folder)
{
	struct pollfd fd[] = { { now.signals, POLLIN, 0 },
			       { now.control.fd, POLLIN, 0 },
			       { requests ? disk_request_fd(now.disk) : -1, POLLIN, 0 } };
	int64_t left = until_ns == INT64_MAX ? 0 : until_ns - clock_now();
	struct timespec ts = clock_timespec(left);

	if (left < 0 || ppoll(fd, 3, until_ns == INT64_MAX ? NULL : &ts, NULL) <= 0)
		return false;
	if (fd[0].revents)
		handle_signals(folder);
	if (fd[1].revents)
		fifo_read_lines(&now.control, apply_command, NULL);
	return fd[2].revents != 0;
}

/* --- requests ------------------------------------------------------------------------------------------------ */

/* Delays a request. A command that arrives meanwhile applies to this request too: a delay set to 0 takes effect at once. */
static void wait_answer_due(void *folder, enum disk_op op, int64_t start_ns, int64_t length)
{
	for (;;) {
		int64_t due = start_ns + pace_delay_ns(&now.pace, op == DISK_WRITE, length);

		if (clock_now() >= due)
			return;
		wait_request(due, false, folder);
	}
}

static void count_operation(void *folder, enum disk_op op, int64_t start_ns, int64_t end_ns, int64_t offset, int64_t length,
			    int err)
{
	const struct journal_row row = { start_ns, offset, length, end_ns - start_ns, op };

	(void)folder;
	now.done[op].n++;
	now.done[op].bytes += err ? 0 : length;
	now.done[op].errors += err != 0;
	now.done[op].sum_ns += row.service_ns;
	if (row.service_ns > now.done[op].max_ns)
		now.done[op].max_ns = row.service_ns;
	if (now.journal)
		journal_add(now.journal, &row);
}

/* --- setup ------------------------------------------------------------------------------------------ */

static void open_signal_fd(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	now.signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (now.signals < 0)
		die(EXIT_RUN, "cannot take signals: %m");
}

/* Allocates heap in advance, and keeps malloc from mapping more or returning any. */
static void preallocate_heap(void)
{
	char *heap;

	mallopt(M_ARENA_MAX, 1);
	mallopt(M_MMAP_THRESHOLD, 32 << 20);
	mallopt(M_TRIM_THRESHOLD, 1 << 30);
	heap = malloc(HEAP);
	if (heap)
		memset(heap, 1, HEAP);
	__asm__ volatile("" ::"r"(heap) : "memory");
	free(heap);
}

/* When memory is short, paging waits for this process: it must neither wait for memory nor be killed by the OOM killer. */
static void protect_memory(void)
{
	now.spared = !files_write_text("/proc/self/oom_score_adj", "-1000");
	now.flusher = !prctl(PR_SET_IO_FLUSHER, 1, 0, 0, 0);
	rt_setup(PRIORITY, &now.rt);
}

/* --- the report ------------------------------------------------------------------------------------------------ */

static void report_operation(struct rec_report *r, const char *name, enum disk_op op)
{
	int64_t n = now.done[op].n;

	rec_begin_object(r, name);
	rec_add_ints(r, { "requests", n }, { "bytes", now.done[op].bytes }, { "errors", now.done[op].errors });
	rec_add_real(r, "service_mean_ms", n ? (double)now.done[op].sum_ns / (double)n / NS_PER_MS : NAN, 3);
	rec_add_real(r, "service_max_ms", n ? (double)now.done[op].max_ns / NS_PER_MS : NAN, 3);
	rec_end(r);
}

static void say_operation(struct rec_report *r, const char *name, enum disk_op op)
{
	int64_t n = now.done[op].n;

	if (n)
		rec_say(r, "%s %s (%s), %s each, %s at worst", count_text(n), name, bytes_text((double)now.done[op].bytes),
			ns_text((double)now.done[op].sum_ns / (double)n), ns_text((double)now.done[op].max_ns));
	if (now.done[op].errors)
		rec_warn(r, "%s of %s %s failed: errors of the backing file", count_text(now.done[op].errors), count_text(n), name);
}

static void say_requests(struct rec_report *r, int64_t dropped)
{
	say_operation(r, "reads", DISK_READ);
	say_operation(r, "writes", DISK_WRITE);
	if (!now.done[DISK_READ].n && !now.done[DISK_WRITE].n)
		rec_say(r, "no reads and no writes");
	if (dropped)
		rec_warn(r, "%s rows are missing in %s: they came too fast; the report counts them", count_text(dropped), cfg.log);
}

static void report_slowdisk(struct rec_report *r, const char *backing, int64_t dropped)
{
	rec_begin_object(r, "settings");
	rec_add_str(r, "backing", backing);
	rec_add_int(r, "size_bytes", disk_size(now.disk));
	rec_add_real(r, "read_delay_ms", (double)cfg.pace.read_ns / NS_PER_MS, 3);
	rec_add_real(r, "write_delay_ms", (double)cfg.pace.write_ns / NS_PER_MS, 3);
	rec_add_int(r, "read_rate_bits_per_s", cfg.pace.read_bits);
	rec_add_int(r, "write_rate_bits_per_s", cfg.pace.write_bits);
	rec_end(r);
	rec_begin_object(r, "result");
	report_operation(r, "reads", DISK_READ);
	report_operation(r, "writes", DISK_WRITE);
	held_up_report(r);
	rec_add_int(r, "log_rows_dropped", dropped);
	rec_add_bool(r, "backing_direct", disk_is_direct(now.disk));
	rec_add_bool(r, "memory_locked", now.rt.locked);
	rec_add_bool(r, "real_time", now.rt.fifo > 0);
	rec_add_bool(r, "io_flusher", now.flusher);
	rec_add_bool(r, "oom_spared", now.spared);
	rec_end(r);
	say_requests(r, dropped);
}

static void read_options(int argc, char **argv, const char **folder, const char **backing)
{
	int first = cli_parse(argc, argv, "slowdisk FOLDER BACKING_FILE [--read-delay TIME] [--write-delay TIME] [options]",
			      "Shows BACKING_FILE as FOLDER/disk, and delays each read and write by a given time.", options);
	const struct rec_output_path place[] = { { "-o", out_cfg.path ? out_cfg.path : "-" }, { "--log", cfg.log } };

	if (argc - first < 2)
		die_usage("a folder to mount in and a backing file are needed");
	cli_refuse_operands(argc, argv, first + 2);
	*folder = argv[first];
	*backing = argv[first + 1];
	rec_refuse_same_outputs(place, 2);
	proc_require_ready_fd((int)cfg.ready_fd);
}

static void mount_disk(const char *folder, const char *backing)
{
	struct disk_cfg disk = { folder, backing, wait_answer_due, count_operation, (void *)(uintptr_t)folder };
	struct why why;
	int err = disk_mount(&now.disk, &disk, &why);

	if (err)
		die(err == -ENODEV && access("/dev/fuse", F_OK) ? EXIT_MISSING : EXIT_RUN, "%s", why.text);
}

int main(int argc, char **argv)
{
	const char *folder, *backing;
	bool mounted = true, said = false, held;
	int64_t dropped = 0;
	struct rec_report *out;
	struct why why;
	int lost = 0;

	read_options(argc, argv, &folder, &backing);
	now.pace = cfg.pace;
	open_signal_fd();
	out = rec_must_open(&out_cfg, "slowdisk");
	preallocate_heap();
	if (cfg.log)
		now.journal = journal_open(cfg.log);
	if (cfg.control && fifo_open(&now.control, cfg.control, &why))
		die(EXIT_RUN, "%s", why.text);
	mount_disk(folder, backing);
	protect_memory();
	held_up_watch(now.rt.fifo);
	while (mounted) {
		if (wait_request(INT64_MAX, true, folder))
			mounted = disk_serve(now.disk);
		if (!said && disk_is_mounted(now.disk)) {
			said = true;
			proc_tell_ready((int)cfg.ready_fd);
			if (isatty(STDERR_FILENO) && out_cfg.detail != REC_QUIET)
				fprintf(stderr, "slowdisk: %s/disk, %s; Ctrl-C unmounts it\n", folder,
					memory_text((double)disk_size(now.disk)));
		}
	}
	fifo_remove(&now.control);
	if (!said) {
		disk_free(now.disk);
		die(EXIT_RUN, "%s was not mounted: %s", folder,
		    disk_fuse_message()[0] ? disk_fuse_message() : "it was unmounted immediately");
	}
	if (now.journal)
		lost = journal_close(now.journal, &dropped);
	if (lost)
		warn("cannot write %s: %s; the report still counts the requests", cfg.log, strerror(-lost));
	held = held_up_warn(out, "slowdisk");
	report_slowdisk(out, backing, dropped);
	disk_free(now.disk);
	rec_must_close(out);
	return lost || dropped || held ? EXIT_LOSSY : EXIT_OK;
}
