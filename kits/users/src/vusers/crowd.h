/* SPDX-License-Identifier: GPL-3.0-or-later */
/* crowd - the event loop of all users: when each request is due, when it was answered, and how late the loop itself sent it.
 *
 * Closed loop: a user thinks, sends a request, waits for the answer, thinks again; the next request is due a think time after the
 * answer. Open loop: requests are due at times that do not depend on answers; each is sent by the next free user, and while no user
 * is free, it waits and keeps its due time.
 *
 * A protocol (RFB, HTTP) is a struct of functions that talks to the server; the crowd keeps the times. Everything runs in the
 * thread that calls crowd_run(). */
#pragma once

#include "dues.h"
#include "progress.h"
#include "think.h"
#include "thread.h"
#include "vlog.h"
#include "window.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct crowd;

/* Description of a request. */
struct crowd_request {
	uint16_t label; /* index of its name (vlog_cfg.label) */
	bool first;	/* the first request of a page */
};

/* The functions of a protocol, called with its own `self`. */
struct crowd_hooks {
	/* Begins to connect; crowd_connected() or crowd_lost() follows, perhaps before the return. */
	void (*connect)(void *self, uint32_t user);
	/* Sends a request and describes it in *what. crowd_answered() or crowd_lost() follows after the return. 0 or -errno: the
	 * connection is lost. */
	int (*send)(void *self, uint32_t user, struct crowd_request *what);
	/* Closes the connection of the user, without a call of crowd_lost(). */
	void (*drop)(void *self, uint32_t user);
	/* Handles an event of a descriptor that the protocol has added to the epoll of the crowd. */
	void (*event)(void *self, uint64_t data, uint32_t events);
	/* When tick() is to be called (CLOCK_MONOTONIC), INT64_MAX: not. NULL: the protocol has no tick(). */
	int64_t (*wake_ns)(void *self);
	void (*tick)(void *self);
	/* CPU time of processes of its users until now. NULL: they have none. */
	int64_t (*cpu_ns)(void *self);
	uint32_t connecting_most; /* users who connect at once; 0: CONNECTING_MOST */
};

struct crowd_cfg {
	int64_t users;
	int64_t before;		  /* watched users (watched.h): they have the numbers 0 to before - 1 and come first in the ramp */
	bool watched;		  /* one of these: logged by vlog_add_watched(); nothing is allocated after crowd_open() */
	int64_t all;		  /* users and watched users together */
	struct think_times think; /* think time of a user; in the open loop the gap between requests, of mean 1 s / rate */
	bool open;
	int64_t ramp_ns;    /* all users start within this time, one after the other */
	int64_t skip_ns;    /* warm-up after the ramp: requests due in it are not measured */
	int64_t time_ns;    /* duration of the measurement; 0: until a signal */
	int64_t timeout_ns; /* for an answer, and for connecting */
	uint64_t seed;
	struct progress_line *progress; /* NULL: no progress line */
};

enum crowd_state { CROWD_AWAY, CROWD_CONNECTING, CROWD_FREE, CROWD_ASKED };

struct crowd_user {
	int64_t due_ns, ready_ns, sent_ns; /* of the current request; in CROWD_CONNECTING sent_ns: start of connecting */
	int64_t free_ns;		   /* when it became free */
	int64_t gone_ns;		   /* when it lost its connection */
	int64_t response_ns;		   /* sum of the response times of its measured requests */
	uint64_t random;
	uint32_t answered; /* number of its measured and answered requests */
	uint16_t label;	   /* of the current request */
	uint8_t state;	   /* enum crowd_state */
	bool counted;	   /* is in users_ready: was connected once */
	bool queued;	   /* has an entry in `dues`, perhaps from before it lost its connection */
	bool left;	   /* never connects again */
};

/* Counts of a run. */
struct crowd_sums {
	int64_t users_ready, reconnected, refused; /* refused: attempts to connect that failed after the beginning */
	int64_t due, pages, finished;		   /* within the window: requests due; first requests of pages; answers */
	int64_t unsent;				   /* requests due before the end and never sent */
	int64_t bytes;				   /* received by all users, heads included */
	int64_t connections;			   /* TCP connections made, where a user may have several (HTTP) */
	int64_t unasked;	   /* not HTTP: updates within the window that began while their user waited for no answer */
	double gone_ns;		   /* time without a connection within the window, summed over all users */
	struct thread_times spent; /* of this thread within the window; not of watched users */
	int64_t users_cpu_ns;	   /* of processes of the users within the window */
	int64_t memory_bytes;	   /* growth of the process while all users connected; not of watched users */
	int last_err;		   /* -errno and message of the last connection that failed */
	char last_why[160];
	bool stopped; /* by a signal */
};

struct crowd {
	struct crowd_cfg cfg;
	const struct crowd_hooks *protocol;
	void *self; /* argument of the protocol's functions */
	struct vlog *log;
	int epoll;
	struct crowd_user *user; /* owned */
	struct crowd_sums sums;
	struct measuring_window window;
	struct due_heap dues; /* of the free users: when each is due; open loop: since when it is free */
	int64_t next_due_ns;  /* open loop: due time of the next request to send */
	uint64_t random;
	int64_t sweep_ns;    /* next check for timeouts */
	uint32_t connecting; /* number of users that are connecting */
	uint32_t next, back; /* the next user to connect; to reconnect */
	int64_t retry_ns;    /* when to reconnect users; 0: none is away */
	bool running;
};

/* Begin of the measuring window of a run that starts at start_ns. */
int64_t crowd_window_begin_ns(const struct crowd_cfg *cfg, int64_t start_ns);

/* Allocates; `c` is all zero but for cfg, protocol and self. 0 or -errno. */
int crowd_open(struct crowd *c);
void crowd_close(struct crowd *c);
/* Connects all users. 0 if at least one is connected; -ETIMEDOUT or another -errno if none is; -EINTR on a signal. */
int crowd_connect(struct crowd *c);
/* Keeps the connections until wall_ns (CLOCK_REALTIME), also if that clock is set meanwhile. 0 (at once if wall_ns is past); -EINTR
 * on a signal, or -errno. */
int crowd_wait_start(struct crowd *c, int64_t wall_ns);
/* Keeps the connections until *flag is set, which an event on c->epoll tells. 0; -EINTR on a signal, or -errno. */
int crowd_wait_flag(struct crowd *c, const _Atomic bool *flag);
/* Runs from start_ns (now, or a little before) until the time is over or a stop signal comes; then waits for the answers of
 * requests in flight, at most the timeout. 0 or -errno. */
int crowd_run(struct crowd *c, struct vlog *log, int64_t start_ns);

/* Called by the protocol: the user is connected; a request was answered. */
void crowd_connected(struct crowd *c, uint32_t user);
void crowd_answered(struct crowd *c, uint32_t user, int64_t now_ns, uint32_t bytes, uint16_t code, bool ok);
/* Called by the protocol: the connection of the user is lost and already closed. `err` of -ENOTRECOVERABLE: the user never connects
 * again. `why`: a message, or NULL. */
void crowd_lost(struct crowd *c, uint32_t user, int err, const char *why);
