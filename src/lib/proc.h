/* SPDX-License-Identifier: GPL-3.0-or-later */
/* proc - processes: stop signals, the death of the parent, CPU affinity, cgroups, and what /proc tells of a process. */
#pragma once

#include "cli.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/select.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* The stop flag: set by SIGINT, SIGTERM and SIGHUP (unless ignored, as by nohup) after proc_catch_stop(). Loops check it
 * and end early, with a report. A second signal, more than PROC_SECOND_STOP_NS later, ends the program at once. */
extern atomic_int proc_stop;
#define PROC_SECOND_STOP_NS 500000000LL
void proc_catch_stop(void);
/* Ends the program by this signal, of which it is the handler, after proc_before_death(), if there is any (async-signal-safe). */
void proc_die_by(int number);
extern void (*proc_before_death)(void);
/* Fills *set with the stop signals, to be blocked between a check of proc_stop and a sleep that unblocks them. */
void proc_fill_stop_set(sigset_t *set);
/* Ignores stop signals, for a child that its parent ends: Ctrl-C is sent to the whole process group. */
void proc_ignore_stop(void);
/* Sleeps until the absolute time (INT64_MAX: no limit) or a stop signal, including one that came before. */
void proc_sleep(int64_t until_ns);
/* Sleeps as proc_sleep(), or until one of `count` descriptors is readable or writable; may return early. The sets (may be NULL) are
 * undefined afterwards. */
void proc_select(int count, fd_set *in, fd_set *out, int64_t until_ns);

/* Asks the kernel for this signal when the parent `parent` dies. 0, or -ESRCH if the parent has died already. */
int proc_end_with_parent(int signal, pid_t parent);

/* For --parent (0: not given): SIGTERM when `parent` dies. Dies with EXIT_RUN if `parent` is not the parent process. */
void proc_require_parent(int64_t parent);

/* The same with SIGTERM for a parent that is not known, so that a load program ends with its caller, with a report. */
void proc_set_parent_death_term(void);

/* Dies with EXIT_USAGE unless `fd` (--ready-fd) is open for writing; a closed standard error is allowed. To be called before
 * any file is opened, which might get that descriptor. From then on exec closes it. */
void proc_require_ready_fd(int fd);

/* Clears the environment but for variables that begin with one of these words (NULL: the end). */
void proc_keep_variables(const char *const *kept);
/* Closes the descriptors from `first` to `last` (INT_MAX: all after it), also where the kernel has no close_range(). */
void proc_close_range(int first, int last);
/* Writes the line "ready" to `fd` for a waiting program. 0, or -errno. Nothing is written if `fd` is standard error and a
 * terminal. */
int proc_write_ready(int fd);
/* The same, with a warning instead of an error (none for a closed standard error). */
void proc_tell_ready(int fd);

/* Restricts the calling thread to these CPUs; an empty list: no change. 0 or -errno; -ENODEV if some of them do not exist or
 * are not allowed, which the kernel would ignore silently. */
int proc_pin_thread(const struct cli_cpus *cpus);
/* Whether a thread may use this CPU only; true: not known. The kernel widens this where the CPU or the cpuset is taken away. */
bool proc_is_pinned(pid_t tid, int cpu);
/* The signals by which a thread crashes. */
#define PROC_CRASHES 5
extern const int proc_crashes[PROC_CRASHES];

/* Starts a thread that takes no signals but proc_crashes; stack_bytes 0: of the default size. 0 or an errno, as
 * pthread_create(). */
int proc_start_thread(pthread_t *thread, size_t stack_bytes, void *(*work)(void *), void *arg);

/* The CPUs the calling thread may use. 0 or -errno. */
int proc_allowed_cpus(struct cli_cpus *out);
/* The online CPUs of the machine; if not known, the allowed ones. 0 or -errno. */
int proc_online_cpus(struct cli_cpus *out);

/* Moves this process into a cgroup of version 1 or 2, given by its folder. 0 or -errno. */
int proc_enter_cgroup(const char *folder);

/* Reads /proc/PID/schedstat: time on a CPU, time ready but waiting for a CPU, number of time slices. 0, or -errno (-ENOENT:
 * the kernel does not count these). */
struct proc_schedstat {
	int64_t run_ns, wait_ns, slices;
};
int proc_read_schedstat(pid_t pid, struct proc_schedstat *out);

#define PROC_KTHREAD 0x200000u /* PF_KTHREAD of linux/sched.h: a thread of the kernel */

/* Values of /proc/PID/stat (proc(5)); "waited": of ended children that were waited for. */
struct proc_stat {
	char comm[16], state;
	pid_t ppid, session;
	unsigned flags;					  /* PF_... of the kernel */
	int64_t minor, minor_waited, major, major_waited; /* page faults */
	int64_t user, system, user_waited, system_waited; /* clock ticks */
	int64_t threads;
	uint64_t start; /* start time in clock ticks since boot, to recognise a reused pid */
	int cpu;	/* CPU on which it ran last; -1: not known */
};
/* Parses such a text; the process name in it may contain spaces and brackets. 0 or -EPROTO. */
int proc_parse_stat(const char *text, struct proc_stat *out);
/* Reads the values of a process or thread. 0; -ESRCH: it has ended. */
int proc_read_stat(pid_t pid, struct proc_stat *out);

/* Reads the first line of /proc/PID/FILE ("comm", "autogroup"), cut to `size`; "" if it cannot be read. */
void proc_read_line(pid_t pid, const char *file, char *text, size_t size);
/* A number of /proc/PID/status ("VmPTE:"), in bytes if the line has kB; -1: not known. */
int64_t proc_read_status(pid_t pid, const char *key);
/* The process id of a thread; 0: the thread has ended. */
pid_t proc_thread_pid(pid_t tid);

/* Peak resident memory of a process (VmHWM) in bytes; 0: not known. */
int64_t proc_memory_peak(pid_t pid);

/* The cgroup of a process for a controller ("cpu", "memory"), as in /proc/PID/cgroup: "/a/b", of version 1 if that has the
 * controller, else of version 2. Returns the version; 0 and "" if there is none, or its name does not fit. */
int proc_read_cgroup(pid_t pid, const char *controller, char *text, size_t size);
/* The same from an open file in the format of /proc/PID/cgroup. */
int proc_parse_cgroup(FILE *f, const char *controller, char *text, size_t size);
/* The mount point of the cgroups of a controller, of version 1 if that has the controller, else of version 2. `root` is put
 * before every path ("" but for tests). Returns the version; 0 if there is none, or its name does not fit. */
int proc_find_cgroup_mount(const char *root, const char *controller, char *folder, size_t size);
