/* run - one load at one end: its streams, a thread that sends, a thread that receives. */
#ifndef THINPROBE_NETLOAD_RUN_H
#define THINPROBE_NETLOAD_RUN_H

#include "door.h"
#include "pull.h"
#include "push.h"

struct run {
	struct load load;
	uint64_t key;
	struct door control;
	struct lane lane[LOAD_LANES];
	struct side own, other;		/* what this end counted, and the other */
	struct push push;
	struct pull pull;
	bool pushes, pulls;
	unsigned char *noise;
};

/* All streams are open (lane[].fd): both halves begin. 0 or -errno. */
int run_start(struct run *r);
/* The sending half ends, at once or (not told) when its time is over; `own` has what was sent. */
void run_end_push(struct run *r, bool at_once);
/* The other end has sent all; `own` has what was received. */
void run_end_pull(struct run *r, bool at_once);
void run_free(struct run *r);

#endif
