// SPDX-License-Identifier: GPL-3.0-or-later
/* sessmem - the memory of a login, process by process, read twice to tell how much it changes meanwhile.
 *
 * members.c finds the processes of the login, used.c reads the accounts of the machine and of a memory cgroup, the library's smaps
 * reader reads each process. This file reads options, reads, reports. */
#include "account.h"
#include "clock.h"
#include "files.h"
#include "members.h"
#include "memory.h"
#include "say.h"
#include "smaps.h"
#include "used.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

/* The memory of one process. */
struct process_reading {
	struct member member;
	struct smaps_sum sum;
	int64_t page_tables; /* bytes; -1: not known */
	int64_t takes;	     /* bytes that one more would need, too: all but the pages of files */
	char command[256];
};

struct session_reading {
	struct process_reading *row;
	size_t n;
	struct smaps_values total;
	size_t vanished, unreadable, ended; /* ended: zombies */
	int64_t changed;		    /* bytes by which the private memory of processes differs from the reading before */
	int64_t read_ns;		    /* duration of both readings */
	int64_t room;			    /* bytes that the memory limits of cgroups leave for one more; huge: no limit */
};

static struct {
	struct cli_pids session, pid;
	const char *cgroup;
	bool machine;
} cfg;
static struct rec_cfg out_cfg;

static const struct cli_opt options[] = {
	{ CLI_PIDS, 0, "session", &cfg.session, .help = "these processes, all in sessions that they lead, and all descendants" },
	{ CLI_STR, 0, "cgroup", &cfg.cgroup, .help = "all processes in this cgroup and below: a folder with a cgroup.procs",
	  .meta = "FOLDER" },
	{ CLI_PIDS, 0, "pid", &cfg.pid, .help = "only these processes" },
	{ CLI_FLAG, 0, "machine", &cfg.machine, .help = "no processes: only the machine's memory in use" },
	REC_OPTIONS(out_cfg),
	{ .type = CLI_END },
};

/* Marks the processes that belong to the login now. */
static void mark_login(struct member *m, size_t n)
{
	struct cli_pids listed = { NULL, 0 };
	int err = 0;

	members_mark_login(m, n, cfg.session.pid, cfg.session.n);
	if (cfg.cgroup)
		err = files_list_group_pids(cfg.cgroup, &listed.pid, &listed.n);
	if (err)
		die(EXIT_RUN, "%s: %s; name the folder of a control group", cfg.cgroup,
		    err == -ENOENT ? "no cgroup.procs there" : strerror(-err));
	for (size_t i = 0; i < listed.n + cfg.pid.n; i++) {
		struct member *one = members_find(m, n, i < listed.n ? listed.pid[i] : cfg.pid.pid[i - listed.n]);

		if (one && !member_is_kernel(one))
			one->in = true;
	}
	free(listed.pid);
}

static void require_live_processes(void)
{
	const struct cli_pids *given[] = { &cfg.session, &cfg.pid };
	struct member one;

	for (size_t g = 0; g < 2; g++)
		for (size_t i = 0; i < given[g]->n; i++)
			if (members_read_process(given[g]->pid[i], &one))
				die(EXIT_RUN, "there is no process %d (any more)", (int)given[g]->pid[i]);
			else if (given[g] == &cfg.pid && (one.is.state == 'Z' || member_is_kernel(&one)))
				die(EXIT_RUN, "process %d has no memory: it %s", (int)one.pid,
				    one.is.state == 'Z' ? "has ended and waits for its parent" : "is a kernel thread");
}

static void read_process(struct session_reading *s, const struct member *m)
{
	struct process_reading *r;
	struct member now;
	char rollup[64];
	int err;

	memory_more(s->row, s->n);
	r = &s->row[s->n];
	*r = (struct process_reading){ .member = *m };
	if (m->is.state == 'Z') {
		s->ended++;
		return;
	}
	if (members_read_process(m->pid, &now) || now.is.start != m->is.start) { /* another process may have the pid by now */
		s->vanished++;
		return;
	}
	err = smaps_read(m->pid, &r->sum, NULL, NULL);
	if (err == -ENOENT || err == -ESRCH) {
		s->vanished++;
		return;
	}
	if (err) {
		s->unreadable++;
		return;
	}
	if (!r->sum.mappings) { /* the process is ending: it has released its memory */
		s->ended++;
		return;
	}
	r->page_tables = proc_read_status(m->pid, "VmPTE:");
	snprintf(rollup, sizeof(rollup), "/proc/%d/smaps_rollup", (int)m->pid);
	r->takes = used_read_nonfile_pss(rollup);
	r->takes = (r->takes < 0 ? r->sum.all.private_dirty : r->takes) + r->sum.all.swap_pss;
	members_read_command(m->pid, r->command, sizeof(r->command));
	smaps_add(&s->total, &r->sum.all);
	s->n++;
}

static int compare_pids(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

static int64_t private_bytes(const struct smaps_values *f)
{
	return f->private_dirty + f->swap;
}

/* Bytes by which the private memory of processes differs between two readings, both in the order of pids. A process in only one
 * reading counts with all of its private memory. */
static int64_t count_changed_bytes(const struct session_reading *a, const struct session_reading *b)
{
	const struct process_reading *x = a->row, *y = b->row, *x_end = x + a->n, *y_end = y + b->n;
	int64_t sum = 0;

	while (x < x_end || y < y_end) {
		int order = x == x_end ? 1 : y == y_end ? -1 : compare_pids(&x->member, &y->member);

		sum += llabs((order <= 0 ? private_bytes(&x->sum.all) : 0) - (order >= 0 ? private_bytes(&y->sum.all) : 0));
		x += order <= 0;
		y += order >= 0;
	}
	return sum;
}

/* Bytes that memory limits leave for one more login: those of the groups above the group of --cgroup if it is a memory group, else
 * those of the processes' groups and above. INT64_MAX: no limit. */
static int64_t read_limit_room(const struct group_use *group, const struct member *m, size_t n)
{
	char folder[2 * PATH_MAX], above[PATH_MAX], mount[PATH_MAX], name[PATH_MAX], before[PATH_MAX] = "";
	int64_t room = INT64_MAX;

	snprintf(folder, sizeof(folder), "%s/..", cfg.cgroup ? cfg.cgroup : "");
	if (group->version)
		return realpath(folder, above) ? account_read_limits(above).room : room;
	if (!proc_find_cgroup_mount("", "memory", mount, sizeof(mount)))
		return room;
	for (size_t i = 0; i < n; i++) {
		int64_t here;

		if (!proc_read_cgroup(m[i].pid, "memory", name, sizeof(name)) || !strcmp(name, before))
			continue;
		strcpy(before, name);
		snprintf(folder, sizeof(folder), "%s%s", mount, name);
		here = account_read_limits(folder).room;
		room = here < room ? here : room;
	}
	return room;
}

/* Reads all processes of the login once. */
static struct session_reading read_login(const struct group_use *group)
{
	struct session_reading s = { 0 };
	struct member *m = NULL;
	size_t n, members = 0;
	int err = members_read_all(&m, &n);

	if (err)
		die(EXIT_RUN, "cannot read /proc: %s", strerror(-err));
	mark_login(m, n);
	for (size_t i = 0; i < n; i++)
		if (m[i].in && m[i].pid != getpid())
			m[members++] = m[i];
	qsort(m, members, sizeof(*m), compare_pids);
	for (size_t i = 0; i < members && !proc_stop; i++)
		read_process(&s, &m[i]);
	s.room = read_limit_room(group, m, members);
	free(m);
	return s;
}

static struct session_reading measure_memory(struct machine_use *machine, struct group_use *group)
{
	struct session_reading first = { 0 }, s = { 0 };
	int64_t since = clock_now();
	int err = used_read_machine("/proc/meminfo", machine);

	if (err)
		die(EXIT_RUN, "cannot read /proc/meminfo: %s", strerror(-err));
	if (cfg.cgroup && used_read_group(cfg.cgroup, group))
		group->version = 0;
	if (cfg.machine)
		return s;
	first = read_login(group);
	s = read_login(group);
	s.changed = count_changed_bytes(&first, &s);
	s.read_ns = clock_now() - since;
	free(first.row);
	return s;
}

static void report_figures(struct rec_report *r, const char *before, const struct smaps_values *f)
{
	const struct {
		const char *name;
		int64_t v;
	} figure[] = {
		{ "private", f->private_dirty + f->swap },
		{ "private_dirty", f->private_dirty },
		{ "swap", f->swap },
		{ "private_clean", f->private_clean },
		{ "pss", f->pss },
		{ "swap_pss", f->swap_pss },
		{ "shared", f->shared_clean + f->shared_dirty },
		{ "rss", f->rss },
	};
	char key[64];

	for (size_t i = 0; i < sizeof(figure) / sizeof(*figure); i++) {
		snprintf(key, sizeof(key), "%s%s_bytes", before, figure[i].name);
		rec_add_int(r, key, figure[i].v);
	}
}

static void report_process(struct rec_report *r, const struct process_reading *p)
{
	rec_begin_object(r, NULL);
	rec_add_str(r, "name", p->member.is.comm);
	rec_add_ints(r, { "pid", p->member.pid }, { "ppid", p->member.is.ppid }, { "session", p->member.is.session },
		     { "threads", p->member.is.threads });
	report_figures(r, "", &p->sum.all);
	rec_add_count(r, "page_tables_bytes", p->page_tables);
	rec_add_str(r, "command", *p->command ? p->command : NULL);
	rec_end(r);
}

static void report_processes(struct rec_report *r, const struct session_reading *s)
{
	int64_t tables = 0;

	rec_begin_array(r, "processes");
	for (size_t i = 0; i < s->n; i++) {
		report_process(r, &s->row[i]);
		tables = tables < 0 || s->row[i].page_tables < 0 ? -1 : tables + s->row[i].page_tables;
	}
	rec_end(r);
	rec_add_int(r, "processes_read", (int64_t)s->n);
	report_figures(r, "total_", &s->total);
	rec_add_count(r, "total_page_tables_bytes", tables);
	rec_add_ints(r, { "vanished", (int64_t)s->vanished }, { "unreadable", (int64_t)s->unreadable },
		     { "ended", (int64_t)s->ended }, { "changed_bytes", s->changed });
	rec_add_bool(r, "exact", !s->changed);
	rec_add_real(r, "read_ms", (double)s->read_ns / NS_PER_MS, 3);
}

#define NAMED 4 /* processes with a row of their own in the short report */

static int compare_private(const void *a, const void *b)
{
	const struct process_reading *x = a, *y = b;
	int64_t one = private_bytes(&x->sum.all), other = private_bytes(&y->sum.all);

	return one < other ? 1 : one > other ? -1 : 0;
}

static void say_row(struct rec_report *r, const char *name, const struct smaps_values *f, const char *note)
{
	rec_add_row(r, "%s\t%s\t%s\t%s%s", name, memory_text((double)private_bytes(f)), memory_text((double)f->swap),
		    memory_text((double)(f->pss - f->private_dirty - f->private_clean)), note);
}

static void say_processes(struct rec_report *r, struct session_reading *s)
{
	struct smaps_values rest = { 0 };
	char more[32];

	if (s->n)
		qsort(s->row, s->n, sizeof(*s->row), compare_private);
	rec_begin_table(r, "lrrr", "process\tprivate\tof it swapped\tshared*");
	for (size_t i = 0; i < s->n; i++)
		if (i < NAMED || s->n == NAMED + 1)
			say_row(r, s->row[i].member.is.comm, &s->row[i].sum.all, "");
		else
			smaps_add(&rest, &s->row[i].sum.all);
	snprintf(more, sizeof(more), "%zu more", s->n - NAMED);
	if (s->n > NAMED + 1)
		say_row(r, more, &rest, "");
}

static void say_room(struct rec_report *r, const struct session_reading *s, const struct machine_use *m,
		     const struct group_use *group)
{
	int64_t room = s->room < m->available ? s->room : m->available, takes = 0, charged = 0;

	for (size_t i = 0; i < s->n; i++)
		takes += s->row[i].takes;
	if (group->version) /* also memory that no process maps */
		charged = group->anonymous + group->shared_memory + (group->swapped > 0 ? group->swapped : 0);
	takes = charged > takes ? charged : takes;
	if (takes > 0)
		rec_say(r, "One more takes at least %s; %s are free%s: room for at most %s, by memory alone.",
			memory_text((double)takes), memory_text((double)room),
			room < m->available ? " within the limits of memory groups" : "", count_text(room / takes));
}

static void say_summary(struct rec_report *r, struct session_reading *s, const struct machine_use *m, const struct group_use *group)
{
	if (!s) {
		rec_say(r, "%s of %s in use: processes %s, kernel %s", memory_text((double)m->used), memory_text((double)m->total),
			memory_text((double)m->processes), memory_text((double)m->kernel));
		rec_say(r, "%s available, %s of file cache; %s in swap", memory_text((double)m->available),
			memory_text((double)m->cache), memory_text((double)m->swapped));
		return;
	}
	if (s->unreadable)
		rec_warn(r, "%zu of %zu processes may not be read; %s", s->unreadable, s->unreadable + s->n,
			 geteuid() ? "as root they may" : "this root lacks CAP_SYS_PTRACE (a container)");
	if (s->vanished)
		rec_warn(r, "%zu processes ended while they were read", s->vanished);
	say_processes(r, s);
	if (s->n > 1)
		say_row(r, "total", &s->total, "\t*fair share of it");
	if (s->changed)
		rec_say(r, "Sums are not exact: private memory changed by %s between two readings.",
			memory_text((double)s->changed));
	if (!s->unreadable && !s->vanished)
		say_room(r, s, m, group);
}

static void report_pids(struct rec_report *r, const char *key, const struct cli_pids *p)
{
	rec_begin_array(r, key);
	for (size_t i = 0; i < p->n; i++)
		rec_add_int(r, NULL, p->pid[i]);
	rec_end(r);
}

static void report_session(struct rec_report *r, struct session_reading *s, const struct machine_use *machine,
			   const struct group_use *group)
{
	rec_begin_object(r, "settings");
	report_pids(r, "session", &cfg.session);
	rec_add_str(r, "cgroup", cfg.cgroup);
	report_pids(r, "pid", &cfg.pid);
	rec_add_bool(r, "machine", cfg.machine);
	rec_add_int(r, "page_bytes", sysconf(_SC_PAGESIZE));
	rec_end(r);
	rec_begin_object(r, "result");
	if (!cfg.machine)
		report_processes(r, s);
	if (group->version)
		used_report_group(r, group);
	used_report_machine(r, machine);
	rec_end(r);
	rec_set_table(r, "processes");
	say_summary(r, cfg.machine ? NULL : s, machine, group);
}

static void read_options(int argc, char **argv)
{
	int first = cli_parse(argc, argv, "sessmem --session PID,... | --cgroup FOLDER | --pid PID,... [options]",
			      "Reports the memory of a login, process by process: private, shared and fair share.", options);

	cli_refuse_operands(argc, argv, first);
	if (!cfg.session.n && !cfg.pid.n && !cfg.cgroup && !cfg.machine)
		die_usage("no processes named: give --session PID, --cgroup FOLDER or --pid PID");
	if (cfg.machine && (cfg.session.n || cfg.pid.n || cfg.cgroup))
		die_usage("--machine measures no processes: leave --session, --cgroup and --pid out");
}

int main(int argc, char **argv)
{
	struct group_use group = { 0 };
	struct machine_use machine;
	struct session_reading seen;
	struct rec_report *out;

	read_options(argc, argv);
	require_live_processes();
	proc_catch_stop();
	out = rec_must_open(&out_cfg, "sessmem");
	seen = measure_memory(&machine, &group);
	if (!seen.n && seen.unreadable)
		die(EXIT_RUN, "none of %zu processes may be read; they are somebody else's: run it as root", seen.unreadable);
	if (!seen.n && !cfg.machine && !cfg.cgroup && !proc_stop)
		die(EXIT_RUN, "none of the processes has memory: they have ended, or are kernel threads");
	report_session(out, &seen, &machine, &group);
	rec_must_close(out);
	return proc_stop ? EXIT_INTERRUPTED : seen.unreadable || seen.vanished ? EXIT_LOSSY : EXIT_OK;
}
