/* SPDX-License-Identifier: GPL-3.0-or-later */
/* answer - how a running vamp reports what it does: an abstract Unix socket, "thinprobe-vamp-UID-PID".
 *
 * To each client it sends lines of cells with tabs between, and then closes the connection:
 *   episode SECONDS TRIGGER     since when, or no such line
 *   cost PERCENT PROCESSES EPISODES
 *   way TEXT, sound TEXT
 *   background|excluded PID COMM LOAD_PERCENT RUN_PERCENT WHY */
#ifndef VAMP_ANSWER_H
#define VAMP_ANSWER_H

#include "told.h"

#define ANSWER_NAME "thinprobe-vamp-"

/* The descriptor to poll, or -errno. */
int answer_open(void);
/* Answers all clients that have connected. Never blocks. */
void answer_clients(int fd, const struct told *t);

#endif
