// SPDX-License-Identifier: GPL-3.0-or-later
#include "log.h"

#include <errno.h>
#include <math.h>
#include <sys/stat.h>

struct rows *log_must_open(const char *path, const char *schema, const char *const *columns)
{
	struct rows *log;
	struct stat st;

	if (!path)
		return NULL;
	if (!stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISCHR(st.st_mode))
		die_usage("--log %s: a file or a terminal; anything else may block, and keep what is throttled so", path);
	log = rows_open(path, schema, columns);
	if (!log)
		die(EXIT_RUN, "cannot write %s: %m", path);
	return log;
}

struct rows *log_open(const char *path)
{
	static const char *const columns[] = {
		"time_ns", "event", "what", "pid", "comm", "load_percent", "run_percent", "wakeups", "average_1000", "confidence", NULL
	};

	return log_must_open(path, "vamp-log/1", columns);
}

/* `tag`, `counter`: of a process, or NULL. */
static void log_row(struct rows *log, int64_t at_ns, const char *event, const char *what, const struct tag *tag,
		    const struct audio_counter *counter)
{
	rows_int(log, at_ns);
	rows_str(log, event);
	rows_str(log, what);
	rows_count(log, tag ? tag->pid : counter ? counter->pid : -1);
	rows_str(log, tag ? tag->comm : counter ? counter->comm : "");
	rows_count(log, tag ? lround(tag->load_percent) : -1);
	rows_count(log, tag ? lround(tag->run_percent) : -1);
	rows_count(log, counter ? counter->wakeups : -1);
	rows_count(log, counter ? lround(1000 * counter->average) : -1);
	rows_count(log, counter ? counter->confidence : -1);
	rows_end(log);
}

void log_begin(struct rows *log, const struct told_episode *e)
{
	if (!log)
		return;
	log_row(log, e->started_ns, "episode", e->trigger, NULL, NULL);
	for (size_t i = 0; i < e->judged.n; i++) {
		const struct tag *tag = &e->judged.tag[i];

		log_row(log, e->decided_ns, tag->why == SPARED_NOT ? "tag" : "excluded", spared_words[tag->why], tag, NULL);
	}
	rows_flush(log);
}

void log_end(struct rows *log, const struct told_episode *e)
{
	if (!log)
		return;
	log_row(log, e->ended_ns, "end", ended_words[e->ended], NULL, NULL);
	rows_flush(log);
}

void log_sound(struct rows *log, int64_t now_ns, const struct audio *audio)
{
	struct audio_counter counter[32];
	size_t n = log && audio ? audio_counters(audio, counter, sizeof(counter) / sizeof(*counter)) : 0;

	for (size_t i = 0; i < n; i++)
		if (counter[i].stream || counter[i].wakeups)
			log_row(log, now_ns, "audio", counter[i].stream ? "stream" : "", NULL, &counter[i]);
	if (n)
		rows_flush(log);
}
