/* SPDX-License-Identifier: GPL-3.0-or-later */
/* verdict - what made the waits of an interval longer than usual: the network, the server or the client. Pure.
 *
 * A late wait (usual_late_limit()) is told by its own packets: what of it its data took to be acknowledged is the network's, what
 * the window was closed the client's, the rest that of the host that had to answer. The side of over half of an interval's late
 * waits is the verdict. Smaller rises are judged by the medians of an interval:
 *
 * The wait of an input is split by what the tap can see: round trips of data and acknowledgement on both sides of the tap, the
 * client's replies to updates, and the rest, which is the server's. Each part is compared with what is usual (usual.h). A part is
 * the verdict if what it rose by more than chance is over half of what all parts rose, with or without chance. */
#pragma once

#include "usual.h"

#include <stdbool.h>
#include <stdint.h>

#define VERDICT_RISE_NS 20000000LL    /* a smaller rise does not count */
#define VERDICT_RISE_SHARE 0.5	      /* nor does a rise below this share of the usual wait */
#define VERDICT_DELAYED_NS 40000000LL /* an acknowledgement may be delayed by this (Linux: TCP_DELACK_MIN) */
#define VERDICT_LATE_NS USUAL_LATE_NS /* a wait below this is never late */
#define VERDICT_LATE_TIMES 3	      /* a wait is late above VERDICT_LATE_NS plus this many times the longest usual value */
#define VERDICT_LOSS 20
#define VERDICT_LOSS_USUAL 1000
#define VERDICT_FIRST 3	  /* intervals with inputs before the first verdict */
#define VERDICT_BLAMES 24 /* with fewer usual waits nobody is blamed for waits that have ended */
#define VERDICT_ENOUGH 48 /* beside fewer usual waits, a rise that chance may explain is not called usual */

enum verdict_word {
	VERDICT_IDLE,
	VERDICT_LEARNING,
	VERDICT_USUAL,
	VERDICT_NETWORK,
	VERDICT_SERVER,
	VERDICT_CLIENT,
	VERDICT_UNKNOWN,
	VERDICTS
};
extern const char *const verdict_words[];

/* Why a verdict is "unknown" although there were inputs; "network" because of packets that were lost, although the median has not
 * risen; "server" because of inputs without an update so far. With any word, "pairs": why `latest` is not known. */
enum verdict_why {
	WHY_NONE,
	WHY_CAUSE,
	WHY_RANGE,
	WHY_LOSS,
	WHY_WAITING,
	WHY_FRAMES,
	WHY_DROPS,
	WHY_CLOCK,
	WHY_CONNECTIONS,
	WHY_PICTURE,
	WHY_PAIRS,
	WHY_NEXT_INPUT,
	WHY_CHAFF,
	WHY_TRANSFER,
	WHY_BEHIND, /* client, or the way behind it: both ends are one machine, so the client relays to others */
	WHYS
};
extern const char *const verdict_whys[];

/* Parts of one wait: input to update at the tap, of an input that waited alone, as the first one after a rest does; data to
 * acknowledgement; update to the client's reply. Beside them, input to the last update that may answer it; and input to update
 * where other inputs wait, too: the update may answer an older one: a lower bound; from begin to end of an update; and input to
 * update of the first message after a rest: where presses and releases look alike, the order of these two is known best then. */
enum verdict_part {
	PART_WAIT,
	PART_CLIENT_ACK,
	PART_SERVER_ACK,
	PART_REPLY,
	PART_LATEST,
	PART_BESIDE,
	PART_TRANSFER,
	PART_RESTED,
	VERDICT_PARTS
};

/* A wait that has ended, and what its own packets tell. */
struct verdict_wait {
	enum verdict_part part;	   /* whose usual values it is compared with */
	enum verdict_word host;	   /* that had to answer */
	int64_t took_ns, least_ns; /* least: by the reading of which input was answered that is best for the host */
	int64_t busy_ns;	   /* so long the host went on with what it had to send before, or could not send more unasked */
	int64_t closed_ns;	   /* so long the window was closed */
	int64_t way_ns;		   /* until its data was acknowledged, beyond the least round trip; -1: it never was */
	bool acked;		   /* before the answer: maybe only as late as a host may delay that */
	bool lost;		   /* something was sent again meanwhile */
};
struct verdict_late {
	uint32_t busy;		  /* late ones for which the host was busy so long */
	uint32_t waits, doubtful; /* doubtful: it is not known which input was answered */
	uint32_t n[VERDICTS];	  /* late waits by what made them so */
	int64_t most_ns;	  /* longest excess over the usual wait */
};

struct verdict_readings {
	int64_t length_ns;
	struct verdict_late late;
	int64_t open_ns[VERDICT_PARTS];	 /* age of what has not ended yet; -1: nothing waits */
	int64_t heard_ns[VERDICT_PARTS]; /* of acknowledgements: age of the latest packet of the host that sends them */
	uint64_t inputs, packets, retransmitted, zero_windows;
	uint64_t lost[2];	/* packets lost on the client's side of the tap; on the server's */
	bool stopped;		/* so many inputs wait that open_ns[PART_WAIT] is late, whatever is usual */
	bool server_is_near;	/* the server once acknowledged at once: no delay of acknowledgements is a network's */
	bool opaque;		/* messages cannot be read: waits are those of the next update, maybe another input's */
	bool held;		/* the client's acknowledgements are no later than a client may hold them back */
	bool learning;		/* what is input is not known yet */
	bool picture;		/* it moves by itself so often that a late server would not show: waits are not learned */
	enum verdict_why blind; /* waits cannot be trusted: they are not learned */
};

struct verdict_baseline {
	struct usual part[VERDICT_PARTS];
	double packets, resent;		/* of about the last VERDICT_LOSS intervals */
	double all_packets, all_resent; /* of about VERDICT_LOSS_USUAL that are usual */
	double lost[2];			/* of `resent`: see struct verdict_readings */
	int64_t lossy_ns;		/* for so long more packets are lost than usual */
	int intervals;			/* with inputs so far, up to VERDICT_FIRST */
	int64_t other_ns[2];		/* usual waits of others at the same server: alone, beside; 0: not known */
};
void verdict_init(struct verdict_baseline *b);
/* Whether enough waits are known to be a basis for another connection to the same server. */
bool verdict_is_founded(const struct verdict_baseline *b);
/* Begins with what is usual in `from`. */
void verdict_inherit(struct verdict_baseline *b, const struct verdict_baseline *from);
/* Waits that are longer than in `other` are called usual once they have lasted. */
void verdict_compare(struct verdict_baseline *b, const struct verdict_baseline *other);
int64_t verdict_usual_wait_ns(const struct verdict_baseline *b);   /* -1: not known */
int64_t verdict_longest_wait_ns(const struct verdict_baseline *b); /* -1: not known, as few inputs waited alone */

/* Adds a wait to those of the interval. */
void verdict_add_wait(struct verdict_baseline *b, struct verdict_late *late, const struct verdict_wait *w);

struct verdict {
	enum verdict_word word;
	enum verdict_why why;
	int64_t rise_ns; /* of the wait at the client; -1: not known */
};
/* Judges the interval whose values were added to the parts, and learns from it. */
struct verdict verdict_add_interval(struct verdict_baseline *b, const struct verdict_readings *seen);
