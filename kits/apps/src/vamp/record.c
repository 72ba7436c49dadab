// SPDX-License-Identifier: GPL-3.0-or-later
#include "record.h"
#include "memory.h"
#include "proc.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *const exemption_words[] = { "", "plays sound", "light before others took the CPUs", "named" };

static int compare_judged(const void *a, const void *b)
{
	const struct background_tag *x = a, *y = b;
	bool exempt_x = x->why != EXEMPT_NOT, exempt_y = y->why != EXEMPT_NOT;

	return exempt_x != exempt_y ? exempt_x - exempt_y : (x->pid > y->pid) - (x->pid < y->pid);
}

static bool is_named(const char *names, const char *comm)
{
	size_t n;

	for (; names && *names; names += n + (names[n] == ','))
		if ((n = strcspn(names, ",")) == strlen(comm) && !strncmp(names, comm, n))
			return true;
	return false;
}

int record_judge_processes(const struct task_sampler *tasks, const struct judge_cfg *cfg, const struct audio_watch *audio,
			   struct judged_list *out)
{
	const struct sample_times *m = tasks_times(tasks);
	const struct process_history *p;
	struct background_tag *shrunk;

	*out = (struct judged_list){ .tag = calloc(tasks_count(tasks) + 1, sizeof(*out->tag)) };
	if (!out->tag)
		return -ENOMEM;
	for (size_t i = 0; (p = tasks_next(tasks, &i));) {
		struct process_load load = history_load(p, m, cfg->sub_ns);
		enum load_verdict verdict = history_judge(p, &load, cfg->threshold);
		struct background_tag *tag = &out->tag[out->n];

		if (verdict == VERDICT_LOW)
			continue;
		*tag = (struct background_tag){
			.pid = p->pid, .start = p->start, .load_percent = 100 * load.load, .run_percent = 100 * load.run
		};
		proc_read_line(p->pid, "comm", tag->comm, sizeof(tag->comm)); /* the current name: exec may have changed it */
		if (!*tag->comm)
			memcpy(tag->comm, p->comm, sizeof(tag->comm));
		tag->why = audio && audio_is_player(audio, p->pid) ? EXEMPT_SOUND
			   : verdict == VERDICT_KNOWN		   ? EXEMPT_LIGHT
			   : is_named(cfg->except, tag->comm)	   ? EXEMPT_NAMED
								   : EXEMPT_NOT;
		out->background += tag->why == EXEMPT_NOT;
		out->n++;
	}
	shrunk = reallocarray(out->tag, out->n + 1, sizeof(*shrunk)); /* the list is kept for the whole run */
	out->tag = shrunk ? shrunk : out->tag;
	qsort(out->tag, out->n, sizeof(*out->tag), compare_judged);
	return 0;
}

void record_report_tag(struct rec_report *r, const struct background_tag *tag, const char *why)
{
	rec_begin_object(r, NULL);
	rec_add_int(r, "pid", tag->pid);
	rec_add_str(r, "comm", tag->comm);
	rec_add_reals(r, { "cpu_percent", tag->load_percent, 1 }, { "run_percent", tag->run_percent, 1 });
	if (*why)
		rec_add_str(r, "why", why);
	rec_end(r);
}

void record_free_judged(struct judged_list *j)
{
	free(j->tag);
	*j = (struct judged_list){ 0 };
}

bool record_same_tags(const struct judged_list *a, const struct judged_list *b)
{
	bool same = a->background == b->background;

	for (size_t i = 0; same && i < a->background; i++)
		same = a->tag[i].pid == b->tag[i].pid && a->tag[i].start == b->tag[i].start;
	return same;
}

const char *const episode_end_words[] = { "", "input", "time", "stop" };

struct episode_record *record_add_episode(struct run_record *t)
{
	if (t->n == RECORD_EPISODES_MAX) {
		record_free_judged(&t->episode[0].judged);
		memmove(t->episode, t->episode + 1, --t->n * sizeof(*t->episode));
		t->left_out++;
	} else if (array_room(&t->episode, t->n)) {
		return NULL;
	}
	t->episode[t->n] = (struct episode_record){ 0 };
	return &t->episode[t->n++];
}

struct episode_record *record_current(const struct run_record *t)
{
	return t->n && !t->episode[t->n - 1].ended ? &t->episode[t->n - 1] : NULL;
}

double record_cpu_percent(const struct run_record *t)
{
	return t->now_ns > t->began_ns ? 100 * (double)t->cpu_ns / (double)(t->now_ns - t->began_ns) : NAN;
}

void record_free(struct run_record *t)
{
	for (size_t i = 0; i < t->n; i++)
		record_free_judged(&t->episode[i].judged);
	free(t->episode);
	sample_free(&t->decision_ns);
}

struct row_file *record_open_log(const char *path, const char *schema, const char *const *columns)
{
	struct stat st;

	if (!path)
		return NULL;
	if (!stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISCHR(st.st_mode))
		die_usage("--log %s: give a file or a terminal; anything else may block vamp while processes are throttled", path);
	return rows_must_open(path, schema, columns);
}

struct row_file *record_open_run_log(const char *path)
{
	static const char *const columns[] = { "time_ns",     "event",	 "what",	 "pid",	       "comm", "load_percent",
					       "run_percent", "wakeups", "average_1000", "confidence", NULL };

	return record_open_log(path, "vamp-log/1", columns);
}

/* `tag`, `counter`: figures of a process; NULL: empty cells. */
static void write_row(struct row_file *log, int64_t at_ns, const char *event, const char *what, const struct background_tag *tag,
		      const struct audio_counter *counter)
{
	rows_write_int(log, at_ns);
	rows_write_str(log, event);
	rows_write_str(log, what);
	rows_write_count(log, tag ? tag->pid : counter ? counter->pid : -1);
	rows_write_str(log, tag ? tag->comm : counter ? counter->comm : "");
	rows_write_counts(log, tag ? lround(tag->load_percent) : -1, tag ? lround(tag->run_percent) : -1,
			  counter ? counter->wakeups : -1, counter ? lround(1000 * counter->average) : -1,
			  counter ? counter->confidence : -1);
	rows_end_row(log);
}

void record_write_begin(struct row_file *log, const struct episode_record *e)
{
	if (!log)
		return;
	write_row(log, e->started_ns, "episode", e->trigger, NULL, NULL);
	for (size_t i = 0; i < e->judged.n; i++) {
		const struct background_tag *tag = &e->judged.tag[i];

		write_row(log, e->decided_ns, tag->why == EXEMPT_NOT ? "tag" : "excluded", exemption_words[tag->why], tag, NULL);
	}
	rows_flush(log);
}

void record_write_end(struct row_file *log, const struct episode_record *e)
{
	if (!log)
		return;
	write_row(log, e->ended_ns, "end", episode_end_words[e->ended], NULL, NULL);
	rows_flush(log);
}

void record_write_audio(struct row_file *log, int64_t now_ns, const struct audio_watch *audio)
{
	struct audio_counter counter[32];
	size_t n = log && audio ? audio_copy_counters(audio, counter, sizeof(counter) / sizeof(*counter)) : 0;

	for (size_t i = 0; i < n; i++) /* background processes are among them, with 0 wake-ups as well */
		write_row(log, now_ns, "audio", counter[i].stream ? "stream" : "", NULL, &counter[i]);
	if (n)
		rows_flush(log);
}
