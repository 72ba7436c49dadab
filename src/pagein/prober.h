/* SPDX-License-Identifier: GPL-3.0-or-later */
/* prober - the program that sends keys and waits for their echo: a keyrepeat started here, or a running one behind two pipes. */
#pragma once

#include "why.h"

#include <stdint.h>
#include <sys/types.h>

struct key_prober {
	int in, out; /* descriptors: requests to the prober, answers from the prober */
	pid_t pid;   /* 0: not started by us */
};

/* The times of one key, in ns of the prober's own CLOCK_MONOTONIC. */
struct prober_key_times {
	int64_t due_ns, sent_ns, answered_ns; /* sent_ns 0: could not be sent; answered_ns 0: no echo before the timeout */
	char how[16];			      /* how the echo was recognised, in keyrepeat's words */
};

/* Starts `command` (NULL-terminated), which must answer lines as keyrepeat --schedule asked does and write "ready" to descriptor
 * 3. It gets SIGTERM when pagein dies, and shares its standard error. 0, or -1 with a line in `why`. */
int prober_start(struct key_prober *p, char *const *command, int64_t patience_ns, struct why *why);
/* Connects to a running prober through "IN,OUT", the two named pipes that it reads and writes. 0, or -1 with a line in `why`. */
int prober_open_pipes(struct key_prober *p, const char *in_out, struct why *why);

/* Requests a key and waits for its answer: 0; -EPIPE when the prober has ended, -ETIMEDOUT, -EPROTO for an answer in another
 * format, -EINTR on a stop signal (proc_stop). Answers to earlier requests are discarded. */
int prober_request_key(struct key_prober *p, int64_t patience_ns, struct prober_key_times *out);

/* Ends a prober that prober_start() started; closes the pipes of any. */
void prober_close(struct key_prober *p);
