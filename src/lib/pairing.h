/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pairing - which update answers which key.
 *
 * From the patch it is known: a patch showing n answers all keys up to n. From updates alone, of
 * pixels or on the network, it is a range (docs/method.md, "Pairing"), exact only where a drained
 * block has as many updates as keys. Pure: times come in, times go out. */
#ifndef THINPROBE_PAIRING_H
#define THINPROBE_PAIRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Times on one clock in ns; 0 means "not known" or "did not happen". */
struct pair_key {
	int64_t due_ns;
	int64_t sent_ns;
	int64_t answer_ns;	/* the answer, or the earliest that it can be */
	int64_t high_ns;	/* the latest that it can be */
	int64_t censored_ns;	/* answered later than this; beside answer_ns: it is the latest that is not known */
	bool skipped;		/* warm-up: paired as all others, left out of figures */
	bool repeated;		/* in hold mode: made by the display itself at about due_ns, sent_ns is not known */
	bool exact;
	bool coalesced;		/* the picture that answered it answered a later key too */
};

/* When the key left: sent_ns; due_ns for one that the display made itself; INT64_MAX when it never left. */
int64_t pair_gone_ns(const struct pair_key *key);

struct pair_shown {
	int64_t at_ns;
	uint32_t number;	/* as the patch shows it, modulo 2^24 */
};

/* Pairs the keys of a train, sent in this order, with what the patch showed (ascending times). `base` is the number shown
 * before the first key. What is unanswered at end_ns is censored there. Returns how many pictures showed more keys than had
 * been sent by then: somebody else types, or the numbers before the train were still moving. */
size_t pair_patch(struct pair_key *keys, size_t n, const struct pair_shown *shown, size_t m, uint32_t base, int64_t end_ns);

enum pair_drain {
	PAIR_DRAINED,		/* quiet at the end: every answer has come */
	PAIR_NOISY,		/* waited, but this display is never quiet: answers have most likely come */
	PAIR_CUT		/* ended while answers may still have been under way */
};

/* Pairs one block of keys with the times of the updates (ascending), of which those before the first key are passed over. */
void pair_update(struct pair_key *keys, size_t n, const int64_t *update_ns, size_t m, enum pair_drain drain, int64_t end_ns);

/* How likely an update that no key asked for may be in a block whose updates are still taken one for one. */
#define PAIR_STRAY_LIKELY 0.05
/* Is one likelier than that in so long a time, at this rate of them? */
bool pair_stray_likely(double noise_per_s, int64_t ns);

/* For an application known to answer several keys at once (a named assumption, and no more than that): the keys that
 * pair_update() gave a range get the one from the next update after them to the next but two. To be called after it, with
 * the same updates; exact keys stay. */
#define PAIR_COALESCING_BEYOND 2
void pair_coalescing(struct pair_key *keys, size_t n, const int64_t *update_ns, size_t m, enum pair_drain drain, int64_t end_ns);

/* Joins picture changes to updates: single linkage below gap_ns, never longer than longest_ns; an update's
 * time is that of its first change. Starts all zero. */
struct pair_merge {
	int64_t first_ns, last_ns;
};
/* True when the change at at_ns begins a new update. */
bool pair_merge_add(struct pair_merge *m, int64_t at_ns, int64_t gap_ns, int64_t longest_ns);

#endif
