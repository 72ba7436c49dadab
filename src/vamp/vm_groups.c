// SPDX-License-Identifier: GPL-3.0-or-later
#include "vm_groups.h"
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH (VM_GROUP + 64)

static const struct vm_groups_files {
	const char *weight, *threads;
	int fast;	/* as a thread of nice 0 weighs */
} files[] = { [1] = { "cpu.shares", "tasks", 1024 }, [2] = { "cpu.weight", "cgroup.threads", 100 } };

static int vm_groups_write(int fd, const char *text)
{
	return pwrite(fd, text, strlen(text), 0) < 0 ? -errno : 0;
}

static int vm_groups_read(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);
	int err = n < 0 ? -errno : 0;

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	return err;
}

/* Moves QEMU as a whole, where it is not there yet. */
static int vm_groups_enter(struct vm_groups *g, const struct vm *vm, const char *folder, struct undo *undo)
{
	char from[PATH], to[PATH], real[VM_GROUP * 2];

	if (!realpath(folder, real))
		return -errno;
	if (!strcmp(real, g->machine))
		return 0;
	if (strlen(real) >= VM_GROUP)
		return -ENAMETOOLONG;
	snprintf(from, sizeof(from), "%s/cgroup.procs", g->machine);
	snprintf(g->machine, sizeof(g->machine), "%.*s", VM_GROUP - 1, real);
	snprintf(to, sizeof(to), "%s/%s", g->machine, files[g->version].weight);
	if (access(to, F_OK))
		return -ENOTDIR;
	snprintf(to, sizeof(to), "%s/cgroup.procs", g->machine);
	return undo_move(undo, vm->pid, vm->start, to, from);
}

/* Version 2: the cpu controller must be switched on for the groups below. */
static int vm_groups_enable(const struct vm_groups *g, struct undo *undo)
{
	char path[PATH], text[256];
	int err;

	snprintf(path, sizeof(path), "%s/cgroup.subtree_control", g->machine);
	err = vm_groups_read(path, text, sizeof(text));
	if (err)
		return err;
	for (char *rest, *word = strtok_r(text, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest))
		if (!strcmp(word, "cpu"))
			return 0;
	return undo_enable(undo, path, "cpu");
}

static int vm_groups_open_weight(struct vm_groups *g, const char *folder, int fast)
{
	struct vm_groups_vcpu *v = &g->vcpu[g->n];
	char path[PATH];

	snprintf(path, sizeof(path), "%s/%s", folder, files[g->version].weight);
	v->fast = fast;
	v->fd = open(path, O_RDWR | O_CLOEXEC);
	if (v->fd < 0)
		return -errno;
	g->n++;
	return vm_groups_set(g, g->n - 1, fast);
}

/* Weights in a group of ours are not noted: the group goes away as a whole. */
static int vm_groups_add(struct vm_groups *g, const struct vm_vcpu *vcpu, struct undo *undo)
{
	char folder[VM_GROUP + 48], path[PATH + 48], from[PATH];
	int err;

	snprintf(folder, sizeof(folder), "%s/thinprobe-vamp-%d-vcpu%d", g->machine, (int)getpid(), vcpu->index);
	err = undo_mkdir(undo, folder);
	if (!err && g->version == 2) {
		snprintf(path, sizeof(path), "%s/cgroup.type", folder);
		err = files_write(path, "threaded");
	}
	if (!err)
		err = vm_groups_open_weight(g, folder, files[g->version].fast);
	snprintf(path, sizeof(path), "%s/%s", folder, files[g->version].threads);
	snprintf(from, sizeof(from), "%s/%s", g->machine, files[g->version].threads);
	return err ? err : undo_move(undo, vcpu->tid, vcpu->start, path, from);
}

static int vm_groups_adopt(struct vm_groups *g, const char *folder, struct undo *undo)
{
	char path[PATH], text[64];
	int err;

	snprintf(path, sizeof(path), "%s/%s", folder, files[g->version].weight);
	err = vm_groups_read(path, text, sizeof(text));
	if (!err) {
		text[strcspn(text, "\n")] = '\0';
		err = undo_write(undo, path, text);
	}
	return err ? err : vm_groups_open_weight(g, folder, atoi(text));
}

static int vm_groups_fill(struct vm_groups *g, const struct vm *vm, const char *folder, struct undo *undo)
{
	char at[VM_GROUP];
	int err = folder ? vm_groups_enter(g, vm, folder, undo) : 0;

	if (!err && g->version == 2 && !g->adopted)
		err = vm_groups_enable(g, undo);
	for (size_t i = 0; !err && i < vm->n; i++) {
		if (!g->adopted)
			err = vm_groups_add(g, &vm->vcpu[i], undo);
		else
			err = vm_group_of(vm->vcpu[i].tid, at) ? vm_groups_adopt(g, at, undo) : -ESRCH;
	}
	return err;
}

int vm_groups_make(struct vm_groups *g, const struct vm *vm, const char *folder, struct undo *undo, char *why, size_t size)
{
	size_t mark = undo_mark(undo);
	char at[VM_GROUP], top[PATH];
	int err;

	memset(g, 0, sizeof(*g));
	g->version = vm_group_of(vm->pid, g->machine);
	if (!g->version || !vm_group_of(vm->vcpu[0].tid, at)) {
		snprintf(why, size, "no cpu control group is mounted here");
		return -ENOENT;
	}
	g->adopted = !folder && strcmp(at, g->machine) != 0;
	/* a file that only the top has, or only others */
	snprintf(top, sizeof(top), "%s/%s", g->machine, g->version == 1 ? "release_agent" : "cgroup.type");
	if (!folder && !g->adopted && (g->version == 1) == !access(top, F_OK)) {
		snprintf(why, size, "QEMU is in no group of its own, whose share could be divided: start it in one, or name one with --group");
		return -ENOENT;
	}
	err = vm_groups_fill(g, vm, folder, undo);
	if (!err)
		return 0;
	snprintf(why, size, "cannot make groups below %s: %s", folder ? folder : g->machine, strerror(-err));
	vm_groups_close(g);
	undo_back(undo, mark);
	return err;
}

int vm_groups_slow(const struct vm_groups *g, size_t vcpu, int parts)
{
	int weight = (g->vcpu[vcpu].fast + (g->version == 2 ? parts / 2 : 0)) / parts;

	return weight > 2 ? weight : 2;	/* the least that version 1 takes */
}

int vm_groups_set(struct vm_groups *g, size_t vcpu, int weight)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", weight);
	return vm_groups_write(g->vcpu[vcpu].fd, text);
}

void vm_groups_close(struct vm_groups *g)
{
	for (size_t i = 0; i < g->n; i++)
		close(g->vcpu[i].fd);
	g->n = 0;
}
