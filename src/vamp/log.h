/* SPDX-License-Identifier: GPL-3.0-or-later */
/* log - rows for later reading: episodes, tags, ends, counters of sound ("vamp-log/1"). Each is written when the call returns. */
#ifndef VAMP_LOG_H
#define VAMP_LOG_H

#include "rec.h"
#include "told.h"

/* Of each command's --log: ends the program where the file cannot be written, or is a pipe, whose reader could hold us up.
 * NULL: no path. */
struct rows *log_must_open(const char *path, const char *schema, const char *const *columns);

struct rows *log_open(const char *path);
/* These pass over a log that is NULL. */
void log_begin(struct rows *log, const struct told_episode *e);		/* the episode and its tags */
void log_end(struct rows *log, const struct told_episode *e);
/* The counters of sound, where there is an audio. */
void log_sound(struct rows *log, int64_t now_ns, const struct audio *audio);

#endif
