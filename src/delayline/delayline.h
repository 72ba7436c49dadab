/* SPDX-License-Identifier: GPL-3.0-or-later */
/* delayline - what the files of the program share: packets on one direction of the link, those under way, the interfaces at both
 * ends, and the thread that carries frames between these. */
#pragma once

#include "why.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- link_path.c --- */

/* One direction of the emulated link: which packet is lost or dropped, and when each other one is delivered; and the
 * commands that change it. Pure.
 *
 * A packet waits in a queue for the link's rate, is transmitted in its turn, and then travels for the delay:
 *
 *   begins = max(arrival, end of the previous transmission)  dropped if begins - arrival > queue
 *   sent   = begins + bits / rate                            exact: the remainder of the division goes to the next packet
 *   due    = sent + delay + jitter * x                       x uniform in [-1, 1), or normal with sd 1 cut at 3; due >= sent
 *
 * A lost packet has been transmitted before. Each packet that arrives takes exactly one random number for loss, so the same seed
 * and packets give the same losses at any other setting; jitter has its own random numbers. Unless reordering is allowed, a packet
 * is not due before the previous one: jitter then delays bursts. */

enum jitter_shape { JITTER_UNIFORM, JITTER_NORMAL };
extern const char *const jitter_shapes[];

struct link_settings {
	int64_t rate_bits; /* bits per second; 0: no limit, and no queue */
	int64_t queue_ns, delay_ns, jitter_ns;
	double loss;  /* probability, 0 to 1 */
	int shape;    /* enum jitter_shape */
	bool reorder; /* jitter may let packets overtake each other */
};

enum link_fate { LINK_PASSES, LINK_LOSES, LINK_QUEUE_FULL, LINK_FATES };

struct link_path {
	struct link_settings cfg;
	uint64_t loss_state, jitter_state; /* of the two random number generators */
	int64_t sent_ns;		   /* end of the previous packet's transmission */
	int64_t remainder;		   /* of the previous packet's division by the rate, in bits times ns per s */
	int64_t due_ns;			   /* delivery time of the previous packet */
};

void link_path_init(struct link_path *p, const struct link_settings *cfg, uint64_t seed);
/* Restarts both random number generators. */
void link_path_set_seed(struct link_path *p, uint64_t seed);
/* Changes the settings for packets that arrive from now on. */
void link_path_configure(struct link_path *p, const struct link_settings *cfg);
/* Decides on a packet of `bytes` that arrived at `now_ns`, which must not decrease. Sets *due_ns for LINK_PASSES. */
enum link_fate link_path_schedule(struct link_path *p, int64_t now_ns, int64_t bytes, int64_t *due_ns);

/* Commands that change a running link ("orders" on the command line).
 *
 *   [forth|back] rate 10Mbit|none, queue 50ms, delay 40ms, jitter 5ms, loss 0.5%, shape uniform|normal, order kept|free
 *   seed 7     restarts the random numbers of losses and jitter
 *   report     writes an interim report
 *
 * forth: from the first interface to the second; back: from the second to the first; neither word: both directions. */
#define LINK_TIME_MAX_NS (60 * 1000000000LL)

enum { LINK_FORTH = 1, LINK_BACK = 2 };

struct link_changes {
	struct link_settings cfg[2]; /* settings after the commands so far: forth, back */
	int changed;		     /* bits LINK_FORTH, LINK_BACK: directions whose settings changed */
	bool seeded, report;	     /* a seed, a report command was read */
	uint64_t seed;
};

/* Parses one line without its newline; an empty line changes nothing. 0, or -EINVAL, -EDOM (a time without a unit), -ERANGE, and
 * then nothing has changed. */
int parse_link_command(struct link_changes *o, const char *line);

/* Parses a rate of 1000 bit to 100 Gbit per second: "10Mbit", "2.5Gbit/s", "1000bit"; "none" gives 0. 0, -EINVAL or -ERANGE. */
int parse_link_rate(const char *text, int64_t *bits);
/* Parses a percentage, "0.5%" or "0.5", as a probability from 0 to 1. 0, -EINVAL or -ERANGE. */
int parse_link_loss(const char *text, double *probability);

/* --- delay_queue.c --- */

/* Packets under way: a priority queue by due time, with a slot of memory for each packet. Pure.
 *
 * Packets with equal due times leave in the order of their arrival. Only delay_queue_new() allocates. */

#define DELAY_QUEUE_SLOT 2048 /* bytes of a slot; a frame that fills it was longer, and is refused */

struct delay_queue_item {
	int64_t due_ns;
	uint64_t number; /* order of arrival among all packets */
	uint32_t slot, bytes;
	int way;
};

struct delay_queue {
	size_t room, n, most; /* slots, packets now, packets at most so far */
	uint64_t number;      /* order of arrival of the next packet */
	struct delay_queue_item *heap;
	uint32_t *free_slot; /* numbers of free slots: free_slot[n] to free_slot[room - 1] */
	unsigned char *memory;
};

/* All memory is touched at once: later packets cause no page faults. */
struct delay_queue *delay_queue_new(size_t packets);
void delay_queue_free(struct delay_queue *s);

/* A free slot of DELAY_QUEUE_SLOT bytes, the same one until delay_queue_push(); NULL: the queue is full. */
unsigned char *delay_queue_slot(struct delay_queue *s);
/* Queues the `bytes` that were written into the free slot. `way`: direction, 0 or 1. */
void delay_queue_push(struct delay_queue *s, int64_t due_ns, size_t bytes, int way);

/* Earliest due time; INT64_MAX: the queue is empty. */
int64_t delay_queue_due_ns(const struct delay_queue *s);
/* Removes and returns the earliest packet, whose memory is valid until the next delay_queue_push(). NULL: the queue is empty. */
const unsigned char *delay_queue_pop(struct delay_queue *s, int64_t *due_ns, size_t *bytes, int *way);

/* --- tap_port.c --- */

/* One end of the delay line: a TAP interface in a network namespace, which exists as long as its descriptor is open. */

struct tap_interface {
	char name[16]; /* of the interface */
	int fd;	       /* non-blocking; one read or write is one frame */
	int counters;  /* descriptor of /proc/net/dev in the interface's namespace, or -1 */
};

/* Creates an interface, "NAME" here or "NAME@/proc/PID/ns/net" in that namespace. The process stays in the namespace (an ordinary
 * user may not return), so interfaces without a namespace must be opened first. 0 or -errno with one line in `why`. */
int tap_port_open(struct tap_interface *e, const char *where, struct why *why);
void tap_port_close(struct tap_interface *e);
/* Frames that the kernel dropped before they were read from the descriptor; -1: not known. */
int64_t tap_port_read_drops(const struct tap_interface *e);
/* The transmit drop counter of interface `name` in the text of /proc/net/dev; -1: not there. */
int64_t tap_port_parse_drops(const char *text, const char *name);

/* --- forwarder.c --- */

/* Carries frames between the two TAP interfaces in one thread: reads each, schedules it, writes it when it is due. */

/* Histogram of the delay that the delay line adds itself, in whole microseconds, for a run of any length.
 *
 * A percentile is the upper edge of its bin: at most 1 us too large, never too small. Beyond DELAY_HIST_MAX_US it is the maximum
 * of all values. */
#define DELAY_HIST_MAX_US 20000

struct delay_hist {
	int64_t n, max_ns, min_ns;
	double sum_ns;
	int64_t count[DELAY_HIST_MAX_US]; /* count[i]: values from i us to below i + 1 us */
};

void delay_hist_add(struct delay_hist *l, int64_t ns); /* a value below 0 counts as 0 */
/* Microseconds; NAN: no values, or for p above 0.75 fewer than ten values beyond the percentile. */
double delay_hist_percentile(const struct delay_hist *l, double p);
double delay_hist_mean_us(const struct delay_hist *l);
/* Number of values below `us` microseconds (at most DELAY_HIST_MAX_US). */
int64_t delay_hist_count_below(const struct delay_hist *l, int64_t us);

struct forward_way { /* [i]: from ends[i] to the other interface */
	struct link_path path;
	int64_t packets, bytes;	  /* read from the sending interface */
	int64_t fate[LINK_FATES]; /* packets by enum link_fate */
	int64_t passed_bytes;	  /* written to the receiving interface */
	int64_t no_room;	  /* packets dropped because the delay queue was full */
	int64_t too_long;	  /* frames dropped because they are longer than a slot of the queue */
	int64_t refused;	  /* packets that the receiving interface did not take: it is down */
};

struct tap_forwarder {
	struct tap_interface ends[2];
	struct forward_way way[2];
	struct delay_queue *queue;
	struct delay_hist added;   /* time from when a frame was due until it was written */
	struct delay_hist unseen;  /* upper bounds of the time from when a frame was sent until it was read */
	int64_t clear_ns[2];	   /* CLOCK_MONOTONIC: no frame of this interface waited to be read then */
	int64_t waited_ns;	   /* for the CPU, by the schedstat of this thread; -1: not known */
	int schedstat;		   /* descriptor of it; -1: none */
	int64_t begun_ns, spun_ns; /* first call (CLOCK_MONOTONIC); time spent busy-waiting since */
	int broken;		   /* 1 + index of the interface that is gone; 0: none */
};

/* Opens what tells how long this thread waits for its CPU, and notes when it was stopped; before the first call below. */
void forwarder_init(struct tap_forwarder *p);

/* Waits for frames, due times, `control` (-1: no such descriptor), a signal that `while_waiting` lets in, or `until_ns`
 * (INT64_MAX: no limit), and handles what is there. True: `control` can be read. */
bool forwarder_run_once(struct tap_forwarder *p, int control, int64_t until_ns, const sigset_t *while_waiting);
