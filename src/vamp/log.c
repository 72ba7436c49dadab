// SPDX-License-Identifier: GPL-3.0-or-later
#include "log.h"

#include <math.h>
#include <stdlib.h>

static const char *const columns[] = {
	"time_ns", "event", "what", "pid", "comm", "load_percent", "run_percent", "wakeups", "average_1000", "confidence", NULL
};

struct rows *log_open(const char *path)
{
	return rows_open(path, "vamp-log/1", columns);
}

static void begin(struct rows *log, int64_t at_ns, const char *event, const char *what)
{
	rows_int(log, at_ns);
	rows_str(log, event);
	rows_str(log, what);
}

static void nothing(struct rows *log, int cells)
{
	while (cells--)
		rows_none(log);
}

void log_begin(struct rows *log, const struct told_episode *e)
{
	if (!log)
		return;
	begin(log, e->started_ns, "episode", e->trigger);
	nothing(log, 7);
	rows_end(log);
	for (size_t i = 0; i < e->judged.n; i++) {
		const struct tag *tag = &e->judged.tag[i];

		begin(log, e->decided_ns, i < e->judged.background ? "tag" : "excluded", spared_words[e->judged.why[i]]);
		rows_int(log, tag->pid);
		rows_str(log, tag->comm);
		rows_int(log, lround(tag->load_percent));
		rows_int(log, lround(tag->run_percent));
		nothing(log, 3);
		rows_end(log);
	}
	rows_flush(log);
}

void log_end(struct rows *log, const struct told_episode *e)
{
	if (!log)
		return;
	begin(log, e->ended_ns, "end", ended_words[e->ended]);
	nothing(log, 7);
	rows_end(log);
	rows_flush(log);
}

void log_sound(struct rows *log, int64_t now_ns, const struct audio *audio)
{
	struct audio_counter counter[32];
	size_t n = log && audio ? audio_counters(audio, counter, 32) : 0;

	for (size_t i = 0; i < n && i < 32; i++) {
		if (!counter[i].stream && !counter[i].wakeups)
			continue;
		begin(log, now_ns, "audio", counter[i].stream ? "stream" : "");
		rows_int(log, counter[i].pid);
		rows_str(log, counter[i].comm);
		nothing(log, 2);
		rows_int(log, counter[i].wakeups);
		rows_int(log, lround(1000 * counter[i].average));
		rows_int(log, counter[i].confidence);
		rows_end(log);
	}
	if (n)
		rows_flush(log);
}
