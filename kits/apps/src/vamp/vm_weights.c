// SPDX-License-Identifier: GPL-3.0-or-later
#include "vm.h"
#include "files.h"
#include "groups.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct vcpu_weights {
	enum throttle_ratio ratio;
	const struct guest_machine *vm;
	struct undo_recorder *undo;
	bool dry;
	struct why why;		  /* why nice values are used instead of groups */
	struct cpu_groups groups; /* version 0: nice values, or a dry run */
	char machine[UNDO_PATH];  /* folder of the machine's own group */
	bool adopted;		  /* the groups of the vCPUs existed before */
	struct {
		char file[UNDO_PATH]; /* the file with the weight of its group */
		int fast;	      /* the fast weight; or its nice value before */
	} vcpu[AGENT_CPUS];
};

/* Moves QEMU as a whole to the group, if it is in another. */
static int move_qemu(struct vcpu_weights *w, const char *folder)
{
	struct group_path from = groups_path(w->machine, "cgroup.procs");
	char real[PATH_MAX];

	if (!realpath(folder, real))
		return -errno;
	if (!strcmp(real, w->machine))
		return 0;
	if (snprintf(w->machine, sizeof(w->machine), "%s", real) >= (int)sizeof(w->machine))
		return -ENAMETOOLONG;
	if (!groups_has_file(real, groups_version[w->groups.version].weight))
		return -ENOTDIR;
	return undoable_move_task(w->undo, w->vm->pid, w->vm->start, groups_path(w->machine, "cgroup.procs").text, from.text);
}

/* Makes a group for a vCPU and moves its thread there; its weight needs no note, since the group is removed as a whole. Where
 * adopted: notes the weight of the group that the thread is in. */
static int make_group(struct vcpu_weights *w, size_t i)
{
	const struct group_version *v = &groups_version[w->groups.version];
	const struct guest_vcpu *vcpu = &w->vm->vcpu[i];
	char folder[UNDO_PATH], weight[24];
	int err;

	if (w->adopted ? !groups_find_folder(&w->groups, vcpu->tid, folder, sizeof(folder))
		       : snprintf(folder, sizeof(folder), "%s/thinprobe-vamp-%d-vcpu%d", w->machine, (int)getpid(), vcpu->index) >=
				 (int)sizeof(folder))
		return w->adopted ? -ESRCH : -ENAMETOOLONG;
	if (snprintf(w->vcpu[i].file, sizeof(w->vcpu[i].file), "%s/%s", folder, v->weight) >= (int)sizeof(w->vcpu[i].file))
		return -ENAMETOOLONG;
	w->vcpu[i].fast = v->whole;
	if (w->adopted) {
		err = files_read_line(w->vcpu[i].file, weight, sizeof(weight));
		w->vcpu[i].fast = atoi(weight);
		return err ? err : undoable_write_file(w->undo, w->vcpu[i].file, weight);
	}
	err = undoable_make(w->undo, UNDO_MKDIR, folder);
	if (!err && w->groups.version == 2)
		err = files_write_text(groups_path(folder, "cgroup.type").text, "threaded");
	if (!err)
		err = files_write_number(w->vcpu[i].file, v->whole);
	return err ? err
		   : undoable_move_task(w->undo, vcpu->tid, vcpu->start, groups_path(folder, v->threads).text,
					groups_path(w->machine, v->threads).text);
}

/* Moves QEMU to `folder` (NULL: it stays), and each vCPU to a group of its own below. 0; or -errno with the reason in w->why: then
 * all of it is undone. */
static int make_vcpu_groups(struct vcpu_weights *w, const char *folder)
{
	size_t mark = undo_mark(w->undo);
	char at[UNDO_PATH];
	int err;

	groups_find_mount(&w->groups, "");
	if (!groups_find_folder(&w->groups, w->vm->pid, w->machine, sizeof(w->machine)) ||
	    !groups_find_folder(&w->groups, w->vm->vcpu[0].tid, at, sizeof(at)))
		return why_fail(-ENOENT, &w->why, "no cpu control group is mounted here");
	w->adopted = !folder && strcmp(at, w->machine) != 0;
	/* Is it the top group? Version 1: only the top has a release_agent; version 2: all groups but the top have a cgroup.type. */
	if (!folder && !w->adopted &&
	    (w->groups.version == 1 ? groups_has_file(w->machine, "release_agent") : !groups_has_file(w->machine, "cgroup.type"))) {
		why_say(&w->why,
			"QEMU is in no group of its own, whose share could be divided: start it in one, or name one with --group");
		return -ENOENT;
	}
	err = folder ? move_qemu(w, folder) : 0;
	if (!err && w->groups.version == 2 && !w->adopted)
		err = groups_enable_cpu(w->machine, w->undo);
	for (size_t i = 0; !err && i < w->vm->n; i++)
		err = make_group(w, i);
	if (err) {
		why_say(&w->why, "cannot make groups below %.150s: %s", folder ? folder : w->machine, strerror(-err));
		undo_revert(w->undo, mark);
	}
	return err;
}

/* Falls back to nice values. Sets the current values once, to find out early whether they can be set back. */
static int use_nice_values(struct vcpu_weights *w)
{
	int err = 0;

	w->groups.version = 0;
	for (size_t i = 0; !err && i < w->vm->n; i++) {
		const struct guest_vcpu *v = &w->vm->vcpu[i];
		struct undo_setting was = { 0 };

		err = undo_first_setting(w->undo, UNDO_NICE, v->tid, &was);
		w->vcpu[i].fast = was.nice;
		if (!err)
			err = undoable_set_nice(w->undo, v->tid, v->start, w->vcpu[i].fast);
	}
	return err;
}

int weights_open(struct vcpu_weights **out, const struct guest_machine *vm, const char *group, enum throttle_ratio ratio, bool dry,
		 struct undo_recorder *undo, struct why *why)
{
	struct vcpu_weights *w = calloc(1, sizeof(*w));
	int err;

	if (!w)
		return why_fail(-ENOMEM, why, "no memory");
	*w = (struct vcpu_weights){ .ratio = ratio, .vm = vm, .undo = undo, .dry = dry };
	err = dry ? 0 : make_vcpu_groups(w, group);
	if (err && group) {
		why_fail(err, why, "--group %s: %s", group, w->why.text);
	} else if (err) {
		err = use_nice_values(w);
		if (err)
			why_fail(err, why, "%s; and nice values cannot be set back either: %s: run this as root", w->why.text,
				 strerror(-err));
	}
	if (err)
		free(w);
	else
		*out = w;
	return err;
}

/* Weight of a slow vCPU's group, in the unit of the cgroup version. */
static int slow_weight(const struct vcpu_weights *w, size_t vcpu)
{
	int parts = throttle_ratio_steps[w->ratio].parts;
	int weight = (w->vcpu[vcpu].fast + (w->groups.version == 2 ? parts / 2 : 0)) / parts;

	return weight > 2 ? weight : 2; /* the minimum of version 1 */
}

int weights_set(struct vcpu_weights *w, size_t vcpu, bool slow)
{
	int fast = w->vcpu[vcpu].fast;

	if (w->dry)
		return 0;
	if (w->groups.version)
		return files_write_number(w->vcpu[vcpu].file, slow ? slow_weight(w, vcpu) : fast);
	return undoable_set_nice(w->undo, w->vm->vcpu[vcpu].tid, w->vm->vcpu[vcpu].start,
				 fast + (slow ? throttle_ratio_steps[w->ratio].nicer : 0));
}

int weights_get_scaled(const struct vcpu_weights *w, bool slow)
{
	if (!slow)
		return 1024;
	if (w->dry)
		return 1024 / throttle_ratio_steps[w->ratio].parts;
	return w->groups.version ? 1024 * slow_weight(w, 0) / w->vcpu[0].fast : throttle_ratio_steps[w->ratio].weight;
}

const char *weights_method_name(const struct vcpu_weights *w)
{
	static const char *const ways[] = { "nice", "cgroup v1", "cgroup v2" };

	return w->dry ? "dry run" : ways[w->groups.version];
}

void weights_describe(const struct vcpu_weights *w, char *text, size_t size)
{
	if (w->dry)
		snprintf(text, size, "nothing is changed");
	else if (w->groups.version)
		snprintf(text, size, "a group for each of %zu vCPUs below %s%s; the weight of that group is not changed", w->vm->n,
			 w->machine, w->adopted ? " (made by others)" : "");
	else
		snprintf(text, size, "nice values of %zu vCPU threads, not groups: %s", w->vm->n, w->why.text);
}
