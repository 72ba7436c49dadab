/* SPDX-License-Identifier: GPL-3.0-or-later */
/* thread - for event loops: CPU time and memory used, and waiting for events. */
#pragma once

#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>

struct thread_times {
	int64_t cpu_ns;	   /* time on a CPU */
	int64_t waited_ns; /* time ready to run but not on a CPU; -1: not known */
};

/* Usage of the calling thread since it began. */
struct thread_times thread_times_now(void);
/* Resident memory of this process in bytes; 0: not known. */
int64_t thread_get_process_rss(void);

/* Waits for events of an epoll descriptor until `until_ns` (CLOCK_MONOTONIC; INT64_MAX: no limit) or a signal that `mask` lets
 * through. Returns the number of events, 0 at that time or on a signal, -errno. May return 0 earlier, after a second at most. */
int thread_wait_events(int epoll, struct epoll_event *event, int most, int64_t until_ns, const sigset_t *mask);
