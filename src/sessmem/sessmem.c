// SPDX-License-Identifier: GPL-3.0-or-later
/* sessmem - the memory of a login, process by process, while all of it stands still.
 *
 * Which processes belong to it is decided in members.c and procs.c, how they are stopped and let go
 * in hold.c, what the machine and its group have in use in used.c; the figures of a process are the
 * library's smaps reader, what is told of them is report.c. This file reads options, stops, reads,
 * lets go. */
#include "array.h"
#include "clock.h"
#include "files.h"
#include "hold.h"
#include "proc.h"
#include "procs.h"
#include "rec.h"
#include "report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROUNDS 50		/* of looking for what was born meanwhile */
#define SETTLE_NS (2 * NS_PER_S)

struct pids {
	pid_t *pid;
	size_t n;
};

static struct {
	struct pids session, pid;
	const char *cgroup;
	bool machine;
	int freeze;
} cfg;
static struct rec_cfg out_cfg;

static int read_listed_pids(const char *text, void *value)
{
	struct pids *p = value;
	const char *at = text;

	while (*at) {
		size_t length = strcspn(at, ",");
		int64_t one = 0;
		char word[32];

		if (array_room(&p->pid, p->n))
			die(EXIT_RUN, "out of memory");
		snprintf(word, sizeof(word), "%.*s", (int)(length < 31 ? length : 31), at);
		if (cli_read_int(word, &one) || one < 1 || one > INT32_MAX)
			die_usage("%s: not a list of process numbers such as 812,977", text);
		p->pid[p->n++] = (pid_t)one;
		at += length;
		if (*at && !*++at)
			die_usage("%s: a number is missing after the last comma", text);
	}
	return 0;
}

static const struct cli_opt options[] = {
	{ CLI_CALL, 0, "session", &cfg.session, 0, 0,
	  "these processes, all whose session is one of them, and all that descend from any", NULL, read_listed_pids, "PID,..." },
	{ CLI_STR, 0, "cgroup", &cfg.cgroup, 0, 0, "all in this control group and below: a folder that holds a cgroup.procs", NULL, NULL,
	  "FOLDER" },
	{ CLI_CALL, 0, "pid", &cfg.pid, 0, 0, "just these", NULL, read_listed_pids, "PID,..." },
	{ CLI_FLAG, 0, "machine", &cfg.machine, 0, 0, "no processes: only what the machine has in use", NULL, NULL, NULL },
	{ CLI_WORD, 0, "freeze", &cfg.freeze, 0, 0, "how processes are stopped while they are read (auto)", hold_ways, NULL, NULL },
	REC_OPTIONS(out_cfg),
	{ .type = CLI_END },
};

static struct session_readings seen;

/* ---- which ---- */

/* Who belongs to it now. What is marked already stays so. */
static size_t mark_members(struct member *m, size_t n)
{
	size_t marked = members_mark(m, n, cfg.session.pid, cfg.session.n);
	struct pids listed = { NULL, 0 };
	struct member *one;
	int err = 0;

	if (cfg.cgroup)
		err = files_group(cfg.cgroup, &listed.pid, &listed.n);
	if (err)
		die(EXIT_RUN, "%s: %s; name the folder of a control group", cfg.cgroup,
		    err == -ENOENT ? "no cgroup.procs there" : strerror(-err));
	for (size_t i = 0; i < listed.n + cfg.pid.n; i++) {
		one = members_find(m, n, i < listed.n ? listed.pid[i] : cfg.pid.pid[i - listed.n]);
		if (one && !one->in && !one->kernel) {
			one->in = true;
			marked++;
		}
	}
	free(listed.pid);
	return marked;
}

static void check_there(void)
{
	const struct pids *given[] = { &cfg.session, &cfg.pid };
	struct member one;

	for (size_t g = 0; g < 2; g++)
		for (size_t i = 0; i < given[g]->n; i++)
			if (procs_look(given[g]->pid[i], &one))
				die(EXIT_RUN, "there is no process %d (any more)", (int)given[g]->pid[i]);
}

/* ---- stopping ---- */

/* Us and who lets the others go: neither stopped nor measured. */
static bool ours(const struct hold *h, pid_t pid)
{
	return pid == getpid() || pid == hold_child(h);
}

/* Stops all of the login that goes on yet; how many were new. `known` holds who was looked at before. */
static size_t stop_new(struct hold *h, struct member *m, size_t n, struct member *known, size_t *n_known, size_t room)
{
	size_t fresh = 0;

	for (size_t i = 0; i < n; i++) {
		const struct member *before = m[i].in ? members_find(known, *n_known, m[i].pid) : NULL;
		int err = 0;

		if (!m[i].in || ours(h, m[i].pid) || (before && before->start == m[i].start) || *n_known == room)
			continue;
		known[(*n_known)++] = m[i];
		fresh++;
		if (m[i].state == 'Z')
			continue;
		/* Who waits for us would not be better off stopped; and a shell's shell would take its terminal away. */
		if (members_above(m, n, m[i].pid, getpid()))
			seen.not_frozen += hold_way(h) != HOLD_NONE;
		else
			err = hold_add(h, &m[i]);
		if (err && err != -ESRCH)
			seen.not_frozen++;
	}
	return fresh;
}

/* A login may start processes while it is being stopped: until a look finds no new one. What was stopped stays in `known`. */
static void stop_members(struct hold *h, struct member *known, size_t *n_known, size_t room)
{
	int64_t until = clock_now() + SETTLE_NS;
	size_t fresh = 1, left = 0;

	for (int round = 0; fresh && round < ROUNDS && !proc_stop; round++) {
		struct member *m;
		size_t n;
		int err = procs_scan(&m, &n);

		if (err)
			die(EXIT_RUN, "cannot read /proc: %s", strerror(-err));
		mark_members(m, n);
		fresh = stop_new(h, m, n, known, n_known, room);
		left = hold_settle(h, until);
		free(m);
	}
	seen.not_frozen += left;
}

/* ---- reading ---- */

static void read_one(const struct member *m)
{
	struct process_reading *r;
	struct member now;
	int err;

	if (array_room(&seen.row, seen.n))
		die(EXIT_RUN, "out of memory");
	r = &seen.row[seen.n];
	*r = (struct process_reading){ .is = *m };
	if (m->state == 'Z') {
		seen.ended++;
		return;
	}
	if (procs_look(m->pid, &now) || now.start != m->start) {	/* its number may be another's by now, which is read as that one */
		seen.vanished++;
		return;
	}
	err = smaps_read(m->pid, &r->sum, NULL, NULL);
	if (err == -ENOENT || err == -ESRCH) {
		seen.vanished++;
		return;
	}
	if (err) {
		seen.unreadable++;
		return;
	}
	if (!r->sum.mappings) {	/* it has given its memory back: it is ending */
		seen.ended++;
		return;
	}
	r->page_tables = procs_page_tables(m->pid);
	procs_command(m->pid, r->command, sizeof(r->command));
	seen.n++;
}

static int by_member_pid(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

static void measure_memory(struct used_machine *machine, struct used_group *group)
{
	static struct member known[32768];
	char why[256] = "";
	size_t n = 0;
	bool more = cfg.session.n || cfg.pid.n;	/* than the group */
	struct hold *h = hold_begin(cfg.machine ? HOLD_NONE : (enum hold_way)cfg.freeze, more ? NULL : cfg.cgroup, why, sizeof(why));
	int64_t since = clock_now();
	int err;

	if (!h)
		die(EXIT_MISSING, "%s", why);
	seen.way = hold_way(h);
	if (!cfg.machine)
		stop_members(h, known, &n, sizeof(known) / sizeof(*known));
	err = used_machine_read("/proc/meminfo", machine);
	if (err) {
		hold_end(h);
		die(EXIT_RUN, "cannot read /proc/meminfo: %s", strerror(-err));
	}
	if (cfg.cgroup && used_group_read(cfg.cgroup, group))
		group->version = 0;
	qsort(known, n, sizeof(*known), by_member_pid);
	for (size_t i = 0; i < n && !proc_stop; i++)
		read_one(&known[i]);
	err = hold_end(h);
	seen.frozen_ns = clock_now() - since;
	if (err)
		warn("not every process goes on: %s; kill -CONT those in state T", strerror(-err));
}

/* ---- reporting ---- */

static void report_pids(struct rec *r, const char *key, const struct pids *p)
{
	rec_array(r, key);
	for (size_t i = 0; i < p->n; i++)
		rec_int(r, NULL, p->pid[i]);
	rec_end(r);
}

static void report_session(struct rec *r, const struct used_machine *machine, const struct used_group *group)
{
	rec_object(r, "settings");
	report_pids(r, "session", &cfg.session);
	rec_str(r, "cgroup", cfg.cgroup);
	report_pids(r, "pid", &cfg.pid);
	rec_bool(r, "machine", cfg.machine);
	rec_str(r, "freeze", hold_ways[cfg.freeze]);
	rec_int(r, "page_bytes", sysconf(_SC_PAGESIZE));
	rec_end(r);
	rec_object(r, "result");
	if (!cfg.machine)
		report_processes(r, &seen);
	if (group->version)
		report_group(r, group);
	report_machine(r, machine);
	rec_end(r);
	rec_main_table(r, "processes");
	report_text(r, cfg.machine ? NULL : &seen, machine);
}

static void read_sessmem_options(int argc, char **argv)
{
	int first = cli_parse(argc, argv, "sessmem --session PID,... | --cgroup FOLDER | --pid PID,... [options]",
			      "Memory of a login, process by process: private, shared, its fair share, read while the login stands still.", options);

	if (first < argc)
		die_usage("unexpected word %s", argv[first]);
	if (!cfg.session.n && !cfg.pid.n && !cfg.cgroup && !cfg.machine)
		die_usage("whose memory? name a login with --session PID, --cgroup FOLDER or --pid PID");
	if (cfg.machine && (cfg.session.n || cfg.pid.n || cfg.cgroup))
		die_usage("--machine reads no processes; leave the others out");
}

int main(int argc, char **argv)
{
	struct used_group group = { 0 };
	struct used_machine machine;
	struct rec *out;
	int err;

	read_sessmem_options(argc, argv);
	check_there();
	proc_catch_stop();
	out = rec_open(&out_cfg, "sessmem");
	if (!out)
		die(EXIT_RUN, "cannot write %s: %m", out_cfg.path);
	measure_memory(&machine, &group);
	if (!seen.n && seen.unreadable)
		die(EXIT_RUN, "none of %zu processes may be read; they are somebody else's: run it as root", seen.unreadable);
	report_session(out, &machine, &group);
	err = rec_close(out);
	if (err)
		die(EXIT_RUN, "cannot write the report: %s", strerror(-err));
	return proc_stop ? EXIT_INTERRUPTED : seen.unreadable || seen.vanished ? EXIT_LOSSY : EXIT_OK;
}
