/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interval - figures of each connection for each interval of a capture that may run for weeks: input to update, gaps, bytes, round
 * trips on both sides of the tap, replies of the client. Pure: time comes with the packets.
 *
 * An input waits for an update: the next one is the earliest that can answer it ("next"); the user waits until it is complete.
 * With updates that each answer at least one input, the i-th waiting input is answered by the i-th update at the latest, and by the
 * last one where the display then rests ("latest"): for INTERVAL_REST_NS and the longest wait of an input that waited alone. Where
 * INTERVAL_MATCHED times in a row one input came and then one update, the times between them tell whether the server lags by an
 * input or all inputs before are answered: the latter if they scatter INTERVAL_STEADIER times less than the times since the oldest
 * input that waits, and are not shorter than waits are. Where an input was left over for so long that updates seem to answer more
 * than one each, pairs are not known until the display rests. An input that waits longer than INTERVAL_PATIENCE_NS is given up as
 * unanswered.
 *
 * Updates that come only as an input does, at once, while an older input is left, show that older one ("next input").
 *
 * Updates that come while no input waits are the picture's own (a video, a clock, a blinking cursor). Where they are many, any
 * update may be one: "latest" is not known then, and where they come often, nor is the verdict.
 *
 * Memory: one struct interval_flow for each of at most INTERVAL_FLOWS connections; one that was silent for INTERVAL_SILENT_NS
 * (INTERVAL_AWAY_NS, where no input waits and half of the room is free) leaves. One that has ended leaves at once, unless half of
 * the room is free and the next one to its server can begin with what was usual. */
#pragma once

#include "interval_input.h"
#include "response.h"
#include "verdict.h"
#include "wire/meter.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef INTERVAL_FLOWS
#define INTERVAL_FLOWS 1024
#endif
#define INTERVAL_WAITING 1024 /* inputs of a connection that wait at one time; more are counted, and not timed */
#define INTERVAL_MATCHED 10
#define INTERVAL_STEADIER 4
#define INTERVAL_PICTURE 8 /* intervals with inputs whose updates tell whether the picture moves by itself */
#define INTERVAL_ASKS 8	   /* updates that wait for a reply at one time */
#define INTERVAL_REST_NS 1000000000LL
#define INTERVAL_PATIENCE_NS 10000000000LL
#define INTERVAL_SILENT_NS 600000000000LL
#define INTERVAL_AWAY_NS (96 * INTERVAL_SILENT_NS) /* while there is room: what was usual before a break, or a night, still is */
#define INTERVAL_NEAR_NS 1000000LL
#define INTERVAL_LAG_NS 3000000000LL /* the longest wait that a rest takes into account */
#define INTERVAL_INSTANT_NS 5000000LL
#define INTERVAL_INSTANTS 4 /* updates in a row that came only with the next input */
#define INTERVAL_SEGMENT 1460
#define INTERVAL_MUTE 3 /* so many messages in a row may have no effect: a release, a modifier's release and press */
#define INTERVAL_MUTE_CHANCE 0.01
#define INTERVAL_REPEAT_NS 50000000LL /* so soon and so often messages come that a held key repeats */
#define INTERVAL_REPEATS 16
#define INTERVAL_LATE 24   /* late inputs over which shares are of the latest */
#define INTERVAL_PLAIN 0.3 /* share of those that no later message explains, from which on none is explained */
#define INTERVAL_ENDS 32   /* most inputs of one update whose wait until its end is timed */
#ifndef INTERVAL_OTHERS
#define INTERVAL_OTHERS 4096 /* connections beyond INTERVAL_FLOWS that are told apart in an interval */
#endif

/* One row: an interval of a connection. Times in ns; -1: not known. */
struct interval_row {
	int64_t start_ns, length_ns;
	struct flow_key key;
	uint8_t server; /* end of the key that is the server */
	uint64_t packets, wire_bytes[CHANNELS], inputs, updates, unanswered, retransmitted, zero_windows;
	int64_t next_p50, next_p95, next_max, latest_p50, latest_p95, complete_p50, complete_p95;
	int64_t waiting;	      /* age of the oldest input without any update since; -1: none */
	int64_t gap;		      /* longest between updates that ended in this interval */
	int64_t ack[CHANNELS], reply; /* medians; or the age of what waits for far longer */
	struct verdict verdict;
	uint64_t lost_before; /* packets that came again and were lost before the tap: not among `retransmitted` */
	uint64_t untimed;     /* inputs that waited beside INTERVAL_WAITING others: no wait of theirs is known */
	uint64_t unpaired;    /* inputs whose update is not known, as updates seem to answer several */
	uint64_t others; /* number of connections that this row sums up because they are not followed; 0: a row of one connection */
	int64_t dropped; /* packets of all connections that the kernel lost in this interval; -1: not known */
	bool clock_set;	 /* the clock was set in this interval */
	const struct response_times *to_next, *to_latest; /* valid during the call; NULL: none */
	uint32_t to_next_n;				  /* number of waits that next_p50, next_p95 and next_max are of */
};

struct time_range {
	int64_t min_ns, max_ns;
};

/* A message that an update may answer, and what happened to the connection until then. */
struct open_message {
	int64_t ns, acked_ns; /* acked: its last byte by the server; 0: not yet */
	uint32_t end;	      /* sequence number after it */
	uint64_t lost, filled, closed_ns;
};

struct timed_segment {
	uint32_t end;	 /* sequence number after it */
	int64_t sent_ns; /* 0: none waits for its acknowledgement */
};

struct interval_flow {
	struct interval_flow *next;	     /* of the same bucket */
	int64_t last_ns, heard_ns[CHANNELS]; /* latest packet; of each channel */
	bool ended;
	struct update_series updates;
	int64_t waiting[INTERVAL_WAITING];		 /* times of inputs, a ring: from `oldest` on */
	int oldest, waits, answerable;			 /* answerable: the first ones, after which an update came */
	uint64_t open;					 /* inputs since the latest update, given up and untimed ones included */
	int64_t open_ns;				 /* the oldest of them */
	uint64_t given_up;				 /* of the `open` inputs: given up */
	uint64_t counted, most_counted, usually_counted; /* `open` inputs for the verdict; most in this interval; in usual ones */
	int64_t counted_ns, second_ns;			 /* the oldest judged one; the one after it */
	uint64_t burst;					 /* messages since the user rested */
	int64_t rested_ns;				 /* the first message after a rest, if no update has come since; 0: none */
	/* the first messages since the latest update that it may not have answered: the judged inputs, and releases; the latest */
	struct open_message message_open[INTERVAL_MUTE + 1], message_latest;
	uint64_t messages_open, filled;		/* filled: holes so far, by what was lost before the tap */
	int64_t begun_ns, ended_ns;		/* the update before the latest one */
	int quick;				/* messages of input, each soon after the one before */
	bool repeats;				/* a key is held, or was, and updates have come ever since */
	double mute, plain;			/* late inputs lately: a message after it explains the update; none does */
	bool by_turns;				/* the oldest input is late although one may */
	struct verdict_late late;		/* of this interval */
	int64_t client_ack_ns, client_acked_ns; /* round trip of the client's latest acknowledgement of data; when it came */
	bool counted_alone;			/* no other input waited when it came */
	int64_t input_ns, input_before_ns,
		lag_ns; /* latest input; the one before; longest wait lately of one that waited alone, up to INTERVAL_LAG_NS */
	bool pairs_unknown, gave_up;	/* gave_up: since updates came far later than their inputs */
	int instants, left;		/* updates in a row that came only with the next input; that came after several */
	int64_t trip_ns[CHANNELS];	/* shortest way there and back of data of this channel; 0: not known */
	int64_t ends_ns[INTERVAL_ENDS]; /* inputs of the current update */
	int ends;
	uint8_t more;	     /* enum update_more: whether it goes on */
	bool unacked;	     /* its last byte is */
	uint32_t end, acked; /* after that byte; the client's latest acknowledgement */
	int64_t arrived_ns;  /* when the update was behind a slow link; 0: not known */
	uint64_t unasked;    /* updates of this interval while no input waited */
	/* about the last INTERVAL_PICTURE intervals with inputs: their number, inputs, updates, unasked updates */
	double intervals_lately, inputs_lately, lately, unasked_lately;
	bool picture_moves;				/* so many came unasked that any may be the picture's own */
	int matched;					/* updates in a row with one input each */
	int64_t matched_ns;				/* the first of them */
	struct time_range matched_next, matched_oldest; /* their times since that input, and since the oldest that waits */
	struct timed_segment timed[CHANNELS];		/* sent on this channel */
	int64_t unacked_ns[CHANNELS]; /* since when data of this channel waits for its acknowledgement; 0: none does */
	int64_t asks_ns[INTERVAL_ASKS], replied_ns; /* updates that the client has not replied to; its latest reply */
	int asks;
	uint64_t asked;		       /* updates so far, for comparison with `replies` */
	enum client_message message;   /* the latest payload of the client */
	uint8_t buttons, buttons_then; /* of the pointer: those down; and after that payload, if it is new */
	struct opaque_client client;   /* learned where messages cannot be read */
	bool server_is_near;	       /* the server once acknowledged within INTERVAL_NEAR_NS */
	bool gap_unknown;	       /* the clock was set since the latest update */
	uint64_t replies, unreplied;   /* of the client so far; updates that had none */
	uint64_t answered, ignored;    /* inputs so far that an update answered; inputs given up while the server was not silent */
	int64_t hole_ns[CHANNELS];     /* since when data of this channel is missing before later data; 0: none is */
	int64_t ahead_ns[CHANNELS]; /* since when an acknowledgement has shown that data of this channel is missing; 0: none is */
	uint64_t lost[2];	    /* packets lost in this interval: on the client's side of the tap, on the server's */
	uint64_t resent_input;	    /* of `resent`: by the client */
	uint64_t resent, resent_before;	  /* retransmitted packets so far; at the start of the interval */
	uint64_t missing, missing_before; /* flow_missing_bytes(), likewise */
	uint8_t holes;			  /* bits: bytes were found missing in this interval (1), in the one before (2) */
	struct verdict_baseline base;
	uint64_t inherited;	 /* input message size of the earlier connection that `base` was copied from; 0: none */
	struct interval_row row; /* of the current interval: its counts, and the longest gap */
	struct response_times to_next, to_latest, to_complete, to_ack[CHANNELS], to_reply; /* to_ack: of data of this channel */
};

/* The connections for which there was no room. */
struct interval_others {
	uint32_t hash[2 * INTERVAL_OTHERS]; /* of flows, open addressing; 0: none */
	struct interval_row row;
};

typedef void interval_row_fn(void *context, const struct interval_row *row);

struct intervals {
	int64_t every_ns, merge_ns, period_ns;
	int64_t start_ns;			      /* of the current interval (clock of the packets); 0: no packet yet */
	int64_t first_ns;			      /* the first packet */
	int64_t set_ns;				      /* waits were forgotten latest, as the clock was set; 0: never */
	bool clock_set;				      /* in this interval */
	int64_t dropped;			      /* the caller's: packets that the kernel lost so far; -1: not known */
	int64_t dropped_before;			      /* at the start of the interval */
	bool dropped_lately;			      /* in the interval before */
	struct interval_flow *bucket[INTERVAL_FLOWS]; /* owned */
	int flows;
	struct interval_others others;
	const struct server_ports *ports;
	bool rfb; /* every port is RFB's; else 5900 to 5999 are */
	interval_row_fn *row;
	/* after the rows of an interval; what was dropped in it (below 0: not known), and whether the clock was set */
	void (*end)(void *context, int64_t start_ns, int64_t length_ns, int64_t dropped, bool clock_set);
	void *context;
};

/* Ends the current interval at `end_ns`, the end of the capture, and hands out its rows. */
void intervals_finish(struct intervals *t, int64_t end_ns);
void intervals_free(struct intervals *t);
/* Functions of struct meter_observer. */
void interval_add_packet(void *intervals, const struct flow *f, int channel, const struct meter_packet *seen);
void interval_add_data(void *intervals, const struct flow *f, int channel, int64_t time_ns, uint64_t bytes);
/* Hands out the rows of all intervals that end at `time_ns` or before. */
void intervals_advance(struct intervals *t, int64_t time_ns);
/* Notes that the clock of the packets was set; `time_ns` is the first time on the new clock. No wait is measured across that. */
void intervals_note_clock_set(struct intervals *t, int64_t time_ns);
void intervals_forget_waits(struct intervals *t, int64_t time_ns); /* forgets all waits: the clock may have been set */

/* Shared by interval.c and interval_rows.c. Counts a packet of the current interval. */
void interval_count_packet(struct intervals *t, const struct flow *flow, int channel, const struct meter_packet *seen);
/* Removes the inputs that need not wait any longer at `time_ns`. */
void interval_settle_inputs(struct interval_flow *f, int64_t time_ns);
/* Notes how long the inputs of the current update waited for its end, which has come. */
void interval_end_update(struct interval_flow *f);
/* Forgets all waits: no wait is measured across this instant. */
void interval_forget_waits(struct interval_flow *f);
/* Whether so many inputs wait that chance does not explain it, by how many had no effect so far. */
bool interval_has_late_inputs(const struct interval_flow *f);
/* The same of at least three, even if the first of them was given up long ago. */
bool interval_stopped_answering(const struct interval_flow *f);
