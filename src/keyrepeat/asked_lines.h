/* SPDX-License-Identifier: GPL-3.0-or-later */
/* asked_lines - the talk with who asks for keys: a line in for each, a line out with its answer. */
#ifndef KEYREPEAT_ASKED_LINES_H
#define KEYREPEAT_ASKED_LINES_H

#include "asked.h"
#include "rec.h"
#include "train.h"

struct asked_talk {
	struct asked *asked;
	int key;		/* what to send: the target's number */
	int in_fd, out_fd;
	size_t skip;		/* first keys to be left out of figures */
	struct train train;	/* what was sent, a block each, as the log wants it; train_free() */
	size_t count[4];	/* of each asked_how */
	size_t sent;
};

/* Until standard input ends or sender_ended(). 0, -EPIPE when nobody reads the answers any more, -ENOMEM. */
int asked_lines_run(struct asked_talk *talk);

/* The object "result". */
void asked_lines_report(struct rec *r, const struct asked_talk *talk);

#endif
