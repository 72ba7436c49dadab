// SPDX-License-Identifier: GPL-3.0-or-later
#include "vm_report.h"
#include "account.h"
#include "proc.h"

#include <sys/resource.h>

static void vm_report_spent(struct rec *out, int index, const struct vm_spent *s)
{
	rec_object(out, NULL);
	rec_int(out, "index", index);
	rec_real(out, "slow_s", (double)s->slow_ns / 1e9, 3);
	rec_real(out, "run_s", (double)s->run_ns / 1e9, 3);
	rec_real(out, "wait_s", (double)s->wait_ns / 1e9, 3);
	rec_end(out);
}

static void vm_report_episode(struct rec *out, const struct vm *vm, const struct vm_episode *e)
{
	rec_object(out, NULL);
	rec_int(out, "started_ns", e->started_ns);
	rec_int(out, "ended_ns", e->ended_ns);
	rec_str(out, "ended_by", e->ended_by);
	rec_array(out, "vcpus");
	for (size_t i = 0; i < vm->n; i++)
		vm_report_spent(out, vm->vcpu[i].index, &e->vcpu[i]);
	rec_end(out);
	rec_end(out);
}

void vm_report(struct rec *out, const struct vm_watch *w, const char *ratio, size_t left)
{
	double wall_ns = (double)(w->ended_ns - w->started_ns);
	char tell[512];

	vm_weights_tell(w->weights, tell, sizeof(tell));
	rec_object(out, "settings");
	rec_str(out, "ratio", ratio);
	rec_int(out, "slow_weight", vm_weights_of(w->weights, true));
	rec_str(out, "way", vm_weights_way(w->weights));
	rec_str(out, "changes", tell);
	rec_int(out, "pid", w->vm->pid);
	rec_end(out);
	rec_object(out, "result");
	rec_real(out, "watched_s", wall_ns / 1e9, 3);
	rec_real(out, "daemon_cpu_percent", (double)w->cpu_ns * 100 / wall_ns, 3);
	rec_int(out, "lines", w->state.lines);
	rec_int(out, "lines_lost", w->state.lost);
	rec_int(out, "lines_refused", w->state.refused);
	rec_bool(out, "other_version", w->state.foreign);
	rec_int(out, "silences", w->silences);
	rec_int(out, "weights_failed", w->failures);
	rec_int(out, "not_undone", (int64_t)left);
	rec_int(out, "episodes_begun", w->state.episodes);
	rec_array(out, "vcpus");
	for (size_t i = 0; i < w->vm->n; i++)
		vm_report_spent(out, w->vm->vcpu[i].index, &w->all[i]);
	rec_end(out);
	rec_array(out, "episodes");
	for (size_t i = 0; i < w->episodes; i++)
		vm_report_episode(out, w->vm, &w->episode[i]);
	rec_end(out);
	rec_end(out);
}

void vm_report_status(struct rec *out, const struct vm *vm)
{
	char group[VM_GROUP];

	rec_object(out, "result");
	rec_int(out, "pid", vm->pid);
	rec_str(out, "group", vm_group_of(vm->pid, group) ? group : NULL);
	rec_array(out, "vcpus");
	for (size_t i = 0; i < vm->n; i++) {
		pid_t tid = vm->vcpu[i].tid;
		int version = vm_group_of(tid, group);
		struct proc_schedstat spent;

		rec_object(out, NULL);
		rec_int(out, "index", vm->vcpu[i].index);
		rec_int(out, "thread", tid);
		rec_str(out, "group", version ? group : NULL);
		rec_count(out, "weight", version ? account_figure(group, version == 1 ? "cpu.shares" : "cpu.weight", NULL) : -1);
		rec_int(out, "nice", getpriority(PRIO_PROCESS, (id_t)tid));
		rec_real(out, "run_s", proc_schedstat(tid, &spent) ? -1 : (double)spent.run_ns / 1e9, 3);
		rec_end(out);
	}
	rec_end(out);
	rec_end(out);
}
