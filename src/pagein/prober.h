/* SPDX-License-Identifier: GPL-3.0-or-later */
/* prober - who sends the keys: a keyrepeat of our own, or one that runs elsewhere and is reached through two pipes. */
#ifndef PAGEIN_PROBER_H
#define PAGEIN_PROBER_H

#include <stdint.h>
#include <sys/types.h>

#define PROBER_WHY 300

struct prober {
	int in, out;		/* lines to it, lines from it */
	pid_t pid;		/* 0: not ours */
};

/* One key, in ns of the prober's own clock. */
struct prober_answer {
	int64_t due_ns, sent_ns, answered_ns;	/* sent 0: could not be sent; answered 0: no echo in time */
	char how[16];		/* how its echo was told, in keyrepeat's words */
};

/* Starts `command` (NULL-terminated), which must answer lines as keyrepeat --schedule asked does
 * and write "ready" to descriptor 3. It dies with us. 0, or -1 with a line in `why`; what it says
 * itself goes to our standard error. */
int prober_start(struct prober *p, char *const *command, int64_t patience_ns, char why[PROBER_WHY]);
/* "IN,OUT": two named pipes (or files like them) that such a one reads and writes. */
int prober_join(struct prober *p, const char *in_out, char why[PROBER_WHY]);

/* Asks for a key and waits for its answer. 0; -EPIPE when nobody is there any more, -ETIMEDOUT, -EPROTO for an answer in other
 * words, -EINTR when we are to stop. Answers to what others asked before are thrown away. */
int prober_ask(struct prober *p, int64_t patience_ns, struct prober_answer *out);

/* Ends ours; another's stays. */
void prober_close(struct prober *p);

#endif
