// SPDX-License-Identifier: GPL-3.0-or-later
#include "report.h"
#include "clock.h"

void report_tag(struct rec *r, const struct tag *tag)
{
	rec_int(r, "pid", tag->pid);
	rec_str(r, "comm", tag->comm);
	rec_real(r, "cpu_percent", tag->load_percent, 1);
	rec_real(r, "run_percent", tag->run_percent, 1);
}

static void report_episode(struct rec *r, const struct told_episode *e)
{
	rec_object(r, NULL);
	rec_int(r, "started_ns", e->started_ns);
	rec_int(r, "ended_ns", e->ended_ns);
	rec_str(r, "trigger", e->trigger);
	rec_str(r, "ended_by", ended_words[e->ended]);
	rec_count(r, "decided_us", e->decided_ns ? (e->decided_ns - e->started_ns) / NS_PER_US : -1);
	rec_bool(r, "applied", !e->err);
	rec_array(r, "background");
	for (size_t i = 0; i < e->judged.background; i++) {
		rec_object(r, NULL);
		report_tag(r, &e->judged.tag[i]);
		rec_end(r);
	}
	rec_end(r);
	rec_array(r, "excluded");
	for (size_t i = e->judged.background; i < e->judged.n; i++) {
		rec_object(r, NULL);
		report_tag(r, &e->judged.tag[i]);
		rec_str(r, "why", spared_words[e->judged.why[i]]);
		rec_end(r);
	}
	rec_end(r);
	rec_end(r);
}

void report_run(struct rec *r, struct told *t)
{
	int64_t tagged = 0;

	rec_array(r, "episodes");
	for (size_t i = 0; i < t->n; i++) {
		tagged += (int64_t)t->episode[i].judged.background;
		report_episode(r, &t->episode[i]);
	}
	rec_end(r);
	rec_int(r, "episodes_left_out", t->left_out);
	rec_int(r, "tagged_processes", tagged);
	rec_timing(r, "input_to_decision_us", &t->decision_ns, (double)NS_PER_US);
	rec_int(r, "sub_epochs", t->samples);
	rec_int(r, "missed_sub_epochs", t->missed);
	rec_real(r, "daemon_cpu_percent", told_cpu_percent(t), 3);
	rec_int(r, "sampled_tasks", (int64_t)t->most_processes);
	rec_int(r, "not_undone", (int64_t)t->not_undone);
	rec_str(r, "way", t->way);
	rec_str(r, "sound", *t->sound ? t->sound : NULL);
}
