/* SPDX-License-Identifier: GPL-3.0-or-later */
/* audio - which processes play sound, and when a stream starts: audio.c watches the sound server, audio_pactl.c asks it by children
 * that run pactl (of pulseaudio-utils), audio_wakeups.c counts from the kernel's records (sched_waking, on every CPU) which
 * processes wake it, and averages the counts (Kim et al. 2014, section 4.3, Figure 3).
 *
 * The hypervisor of the paper infers wake-ups from interrupts between CPUs and cannot see those within one CPU. The kernel
 * records both. So the source of a wake-up is stored per thread of the server instead of per CPU. */
#pragma once

#include "input.h"

#include <sys/types.h>

/* The figures of a process that wakes the sound server. */
struct audio_counter {
	int pid;
	char comm[16];
	int64_t wakeups; /* wake-ups of the server since the last averaging */
	double average;	 /* moving average of the wake-ups */
	int confidence;	 /* confidence that the process is a background task: 0 to 10 */
	bool stream;	 /* has a playing stream */
};

struct audio_watch;
/* Watches the sound server (PulseAudio, or PipeWire's replacement of it) of this user, or at `server`. 0; -ENOENT: no server runs
 * (`why`), but *out is made: each audio_update_counts() looks for a server again. Other errors: *out is NULL.
 * Needs pactl (pulseaudio-utils). Counting wake-ups needs the right to trace; without it only clients with a playing stream
 * count, and audio_describe() says so. Waits up to 2 s for the server's answer; the other functions do not wait.
 * Forks children: call it after undo_open(). */
int audio_open(struct audio_watch **out, const char *server, struct why *why);
/* The source of "audio" events: a stream starts to play. Owned by `a`. Its read() also updates the list of streams, and never
 * fails. */
struct input_source *audio_source(struct audio_watch *a);
/* Is the process the sound server, a client with a playing stream or, while a stream plays, the process that wakes the server
 * most? */
bool audio_is_player(const struct audio_watch *a, int pid);
/* Does any stream play? */
bool audio_is_playing(const struct audio_watch *a);
/* Averages the wake-up counts: at the start of every episode, and every max_int_period without one. `tagged`: the background
 * processes, whose confidence grows by 1 (up to 10); that of others shrinks by 1. */
void audio_update_counts(struct audio_watch *a, const int *tagged, size_t n);
/* Copies the figures of up to `room` processes that wake the sound server, for the log; returns how many. */
size_t audio_copy_counters(const struct audio_watch *a, struct audio_counter *out, size_t room);
void audio_describe(const struct audio_watch *a, char *text, size_t size);
void audio_close(struct audio_watch *a);

/* --- the server and its streams --- */

/* Address of the sound server: $PULSE_SERVER, or its socket in $PULSE_RUNTIME_PATH or $XDG_RUNTIME_DIR. */
struct audio_server {
	char name[160];	    /* for pactl --server; never empty, since pactl might start a server then */
	const char *socket; /* path within `name`; NULL: not a Unix socket */
	pid_t pid;	    /* process of the server; 0: not known */
	uid_t uid;	    /* owner of the socket */
	gid_t gid;
};
/* Finds the server, and connects once to check that it runs. 0, or -errno with the reason in `why`. Does not block. */
int audio_find_server(struct audio_server *s, const char *name, struct why *why);

/* A child that runs pactl; if we are root, as the user of the server, which may refuse others. */
struct audio_pactl {
	pid_t pid; /* 0: no child runs */
	int pidfd; /* readable once the child has ended */
	int out;   /* output of pactl: a non-blocking pipe, or a file in memory */
};
/* `words`: arguments, NULL-terminated. `stream`: pactl goes on printing, into a pipe. 0 or -errno. */
int pactl_start(struct audio_pactl *p, const struct audio_server *s, const char *const *words, bool stream);
/* Kills pactl if it still runs, and closes its descriptors. Returns its exit status; 127: pactl is not installed; -1: killed. */
int pactl_end(struct audio_pactl *p);

#define AUDIO_STREAMS 64 /* maximum; further streams are ignored */

/* The streams that play (not corked), as `pactl -f json list sink-inputs` prints them. */
struct audio_streams {
	size_t n;
	struct {
		int64_t index; /* number that the server gave the stream; never used twice */
		int pid;       /* reported by the client, in its own pid namespace; 0: not reported */
	} stream[AUDIO_STREAMS];
};

/* 0; -EPROTO: the file is not such a list. */
int audio_parse_streams(const char *path, struct audio_streams *out);
/* Does `now` have a playing stream that `before` has not? */
bool audio_has_new(const struct audio_streams *before, const struct audio_streams *now);
bool audio_has_pid(const struct audio_streams *l, int pid);

/* --- wake-ups --- */

#define AUDIO_PROCESSES 256 /* maximum; further processes are not counted */
#define AUDIO_THREADS 64    /* maximum number of threads of the server */
#define AUDIO_CONFIDENCE 10 /* maximum confidence, as in the paper */

/* A wake-up of a thread of the server. Thread ids may be of any pid namespace, pids are of ours. */
struct audio_wakeup {
	int64_t time_ns;
	int waker_tid, waker_pid; /* waker_pid 0: not visible in our pid namespace */
	int woken_tid;
	bool interrupt; /* woken by an interrupt: the task that ran then is not the cause */
};

struct audio_counts {
	struct audio_counter process[AUDIO_PROCESSES];
	size_t n;
	struct {
		int tid, source; /* `source`: the process on whose behalf the thread was last woken; 0: none */
	} thread[AUDIO_THREADS];
	size_t threads;
};

/* Adds a wake-up, in the order of time. A wake-up by a thread of the server counts for the process that woke that thread.
 * `server`: pid of the server. Pure. */
void audio_add_wakeup(struct audio_counts *c, int server, const struct audio_wakeup *w);
/* Updates all confidences (+1 for the `tagged` processes, -1 for others), then each average = (average + wake-ups / confidence) /
 * 2. With confidence 0 the wake-ups count in full. Processes whose average and confidence are 0 are removed. Pure. */
void audio_average_counts(struct audio_counts *c, const int *tagged, size_t n);
/* The process with the highest average, if that is at least one wake-up; 0: none. Pure. */
int audio_top_waker(const struct audio_counts *c);

struct wakeup_tracer;
/* Starts to count. 0, or -errno with the reason in `why` (no permission to trace, no such tracepoint). Outside the initial pid
 * namespace the filter matches the server's threads by name, since their pids in the kernel's records are not known there. */
int wakeups_open(struct wakeup_tracer **out, int server, struct why *why);
/* Adds the wake-ups since the last call to `c`, except those by the `n` processes in `ours`. */
void wakeups_count(struct wakeup_tracer *w, struct audio_counts *c, const int *ours, size_t n);
/* Updates the filter to the threads that the server has now. */
void wakeups_update_filter(struct wakeup_tracer *w);
void wakeups_close(struct wakeup_tracer *w);
