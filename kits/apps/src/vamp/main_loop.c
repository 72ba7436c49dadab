// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_loop.h"
#include "clock.h"
#include "proc.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* When the episode will have reached its maximum length; INT64_MAX: there is no episode. */
static int64_t episode_due_ns(const struct vamp_daemon *w)
{
	const struct episode_record *e = record_current(&w->record);

	return e ? e->started_ns + w->most_ns : INT64_MAX;
}

static void describe_throttles(struct vamp_daemon *w)
{
	size_t n = 0;

	w->record.dry = !w->ways;
	snprintf(w->record.way, sizeof(w->record.way), "dry run: nothing is changed");
	for (int i = 0; i < w->ways && n < sizeof(w->record.way); i++) {
		char text[256] = "";

		w->way[i]->ops->describe(w->way[i], text, sizeof(text));
		n += (size_t)snprintf(w->record.way + n, sizeof(w->record.way) - n, "%s%s", i ? "; " : "", text);
	}
	if (w->audio)
		audio_describe(w->audio, w->record.sound, sizeof(w->record.sound));
}

static int apply_throttles(struct vamp_daemon *w, const struct judged_list *now)
{
	int err = 0;

	for (int i = 0; i < w->ways; i++) {
		int one;

		if (!now->background && !w->way[i]->always)
			continue;
		one = w->way[i]->ops->begin(w->way[i], now->tag, now->background);
		if (one && !err)
			err = one;
		w->applied = true;
	}
	return err;
}

static void end_throttles(struct vamp_daemon *w)
{
	for (int i = 0; i < w->ways && w->applied; i++)
		w->way[i]->ops->end(w->way[i]);
	w->applied = false;
}

static void record_episode_end(struct vamp_daemon *w, enum episode_end how, int64_t at_ns)
{
	struct episode_record *e = record_current(&w->record);

	if (!e)
		return;
	e->ended_ns = at_ns;
	e->ended = how;
	record_write_end(w->log, e);
}

/* Averages the wake-up counts of the sound server; `now`: the background processes, whose confidence grows. */
static void average_wakeups(struct vamp_daemon *w, const struct judged_list *now)
{
	int *pid = w->audio ? calloc(now->background + 1, sizeof(*pid)) : NULL;

	w->averaged_ns = clock_now();
	if (!pid)
		return;
	for (size_t i = 0; i < now->background; i++)
		pid[i] = now->tag[i].pid;
	record_write_audio(w->log, w->averaged_ns, w->audio);
	audio_update_counts(w->audio, pid, now->background);
	free(pid);
}

static void record_sample_result(struct vamp_daemon *w, int err)
{
	w->err = w->err ? w->err : err;
	w->record.processes = tasks_count(w->tasks);
	if (w->record.processes > w->record.most_processes)
		w->record.most_processes = w->record.processes;
}

static void judge_processes(struct vamp_daemon *w, struct judged_list *now)
{
	int err = record_judge_processes(w->tasks, &w->judge, w->audio, now);

	w->err = w->err ? w->err : err;
}

const char *loop_error_text(int err)
{
	switch (err) {
	case -ENODEV: return "the control group was removed";
	case -EPIPE: return "no source of input is left";
	default: return strerror(-err);
	}
}

/* Handles an input. If the background processes are the same as in the current episode they stay throttled: ending and beginning
 * would give them full CPU weight for a moment. */
static void handle_input(struct vamp_daemon *w, const struct input_event *event, bool sound)
{
	struct episode_record *e, *before = record_current(&w->record);
	struct judged_list now;
	bool same;

	if (event->seen_ns - w->second_ns >= NS_PER_S) {
		w->second_ns = event->seen_ns;
		w->inputs = 0;
	}
	if (w->inputs++ >= LOOP_INPUTS)
		return;
	if (sound && before)
		return;
	record_sample_result(w, tasks_sample(w->tasks, clock_now(), true));
	judge_processes(w, &now);
	if (w->err) {
		record_free_judged(&now);
		return;
	}
	same = w->applied && before && !before->err && record_same_tags(&before->judged, &now);
	record_episode_end(w, ENDED_INPUT, event->seen_ns);
	if (!same)
		end_throttles(w);
	e = record_add_episode(&w->record);
	if (!e) {
		w->err = -ENOMEM;
		record_free_judged(&now);
		return;
	}
	e->started_ns = event->seen_ns;
	memcpy(e->trigger, event->what, sizeof(e->trigger));
	e->judged = now;
	e->err = same ? 0 : apply_throttles(w, &now);
	e->decided_ns = clock_now();
	sample_add(&w->record.decision_ns, e->decided_ns - e->started_ns);
	record_write_begin(w->log, e);
	average_wakeups(w, &now);
	describe_throttles(w);
}

static void keep_first_event(void *arg, const struct input_event *event)
{
	struct vamp_daemon *w = arg;

	if (!w->event.seen_ns)
		w->event = *event;
}

static void read_source(struct vamp_daemon *w, int i)
{
	struct input_source *s = w->source[i];
	int err;

	w->event.seen_ns = 0;
	err = s->ops->read(s, keep_first_event, w);
	if (w->event.seen_ns)
		handle_input(w, &w->event, w->audio && s == audio_source(w->audio));
	if (!err)
		return;
	warn("no more input from %s: %s", s->ops->name, strerror(-err));
	if (!w->audio || s != audio_source(w->audio))
		s->ops->close(s);
	if (w->sources - 1 == (w->audio ? 1 : 0)) /* sound alone is no source of user input */
		w->err = -EPIPE;
	w->source[i] = w->source[--w->sources];
}

static void sample_sub_epoch(struct vamp_daemon *w, int64_t now)
{
	record_sample_result(w, tasks_sample(w->tasks, now, false));
	w->record.samples++;
	if (w->audio && !record_current(&w->record) && now - w->averaged_ns >= w->most_ns) {
		struct judged_list would;

		judge_processes(w, &would);
		average_wakeups(w, &would);
		record_free_judged(&would);
	}
}

static void read_own_cost(struct vamp_daemon *w)
{
	struct rusage children;
	int64_t watchdog = w->undo ? clock_pid_cpu(undo_watchdog(w->undo)) : 0;

	getrusage(RUSAGE_CHILDREN, &children);
	w->record.now_ns = clock_now();
	w->record.cpu_ns = -w->cpu_before_ns + clock_process_cpu() + (watchdog > 0 ? watchdog : 0) +
			   (children.ru_utime.tv_sec + children.ru_stime.tv_sec) * NS_PER_S +
			   (children.ru_utime.tv_usec + children.ru_stime.tv_usec) * NS_PER_US;
}

static void handle_events(struct vamp_daemon *w, int64_t due_ns, const sigset_t *waiting)
{
	struct pollfd fd[LOOP_SOURCES + 1] = { { .fd = w->answers, .events = POLLIN } };
	struct timespec ts = { 0 };
	int n = w->sources;
	int64_t left;

	for (int i = 0; i < w->ways; i++)
		if (w->way[i]->ops->do_periodic_work)
			due_ns = clock_earlier(due_ns, w->way[i]->ops->do_periodic_work(w->way[i], clock_now()));
	left = due_ns - clock_now();
	if (left > 0)
		ts = clock_timespec(left);

	for (int i = 0; i < n; i++)
		fd[i + 1] = (struct pollfd){ .fd = w->source[i]->fd, .events = POLLIN };
	if (ppoll(fd, (nfds_t)n + 1, &ts, waiting) <= 0)
		return;
	for (int i = n - 1; i >= 0; i--) /* backwards: a source that has ended is replaced by the last one */
		if (fd[i + 1].revents)
			read_source(w, i);
	if (fd[0].revents) {
		read_own_cost(w);
		status_answer_clients(w->answers, &w->record);
	}
}

void loop_take_first_sample(struct vamp_daemon *w)
{
	read_own_cost(w);
	w->cpu_before_ns = w->record.cpu_ns;
	w->record.began_ns = clock_now();
	record_sample_result(w, tasks_sample(w->tasks, w->record.began_ns, false));
	describe_throttles(w);
}

void loop_run(struct vamp_daemon *w, int64_t until_ns)
{
	int64_t next = w->record.began_ns + w->judge.sub_ns;
	sigset_t stop, before;

	proc_fill_stop_set(&stop);
	sigprocmask(SIG_BLOCK, &stop, &before);
	while (!proc_stop && !w->err && clock_now() < until_ns) {
		int64_t now;

		handle_events(w, clock_earlier(clock_earlier(next, episode_due_ns(w)), until_ns), &before);
		now = clock_now();
		if (now >= episode_due_ns(w)) {
			end_throttles(w);
			record_episode_end(w, ENDED_TIME, now);
			describe_throttles(w);
		}
		if (now >= next) {
			int64_t late = (now - next) / w->judge.sub_ns;

			sample_sub_epoch(w, now);
			w->record.missed += late;
			next += (1 + late) * w->judge.sub_ns;
		}
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	end_throttles(w);
	record_episode_end(w, ENDED_STOP, clock_now());
}

void loop_update_record(struct vamp_daemon *w)
{
	describe_throttles(w);
	read_own_cost(w);
}
