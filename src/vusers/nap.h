/* SPDX-License-Identifier: GPL-3.0-or-later */
/* nap - sleeps until something happens to one of many descriptors, a stated time has come, or a signal is let in. */
#ifndef THINPROBE_VUSERS_NAP_H
#define THINPROBE_VUSERS_NAP_H

#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>

/* The number of events, 0: it is time (INT64_MAX: never) or a signal of those that `mask` lets in
 * has come; -errno. May wake early, a second at the most. */
int epoll_wait_until(int epoll, struct epoll_event *event, int most, int64_t until_ns, const sigset_t *mask);

#endif
