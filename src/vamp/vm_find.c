// SPDX-License-Identifier: GPL-3.0-or-later
#include "proc.h"
#include "qmp.h"
#include "vm.h"

#include <errno.h>
#include <mntent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int vm_read_task(pid_t tid, pid_t *process, uid_t *owner, uint64_t *start)
{
	char path[64], line[1024] = "";
	struct proc_stat stat;
	int found = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	f = fopen(path, "re");
	while (f && found < 2 && fgets(line, sizeof(line), f))
		found += sscanf(line, "Tgid: %d", process) == 1 || sscanf(line, "Uid: %u", owner) == 1;
	if (f)
		fclose(f);
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)tid);
	f = fopen(path, "re");
	if (!f)
		return -ESRCH;
	line[0] = '\0';
	if (fread(line, 1, sizeof(line) - 1, f) && found == 2 && !proc_read_stat(line, &stat))
		*start = stat.start;
	else
		found = 0;
	fclose(f);
	return found == 2 ? 0 : -ESRCH;
}

int vm_find(struct vm *out, const char *qmp, char *why, size_t size)
{
	struct qmp_vcpu told[AGENT_CPUS];
	uid_t maker, owner;
	pid_t process;
	bool twice = false;
	int err = qmp_vcpus(qmp, told, AGENT_CPUS, &out->n, &maker, why, size);

	if (err)
		return err;
	out->pid = 0;
	for (size_t i = 0; i < out->n; i++) {
		struct vm_vcpu *v = &out->vcpu[i];

		*v = (struct vm_vcpu){ .index = told[i].index, .tid = told[i].tid };
		if (vm_read_task(v->tid, &process, &owner, &v->start)) {
			snprintf(why, size, "vCPU %d: there is no thread %d here: run this on QEMU's host, outside of containers", v->index,
				 (int)v->tid);
			return -ESRCH;
		}
		for (size_t k = 0; k < i; k++)
			twice |= out->vcpu[k].tid == v->tid;
		if (twice || (maker && owner != maker) || (out->pid && process != out->pid)) {
			snprintf(why, size, "vCPU %d: thread %d is not one of its own, of the process that answers at %s: is that a QEMU?", v->index,
				 (int)v->tid, qmp);
			return -EPERM;
		}
		out->pid = process;
	}
	return vm_read_task(out->pid, &process, &owner, &out->start);
}

/* Where the hierarchy of the controller is mounted. */
static int vm_find_mount(int version, char *folder, size_t size)
{
	FILE *f = setmntent("/proc/self/mounts", "re");
	const struct mntent *m;
	int err = -ENOENT;

	while (f && err && (m = getmntent(f))) {
		if (strcmp(m->mnt_type, version == 1 ? "cgroup" : "cgroup2") || (version == 1 && !hasmntopt(m, "cpu")))
			continue;
		err = snprintf(folder, size, "%s", m->mnt_dir) < (int)size ? 0 : -ENAMETOOLONG;
	}
	if (f)
		endmntent(f);
	return err;
}

int vm_group_of(pid_t tid, char folder[VM_GROUP])
{
	char path[VM_GROUP / 2];
	int version = proc_cgroup(tid, "cpu", path, sizeof(path));
	size_t n;

	if (!version || vm_find_mount(version, folder, VM_GROUP / 2))
		return 0;
	n = strlen(folder);
	snprintf(folder + n, VM_GROUP - n, "%s", strcmp(path, "/") ? path : "");
	return version;
}
