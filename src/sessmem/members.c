// SPDX-License-Identifier: GPL-3.0-or-later
#include "members.h"
#include "files.h"
#include "memory.h"

struct member *members_find(struct member *m, size_t n, pid_t pid)
{
	for (size_t i = 0; i < n; i++)
		if (m[i].pid == pid)
			return &m[i];
	return NULL;
}

static bool is_listed(const struct member *m, const pid_t *root, size_t roots)
{
	for (size_t i = 0; i < roots; i++)
		if (m->pid == root[i] || m->is.session == root[i])
			return true;
	return false;
}

void members_mark_login(struct member *m, size_t n, const pid_t *root, size_t roots)
{
	bool more = true;

	for (size_t i = 0; i < n; i++)
		if (!member_is_kernel(&m[i]) && is_listed(&m[i], root, roots))
			m[i].in = true;
	while (more) { /* one generation of descendants a turn */
		more = false;
		for (size_t i = 0; i < n; i++) {
			const struct member *parent;

			if (m[i].in || member_is_kernel(&m[i]))
				continue;
			parent = members_find(m, n, m[i].is.ppid);
			if (parent && parent->in)
				m[i].in = more = true;
		}
	}
}

int members_read_process(pid_t pid, struct member *out)
{
	*out = (struct member){ .pid = pid };
	return proc_read_stat(pid, &out->is);
}

int members_read_all(struct member **out, size_t *n)
{
	pid_t *pid = NULL;
	size_t pids = 0, have = 0;
	int err = files_list_numeric_names("/proc", &pid, &pids);
	struct member *m = memory_new(pids, sizeof(*m));

	for (size_t i = 0; i < pids; i++)
		have += !members_read_process(pid[i], &m[have]);
	free(pid);
	*out = m;
	*n = have;
	return err;
}

void members_read_command(pid_t pid, char *text, size_t size)
{
	FILE *in;
	char path[64];
	size_t n = 0;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	in = fopen(path, "re");
	if (in) {
		n = fread(text, 1, size - 1, in);
		fclose(in);
	}
	while (n > 0 && !text[n - 1])
		n--;
	text[n] = '\0';
	for (size_t i = 0; i < n; i++)
		if (!text[i])
			text[i] = ' ';
}
