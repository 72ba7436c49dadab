// SPDX-License-Identifier: GPL-3.0-or-later
/* vm - on the host: favours the virtual CPUs of a QEMU that run no background tasks, by reports of the guest's agent.
 *
 * vm_find.c finds QEMU's threads, vm_watch.c reads the agent's lines and decides, vm_registers.c decides without them which vCPUs
 * run background, vm_weights.c sets the weights; this file reads options, runs vm_watch.c, reports. */
#include "account.h"
#include "clock.h"
#include "commands.h"
#include "groups.h"
#include "dial.h"
#include "record.h"
#include "proc.h"
#include "say.h"
#include "vm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static struct {
	const char *qmp, *agent, *group, *log;
	int ratio;
	bool registers, status, dry_run;
	int64_t time_ns, ready_fd;
} cfg = { .ratio = RATIO_M, .ready_fd = STDERR_FILENO };
static struct rec_cfg out_cfg;

static const struct cli_opt options[] = {
	{ CLI_STR, 0, "qmp", &cfg.qmp, .help = "QEMU's control socket: qemu -qmp unix:SOCKET,server=on,wait=off",
	  .meta = "SOCKET" },
	{ CLI_STR, 0, "agent", &cfg.agent, .help = "host's end of the port org.thinprobe.vamp, to which the guest's vamp writes",
	  .meta = "SOCKET" },
	{ CLI_FLAG, 0, "registers", &cfg.registers,
	  .help = "find background tasks by page-table registers; the agent only marks episodes" },
	{ CLI_WORD, 0, "ratio", &cfg.ratio, .help = "CPU weight of slow to other virtual CPUs: L 1:3, M 1:9, H 1:18 (M)",
	  .words = throttle_ratio_words },
	{ CLI_STR, 0, "group", &cfg.group, .help = "move QEMU into this cgroup (stays in its own)", .meta = "FOLDER" },
	{ CLI_FILE, 0, "log", &cfg.log, .help = "write the CPU time of each virtual CPU, every 100 ms" },
	{ CLI_FLAG, 0, "status", &cfg.status, .help = "report threads, groups and weights of the virtual CPUs, and exit" },
	{ CLI_FLAG, 0, "dry-run", &cfg.dry_run, .help = "change nothing, only report" },
	{ CLI_NS, 't', "time", &cfg.time_ns, 1e6, 30 * NS_PER_DAY,
	  .help = "stop after this time (default: on a signal, or with QEMU)" },
	{ CLI_INT, 0, "ready-fd", &cfg.ready_fd, 0, 1023, .help = "write \"ready\" to this descriptor (2)", .meta = "FD" },
	REC_OPTIONS(out_cfg),
	{ .type = CLI_END },
};

static void check_options(const char *operand)
{
	const struct rec_output_path places[] = { { "--output", out_cfg.path ? out_cfg.path : "-" }, { "--log", cfg.log } };

	if (operand)
		die_usage("unexpected word %s", operand);
	if (!cfg.qmp)
		die_usage("--qmp is missing: name QEMU's control socket (qemu -qmp unix:SOCKET,server=on,wait=off)");
	if (!cfg.agent && !cfg.status)
		die_usage("--agent is missing: name the host's end of the port org.thinprobe.vamp");
	rec_refuse_same_outputs(places, 2);
	proc_require_ready_fd((int)cfg.ready_fd);
}

static void report_times(struct rec_report *out, int index, const struct vcpu_times *s)
{
	rec_begin_object(out, NULL);
	rec_add_int(out, "index", index);
	rec_add_reals(out, { "slow_s", (double)s->slow_ns / 1e9, 3 }, { "run_s", (double)s->run_ns / 1e9, 3 },
		      { "wait_s", (double)s->wait_ns / 1e9, 3 });
	rec_end(out);
}

static void say_run(struct rec_report *r, const struct guest_watch *w, size_t left)
{
	int64_t slow_ns = 0;
	double wall_ns = (double)(w->ended_ns - w->started_ns);

	for (size_t i = 0; i < w->vm->n; i++)
		slow_ns += w->all[i].slow_ns;
	rec_say(r, "%s in %s: %s held back for %s in all", counted_text(w->state.episodes, "episode"), ns_text(wall_ns),
		counted_text((int64_t)w->vm->n, "vCPU"), ns_text((double)slow_ns));
	rec_say(r, "  costs %s %% of a CPU", number_text((double)w->cpu_ns * 100 / wall_ns));
	if (w->state.lost || w->state.refused)
		rec_warn(r, "%s lines of the agent were lost, %s not understood.", count_text(w->state.lost),
			 count_text(w->state.refused));
	if (w->failures || left)
		rec_warn(r, "%s weights could not be set, %zu changes not undone.", count_text(w->failures), left);
	rec_set_table(r, "episodes");
}

/* `left`: number of changes that could not be undone. */
static void report_run(struct rec_report *out, const struct guest_watch *w, size_t left)
{
	double wall_ns = (double)(w->ended_ns - w->started_ns);
	char tell[512];

	weights_describe(w->weights, tell, sizeof(tell));
	rec_begin_object(out, "settings");
	rec_add_str(out, "ratio", throttle_ratio_words[cfg.ratio]);
	rec_add_bool(out, "registers", cfg.registers);
	rec_add_int(out, "slow_weight", weights_get_scaled(w->weights, true));
	rec_add_strs(out, { "way", weights_method_name(w->weights) }, { "changes", tell });
	rec_add_int(out, "pid", w->vm->pid);
	rec_end(out);
	rec_begin_object(out, "result");
	rec_add_reals(out, { "watched_s", wall_ns / 1e9, 3 }, { "daemon_cpu_percent", (double)w->cpu_ns * 100 / wall_ns, 3 });
	rec_add_ints(out, { "lines", w->state.lines }, { "lines_lost", w->state.lost }, { "lines_refused", w->state.refused });
	rec_add_bool(out, "other_version", w->state.foreign);
	rec_add_ints(out, { "silences", w->silences }, { "weights_failed", w->failures }, { "not_undone", (int64_t)left },
		     { "register_samples", w->samples }, { "episodes_begun", w->state.episodes });
	rec_begin_array(out, "vcpus");
	for (size_t i = 0; i < w->vm->n; i++)
		report_times(out, w->vm->vcpu[i].index, &w->all[i]);
	rec_end(out);
	rec_begin_array(out, "episodes");
	for (const struct guest_episode *e = w->episode; e < w->episode + w->episodes; e++) {
		rec_begin_object(out, NULL);
		rec_add_ints(out, { "started_ns", e->started_ns }, { "ended_ns", e->ended_ns });
		rec_add_str(out, "ended_by", e->ended_by);
		rec_add_count(out, "background_tasks", e->background);
		rec_begin_array(out, "vcpus");
		for (size_t i = 0; i < w->vm->n; i++)
			report_times(out, w->vm->vcpu[i].index, &e->vcpu[i]);
		rec_end(out);
		rec_end(out);
	}
	rec_end(out);
	rec_end(out);
}

/* Reports threads, groups and weights as they are now (--status). */
static void report_status(struct rec_report *out, const struct guest_machine *vm)
{
	char group[UNDO_PATH];
	struct cpu_groups groups;
	const char *weight = groups_version[groups_find_mount(&groups, "")].weight;

	rec_begin_object(out, "result");
	rec_add_int(out, "pid", vm->pid);
	rec_add_str(out, "group", groups_find_folder(&groups, vm->pid, group, sizeof(group)) ? group : NULL);
	rec_begin_array(out, "vcpus");
	for (size_t i = 0; i < vm->n; i++) {
		pid_t tid = vm->vcpu[i].tid;
		bool grouped = groups_find_folder(&groups, tid, group, sizeof(group));
		struct proc_schedstat spent;

		rec_begin_object(out, NULL);
		rec_add_ints(out, { "index", vm->vcpu[i].index }, { "thread", tid });
		rec_add_str(out, "group", grouped ? group : NULL);
		rec_add_count(out, "weight", grouped ? account_read_number(group, weight, NULL) : -1);
		rec_add_int(out, "nice", getpriority(PRIO_PROCESS, (id_t)tid));
		rec_add_real(out, "run_s", proc_read_schedstat(tid, &spent) ? (double)NAN : (double)spent.run_ns / 1e9, 3);
		rec_end(out);
	}
	rec_end(out);
	rec_end(out);
}

static void open_inputs(struct guest_watch *watch)
{
	struct why why;
	uid_t owner;

	watch->port = dial_unix(cfg.agent, 0, NULL);
	if (watch->port < 0)
		die(EXIT_RUN,
		    "cannot reach the agent's port at %s: %s: QEMU needs -chardev socket,path=%s,server=on,wait=off and its port",
		    cfg.agent, strerror(-watch->port), cfg.agent);
	if (cfg.registers && qmp_open(&watch->qmp, cfg.qmp, &owner, &why))
		die(EXIT_RUN, "%s", why.text);
}

int vm_command(int argc, char **argv)
{
	static struct guest_machine vm;
	static struct guest_watch watch;
	struct undo_recorder *undo;
	struct rec_report *out;
	struct why why;
	char way[512];
	size_t left;
	int err, lost;

	err = cli_parse(argc, argv, "vamp vm --qmp SOCKET --agent SOCKET [options]",
			"Slows the virtual CPUs of a QEMU while they run background tasks, in favour of its other ones.", options);
	check_options(argv[err]);
	if (guest_find(&vm, cfg.qmp, &why))
		die(EXIT_RUN, "%s", why.text);
	out = rec_must_open(&out_cfg, "vamp");
	if (cfg.status) {
		report_status(out, &vm);
		rec_must_close(out);
		return EXIT_OK;
	}
	watch.vm = &vm;
	open_inputs(&watch);
	watch.log = record_open_log(cfg.log, "vamp-vm/1", vm_watch_columns);
	watch.until_ns = cfg.time_ns ? clock_now() + cfg.time_ns : INT64_MAX;
	proc_catch_stop();
	err = undo_open(&undo, 3 * vm.n + 16);
	if (err)
		die(EXIT_RUN, "cannot start the watchdog that undoes the changes: %s", strerror(-err));
	if (weights_open(&watch.weights, &vm, cfg.group, (enum throttle_ratio)cfg.ratio, cfg.dry_run, undo, &why)) {
		undo_close(undo);
		die(EXIT_RUN, "%s", why.text);
	}
	weights_describe(watch.weights, way, sizeof(way));
	warn("%s: %s", weights_method_name(watch.weights), way);
	proc_tell_ready((int)cfg.ready_fd);
	err = guest_watch_run(&watch);
	if (err == -EPROTO)
		warn("QEMU does not report the page-table registers of its vCPUs: it must emulate a PC");
	left = undo_close(undo);
	report_run(out, &watch, left);
	say_run(out, &watch, left);
	rec_must_close(out);
	lost = rows_close(watch.log);
	if (lost)
		die(EXIT_RUN, "cannot write %s completely: %s", cfg.log, strerror(-lost));
	free(watch.weights);
	guest_watch_free(&watch);
	if (watch.qmp)
		fclose(watch.qmp);
	close(watch.port);
	if (err || left)
		return EXIT_RUN;
	return proc_stop && cfg.time_ns ? EXIT_INTERRUPTED : EXIT_OK;
}
