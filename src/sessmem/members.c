// SPDX-License-Identifier: GPL-3.0-or-later
#include "members.h"
#include "proc.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int member_read(const char *stat, struct member *out)
{
	const char *open = strchr(stat, '('), *close = strrchr(stat, ')');
	struct proc_stat is;
	size_t n;

	*out = (struct member){ 0 };
	if (!open || !close || close < open || sscanf(stat, "%d (", &out->pid) != 1 || proc_read_stat(stat, &is))
		return -EPROTO;
	out->state = is.state;
	out->ppid = is.ppid;
	out->session = is.session;
	out->kernel = is.flags & PROC_KTHREAD;
	out->threads = is.threads;
	out->start = is.start;
	n = (size_t)(close - open - 1);
	if (n >= sizeof(out->name))
		n = sizeof(out->name) - 1;
	memcpy(out->name, open + 1, n);
	return 0;
}

struct member *members_find(struct member *m, size_t n, pid_t pid)
{
	for (size_t i = 0; i < n; i++)
		if (m[i].pid == pid)
			return &m[i];
	return NULL;
}

static bool is_root(const struct member *m, const pid_t *root, size_t roots)
{
	for (size_t i = 0; i < roots; i++)
		if (m->pid == root[i] || m->session == root[i])
			return true;
	return false;
}

size_t members_mark(struct member *m, size_t n, const pid_t *root, size_t roots)
{
	size_t marked = 0;
	bool more = true;

	for (size_t i = 0; i < n; i++)
		if (!m[i].kernel && is_root(&m[i], root, roots))
			m[i].in = true;
	while (more) {	/* one generation a turn */
		more = false;
		for (size_t i = 0; i < n; i++) {
			const struct member *parent = m[i].in || m[i].kernel ? NULL : members_find(m, n, m[i].ppid);

			if (parent && parent->in)
				m[i].in = more = true;
		}
	}
	for (size_t i = 0; i < n; i++)
		marked += m[i].in;
	return marked;
}

bool members_above(struct member *m, size_t n, pid_t pid, pid_t below)
{
	/* Read while processes come and go, parents could seem to go round: no chain is longer than the table. */
	for (size_t turns = 0; below > 0 && turns <= n; turns++) {
		const struct member *at;

		if (below == pid)
			return true;
		at = members_find(m, n, below);
		below = at ? at->ppid : 0;
	}
	return false;
}
