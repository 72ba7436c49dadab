/* proc - processes: dying with the parent, stopping on a signal, and what the kernel says they used. */
#ifndef THINPROBE_PROC_H
#define THINPROBE_PROC_H

#include "cli.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Set by SIGINT and SIGTERM once proc_catch_stop() was called. Loops look at it and end early, with a report. */
extern volatile sig_atomic_t proc_stop;
void proc_catch_stop(void);
/* Sleeps until the absolute time (INT64_MAX: for ever) or until such a signal, also one that came before. */
void proc_wait_stop(int64_t until_ns);

/* Asks the kernel to kill this process when its parent dies; `parent` is the pid that must still be the parent.
 * 0, or -ESRCH when it has died already. */
int proc_die_with_parent(pid_t parent);

/* Asks for SIGTERM, the friendly end with a report, when the parent dies: for load programs, which must not outlive
 * who asked for the load. */
void proc_stop_with_parent(void);

/* Dies with EXIT_USAGE unless `fd` is open: to be called before any file is opened, which might take that number
 * and then find "ready" in its midst. A closed standard error is allowed. */
void proc_check_ready_fd(int fd);
/* Says "ready" for whoever waits: one line on `fd` (standard error by default). 0, or -errno when nobody can read it. */
int proc_ready(int fd);

/* Puts the calling thread on these CPUs. 0 or -errno; with an empty list nothing happens. -ENODEV when some of them are
 * not there or not allowed: the kernel would quietly take the rest. */
int proc_pin(const struct cli_cpus *cpus);
/* The CPUs the calling thread may use. 0 or -errno. */
int proc_cpus_allowed(struct cli_cpus *out);

/* From /proc/PID/schedstat: time on a CPU, time ready but waiting for one, times put on a CPU.
 * 0, or -errno (-ENOENT where the kernel does not account). */
struct proc_schedstat {
	int64_t run_ns, wait_ns, slices;
};
int proc_schedstat(pid_t pid, struct proc_schedstat *out);

/* The line of /proc/PID/autogroup ("/autogroup-4 nice 0"), or "" where there is none. */
void proc_autogroup(pid_t pid, char *text, size_t size);

#endif
