// SPDX-License-Identifier: GPL-3.0-or-later
#include "account.h"
#include "dial.h"
#include "proc.h"
#include "vm.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PATIENCE_S 5
#define EVENTS 1000 /* maximum number of events between two answers */

/* Reads the next object that has the key, which the caller frees. NULL: end of file, an error, or a timeout. */
static json_t *read_object(FILE *in, const char *key)
{
	for (int i = 0; i < EVENTS; i++) {
		json_t *message = json_loadf(in, JSON_DISABLE_EOF_CHECK, NULL);

		if (!message || json_object_get(message, key))
			return message;
		json_decref(message);
	}
	return NULL;
}

json_t *qmp_ask(FILE *in, const char *command)
{
	size_t n = strlen(command);

	return send(fileno(in), command, n, MSG_NOSIGNAL) == (ssize_t)n ? read_object(in, "return") : NULL;
}

static int compare_indexes(const void *a, const void *b)
{
	const struct guest_vcpu *x = a, *y = b;

	return (x->index > y->index) - (x->index < y->index);
}

static int parse_vcpus(json_t *answer, struct guest_vcpu *out, size_t room, size_t *n)
{
	json_t *list = json_object_get(answer, "return"), *one;
	size_t i;

	*n = json_array_size(list);
	if (!*n || *n > room)
		return -EPROTO;
	json_array_foreach(list, i, one)
	{
		json_int_t index, tid;

		if (json_unpack(one, "{s:I, s:I}", "cpu-index", &index, "thread-id", &tid) || index < 0 ||
		    index >= (json_int_t)room || tid <= 0 || tid > INT_MAX)
			return -EPROTO;
		out[i] = (struct guest_vcpu){ .index = (int)index, .tid = (pid_t)tid };
	}
	qsort(out, *n, sizeof(*out), compare_indexes);
	for (i = 1; i < *n; i++)
		if (out[i].index == out[i - 1].index)
			return -EPROTO;
	return 0;
}

int qmp_open(FILE **out, const char *path, uid_t *owner, struct why *why)
{
	json_t *greeting = NULL, *ready = NULL;
	struct ucred maker = { 0 };
	int fd = dial_unix(path, PATIENCE_S, &maker), err = 0;
	FILE *in = fd < 0 ? NULL : fdopen(fd, "r");

	*owner = maker.uid;
	if (!in) {
		err = fd < 0 ? fd : -ENOMEM;
		why_say(why, "cannot reach QEMU at %s: %s: start it with -qmp unix:%s,server=on,wait=off", path, strerror(-err),
			path);
		if (fd >= 0)
			close(fd);
		return err;
	}
	greeting = read_object(in, "QMP");
	ready = greeting ? qmp_ask(in, "{\"execute\": \"qmp_capabilities\"}\n") : NULL;
	if (ferror(in) && errno != EAGAIN) { /* EAGAIN: no answer in time */
		err = -EIO;
		why_say(why, "QEMU at %s: %s", path, strerror(errno));
	} else if (!ready) {
		err = -ETIMEDOUT;
		why_say(why, "no greeting from QEMU at %s: it serves one client at a time: give it a second -qmp socket", path);
	}
	json_decref(greeting);
	json_decref(ready);
	if (err)
		fclose(in);
	*out = err ? NULL : in;
	return err;
}

int qmp_query(const char *path, struct guest_vcpu *out, size_t room, size_t *n, uid_t *owner, struct why *why)
{
	json_t *answer;
	FILE *in;
	int err = qmp_open(&in, path, owner, why);

	if (err)
		return err;
	answer = qmp_ask(in, "{\"execute\": \"query-cpus-fast\"}\n");
	if (!answer || parse_vcpus(answer, out, room, n)) {
		err = -EPROTO;
		why_say(why, "QEMU at %s does not report the threads of its CPUs: use version 2.12 or newer", path);
	}
	json_decref(answer);
	fclose(in);
	return err;
}

/* Returns the start of a task, in clock ticks after the boot, with the pid and the owner of its process. 0: there is no such
 * task. */
static uint64_t read_task_start(pid_t tid, int64_t *process, int64_t *owner)
{
	struct proc_stat stat;
	char folder[32];

	snprintf(folder, sizeof(folder), "/proc/%d", (int)tid);
	*process = account_read_number(folder, "status", "Tgid:");
	*owner = account_read_number(folder, "status", "Uid:");
	return *process > 0 && *owner >= 0 && !proc_read_stat(tid, &stat) ? stat.start : 0;
}

int guest_find(struct guest_machine *out, const char *qmp, struct why *why)
{
	int64_t process, owner;
	bool twice = false;
	uid_t maker;
	int err = qmp_query(qmp, out->vcpu, AGENT_CPUS, &out->n, &maker, why);

	if (err)
		return err;
	out->pid = 0;
	for (size_t i = 0; i < out->n; i++) {
		struct guest_vcpu *v = &out->vcpu[i];

		v->start = read_task_start(v->tid, &process, &owner);
		if (!v->start) {
			why_say(why, "vCPU %d: there is no thread %d here: run this on QEMU's host, outside of containers",
				v->index, (int)v->tid);
			return -ESRCH;
		}
		for (size_t k = 0; k < i; k++)
			twice |= out->vcpu[k].tid == v->tid;
		if (twice || (maker && owner != maker) || (out->pid && process != out->pid)) {
			why_say(why, "vCPU %d: thread %d is another vCPU's, or not of what answers at %s: is that a QEMU?",
				v->index, (int)v->tid, qmp);
			return -EPERM;
		}
		out->pid = (pid_t)process;
	}
	out->start = read_task_start(out->pid, &process, &owner);
	return out->start ? 0 : -ESRCH;
}
