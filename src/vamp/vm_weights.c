// SPDX-License-Identifier: GPL-3.0-or-later
#include "vm_weights.h"
#include "vm_groups.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Weights of nice +5, +10 and +13 (sched_prio_to_weight of the kernel): nearest to 1/3, 1/9 and 1/18 of 1024. */
static const struct {
	int nice, weight;
} steps[RATIOS] = { { 5, 335 }, { 10, 110 }, { 13, 56 } };

struct vm_weights {
	enum { WAY_V1, WAY_V2, WAY_NICE, WAY_DRY } way;
	enum ratio ratio;
	const struct vm *vm;
	struct undo *undo;
	char why[256];				/* nice values and no groups */
	struct vm_groups groups;
	int nice[AGENT_CPUS];			/* as they were */
};

/* Notes the nice values, which finds out early whether they could be set back. */
static int vm_weights_note_nice(struct vm_weights *w)
{
	int err = 0;

	for (size_t i = 0; !err && i < w->vm->n; i++) {
		const struct vm_vcpu *v = &w->vm->vcpu[i];

		err = undo_nice_was(w->undo, v->tid, &w->nice[i]);
		if (!err)
			err = undo_nice(w->undo, v->tid, v->start, w->nice[i]);
	}
	return err;
}

int vm_weights_open(struct vm_weights **out, const struct vm *vm, const char *group, enum ratio ratio, bool dry, struct undo *undo,
		    char *why, size_t size)
{
	struct vm_weights *w = calloc(1, sizeof(*w));
	int err = 0;

	if (!w) {
		snprintf(why, size, "no memory");
		return -ENOMEM;
	}
	w->way = WAY_DRY;
	w->ratio = ratio;
	w->vm = vm;
	w->undo = undo;
	if (!dry) {
		err = vm_groups_make(&w->groups, vm, group, undo, w->why, sizeof(w->why));
		w->way = w->groups.version == 2 ? WAY_V2 : WAY_V1;
	}
	if (err && group) {
		snprintf(why, size, "--group %s: %s", group, w->why);
	} else if (err) {
		w->way = WAY_NICE;
		err = vm_weights_note_nice(w);
		if (err)
			snprintf(why, size, "%s; and nice values cannot be set back either: %s: run this as root", w->why, strerror(-err));
	}
	if (err)
		vm_weights_free(w);
	else
		*out = w;
	return err;
}

int vm_weights_set(struct vm_weights *w, size_t vcpu, bool slow)
{
	switch (w->way) {
	case WAY_V1:
	case WAY_V2:
		return vm_groups_set(&w->groups, vcpu, slow ? vm_groups_slow(&w->groups, vcpu, ratio_parts[w->ratio])
					: w->groups.vcpu[vcpu].fast);
	case WAY_NICE:
		return undo_nice(w->undo, w->vm->vcpu[vcpu].tid, w->vm->vcpu[vcpu].start, w->nice[vcpu] + (slow ? steps[w->ratio].nice : 0));
	case WAY_DRY:
		break;
	}
	return 0;
}

int vm_weights_of(const struct vm_weights *w, bool slow)
{
	if (!slow)
		return 1024;
	if (w->way == WAY_NICE)
		return steps[w->ratio].weight;
	if (w->way == WAY_DRY)
		return 1024 / ratio_parts[w->ratio];
	return 1024 * vm_groups_slow(&w->groups, 0, ratio_parts[w->ratio]) / w->groups.vcpu[0].fast;
}

const char *vm_weights_way(const struct vm_weights *w)
{
	static const char *const ways[] = { "cgroup v1", "cgroup v2", "nice", "dry run" };

	return ways[w->way];
}

void vm_weights_tell(const struct vm_weights *w, char *text, size_t size)
{
	switch (w->way) {
	case WAY_V1:
	case WAY_V2:
		snprintf(text, size, "a group for each of %zu vCPUs below %s%s; the weight of that group is not changed", w->vm->n,
			 w->groups.machine, w->groups.adopted ? " (made by others)" : "");
		break;
	case WAY_NICE:
		snprintf(text, size, "nice values of %zu vCPU threads, not groups: %s", w->vm->n, w->why);
		break;
	case WAY_DRY:
		snprintf(text, size, "nothing is changed");
		break;
	}
}

void vm_weights_free(struct vm_weights *w)
{
	if (w)
		vm_groups_close(&w->groups);
	free(w);
}
