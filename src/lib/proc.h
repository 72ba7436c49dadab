/* SPDX-License-Identifier: GPL-3.0-or-later */
/* proc - processes: dying with the parent, stopping on a signal, and what the kernel says they used. */
#ifndef THINPROBE_PROC_H
#define THINPROBE_PROC_H

#include "cli.h"

#include <pthread.h>
#include <signal.h>
#include <sys/select.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* Set by SIGINT, SIGTERM and SIGHUP (unless that was ignored, as nohup does) once proc_catch_stop()
 * was called. Loops look at it and end early, with a report. */
extern volatile sig_atomic_t proc_stop;
void proc_catch_stop(void);
/* These signals, to be blocked between a look at proc_stop and a sleep that lets them in. */
void proc_stop_signals(sigset_t *set);
/* In a child that the parent ends: Ctrl-C reaches the whole group, and a lost terminal too. */
void proc_ignore_stop(void);
/* Sleeps until the absolute time (INT64_MAX: for ever) or until such a signal, also one that came before. */
void proc_wait_stop(int64_t until_ns);
/* The same, and until one of `count` descriptors can be read or written; may wake up for nothing, at once where the time is over.
 * The sets (or NULL) are undefined afterwards. */
void proc_select(int count, fd_set *in, fd_set *out, int64_t until_ns);

/* Asks the kernel to kill this process when its parent dies; `parent` is the pid that must still be the parent.
 * 0, or -ESRCH when it has died already. */
int proc_die_with_parent(pid_t parent);

/* Asks for SIGTERM, the friendly end with a report, when the parent dies: for load programs, which must not outlive
 * who asked for the load. */
void proc_stop_with_parent(void);

/* Dies with EXIT_USAGE unless `fd` is open: to be called before any file is opened, which might take that number
 * and then find "ready" in its midst. A closed standard error is allowed. */
void proc_check_ready_fd(int fd);
/* Says "ready" for whoever waits: one line on `fd` (standard error by default). 0, or -errno when nobody can read it.
 * Where standard error is a terminal nothing is said: a person does not wait for it. */
int proc_ready(int fd);
/* The same, with a warning where nobody can (but for standard error, which may be closed). */
void proc_say_ready(int fd);

/* Puts the calling thread on these CPUs. 0 or -errno; with an empty list nothing happens. -ENODEV when some of them are
 * not there or not allowed: the kernel would quietly take the rest. */
int proc_pin(const struct cli_cpus *cpus);
/* Starts a thread that takes no signals; stack_bytes 0: of the default size. 0 or an errno, as pthread_create(). */
int proc_start_thread(pthread_t *thread, size_t stack_bytes, void *(*work)(void *), void *arg);

/* The CPUs the calling thread may use. 0 or -errno. */
int proc_cpus_allowed(struct cli_cpus *out);
/* Those that the machine has switched on; where it does not tell, those allowed. 0 or -errno. */
int proc_cpus_online(struct cli_cpus *out);

/* Puts this process into a cgroup, of either version: a folder that holds a cgroup.procs. 0 or -errno. */
int proc_enter_group(const char *folder);

/* From /proc/PID/schedstat: time on a CPU, time ready but waiting for one, times put on a CPU.
 * 0, or -errno (-ENOENT where the kernel does not account). */
struct proc_schedstat {
	int64_t run_ns, wait_ns, slices;
};
int proc_schedstat(pid_t pid, struct proc_schedstat *out);

#define PROC_KTHREAD 0x200000u	/* PF_KTHREAD of linux/sched.h: a thread of the kernel */

/* Of the text of /proc/PID/stat (proc(5)); "waited" is of children that have ended and were waited for. The name before it may hold
 * anything, spaces and brackets too. 0 or -EPROTO. */
struct proc_stat {
	char comm[16], state;
	pid_t ppid, session;
	unsigned flags;			/* PF_... of the kernel */
	int64_t minor, minor_waited, major, major_waited;	/* faults */
	int64_t user, system, user_waited, system_waited;	/* clock ticks */
	int64_t threads;
	uint64_t start;			/* clock ticks after the boot: another process may get the same pid */
	int cpu;			/* on which it ran last; -1: the text does not tell */
};
int proc_read_stat(const char *text, struct proc_stat *out);
/* The same of a process or thread. 0; -ESRCH: it has ended. */
int proc_stat(pid_t pid, struct proc_stat *out);

/* The first line of /proc/PID/FILE ("comm", "autogroup"), cut where it is longer; "" where there is none. */
void proc_line(pid_t pid, const char *file, char *text, size_t size);
/* The process of a thread; 0: it has ended. */
pid_t proc_process(pid_t tid);

/* The most memory that a process had resident at a time, in bytes; 0: not known. */
int64_t proc_memory_peak(pid_t pid);

/* The cgroup in which a controller ("cpu", "memory") counts the process, as /proc/PID/cgroup has
 * it: "/a/b", from version 1 where the controller is there, else from version 2. Returns the
 * version; 0 and "" where there is none, or no room for its name. */
int proc_cgroup(pid_t pid, const char *controller, char *text, size_t size);
/* The same from such a file. */
int proc_read_cgroup(FILE *f, const char *controller, char *text, size_t size);
/* Where the groups of a controller are mounted, of version 1 where it is there, else of version 2. `root` ("" but for tests) is
 * before every path. Returns the version; 0 where there is none, or no room for its name. */
int proc_cgroup_mount(const char *root, const char *controller, char *folder, size_t size);

#endif
