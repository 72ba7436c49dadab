/* SPDX-License-Identifier: GPL-3.0-or-later */
/* truth - is what the wire alone tells of a key true? Held against the pixels of the same train, where these are exact. */
#ifndef THINPROBE_SUMMARIZE_TRUTH_H
#define THINPROBE_SUMMARIZE_TRUTH_H

#include "keys.h"
#include "traces.h"

#include <stddef.h>

struct truth {
	size_t keys;		/* with an exact answer in the pixels, and looked for on the wire */
	size_t held;		/* of them: the update that the client then showed lies within the key's range */
	size_t exact;		/* of them: told as exact */
	size_t untested;	/* no exact answer in the pixels, or not in the capture */
};

/* The true update is the last one that began before the client's pixels showed the answer: decoding one takes the client less than
 * the 10 ms that updates are apart. */
void truth_of(const struct keys *pixels, const struct traces *wire, struct truth *out);

/* The same keys as the wire alone tells them: an answer's range, or "later than". 0 or -ENOMEM; *out is the caller's. */
int truth_wire_keys(const struct keys *pixels, const struct traces *wire, struct keys *out);

#endif
