/* SPDX-License-Identifier: GPL-3.0-or-later */
/* log - rows for later reading: what happened when to whom ("vamp-log/1"). Each is on disk when the call returns. */
#ifndef VAMP_LOG_H
#define VAMP_LOG_H

#include "rec.h"
#include "told.h"

/* NULL, with errno, where it cannot be written. All others pass over a log that is NULL. */
struct rows *log_open(const char *path);
void log_begin(struct rows *log, const struct told_episode *e);		/* the episode and its tags */
void log_end(struct rows *log, const struct told_episode *e);
/* The counters of sound, where there is an audio. */
void log_sound(struct rows *log, int64_t now_ns, const struct audio *audio);

#endif
