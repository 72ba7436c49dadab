// SPDX-License-Identifier: GPL-3.0-or-later
#include "members.h"
#include "account.h"
#include "files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct process_table_entry *member_find_by_pid(struct process_table_entry *m, size_t n, pid_t pid)
{
	for (size_t i = 0; i < n; i++)
		if (m[i].pid == pid)
			return &m[i];
	return NULL;
}

static bool member_is_in_listed_session(const struct process_table_entry *m, const pid_t *root, size_t roots)
{
	for (size_t i = 0; i < roots; i++)
		if (m->pid == root[i] || m->is.session == root[i])
			return true;
	return false;
}

void members_mark_login_processes(struct process_table_entry *m, size_t n, const pid_t *root, size_t roots)
{
	bool more = true;

	for (size_t i = 0; i < n; i++)
		if (!member_is_kernel_thread(&m[i]) && member_is_in_listed_session(&m[i], root, roots))
			m[i].in = true;
	while (more) {	/* one generation of descendants a turn */
		more = false;
		for (size_t i = 0; i < n; i++) {
			const struct process_table_entry *parent;

			if (m[i].in || member_is_kernel_thread(&m[i]))
				continue;
			parent = member_find_by_pid(m, n, m[i].is.ppid);
			if (parent && parent->in)
				m[i].in = more = true;
		}
	}
}

int members_read_process(pid_t pid, struct process_table_entry *out)
{
	*out = (struct process_table_entry){ .pid = pid };
	return proc_stat_of_process(pid, &out->is);
}

int members_read_all_processes(struct process_table_entry **out, size_t *n)
{
	struct process_table_entry *m = NULL;
	pid_t *pid = NULL;
	size_t pids = 0, have = 0;
	int err = files_list_numeric_names("/proc", &pid, &pids);

	if (!err)
		m = calloc(pids + 1, sizeof(*m));
	for (size_t i = 0; m && i < pids; i++)
		have += !members_read_process(pid[i], &m[have]);
	free(pid);
	*out = m;
	*n = have;
	return err ? err : m ? 0 : -ENOMEM;
}

void members_read_command_line(pid_t pid, char *text, size_t size)
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

int64_t members_page_table_bytes_of_pid(pid_t pid)
{
	char folder[32];

	snprintf(folder, sizeof(folder), "/proc/%d", (int)pid);
	return account_read_number_behind_key(folder, "status", "VmPTE:");
}
