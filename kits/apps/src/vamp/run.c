// SPDX-License-Identifier: GPL-3.0-or-later
/* run - the daemon: samples all processes every sub-epoch, judges them at an input, throttles the background until the episode
 * ends, undoes all changes, reports.
 *
 * history.c judges processes, main_loop.c decides when; each throttle makes its changes through undo. This file reads options,
 * opens the parts, runs the loop, and reports. */
#include "clock.h"
#include "commands.h"
#include "groups.h"
#include "proc.h"
#include "rt.h"
#include "say.h"
#include "main_loop.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define UNDO_ROOM 16384

const char *const throttle_ratio_words[] = { "L", "M", "H", NULL };

static struct {
	const char *display, *evdev, *control, *audio_server, *keys, *agent, *batch, *group, *user, *except, *log;
	bool no_audio, isolate, no_interrupts, dry;
	int ratio;
	double threshold;
	int64_t before_ns, most_ns, time_ns, ready_fd;
} cfg = { .keys = "Return,KP_Enter,button",
	  .ratio = -1,
	  .threshold = 50,
	  .before_ns = 1024 * NS_PER_MS,
	  .most_ns = 5 * NS_PER_S,
	  .ready_fd = STDERR_FILENO };
static struct rec_cfg out_cfg;

static const struct cli_opt options[] = {
	{ CLI_STR, 'd', "display", &cfg.display, .help = "input of this X display ($DISPLAY, without --evdev and --control)",
	  .meta = "DISPLAY" },
	{ CLI_STR, 0, "evdev", &cfg.evdev, .help = "input of this device: /dev/input/eventN", .meta = "DEVICE" },
	{ CLI_STR, 0, "control", &cfg.control, .help = "every line through this fifo is an input", .meta = "FIFO" },
	{ CLI_STR, 0, "keys", &cfg.keys, .help = "inputs that count (Return,KP_Enter,button)", .meta = "LIST" },
	{ CLI_FLAG, 0, "no-audio", &cfg.no_audio, .help = "do not look for processes that play sound" },
	{ CLI_STR, 0, "audio-server", &cfg.audio_server, .help = "sound server to ask (the user's)", .meta = "SERVER" },
	{ CLI_WORD, 0, "ratio", &cfg.ratio,
	  .help = "CPU weight of background to other tasks: L 1:3, M 1:9, H 1:18 (M; with --agent or --batch none)",
	  .words = throttle_ratio_words },
	{ CLI_FLAG, 0, "isolate", &cfg.isolate, .help = "run background tasks on CPUs apart; interrupts go to the other CPUs" },
	{ CLI_FLAG, 0, "no-interrupts", &cfg.no_interrupts, .help = "with --isolate: leave the interrupts where they are" },
	{ CLI_STR, 0, "agent", &cfg.agent, .help = "in a guest: report to the host's vamp vm, by port or socket", .meta = "PORT" },
	{ CLI_STR, 0, "batch", &cfg.batch, .help = "in an episode, this cpu cgroup gets 1 ms a second", .meta = "FOLDER" },
	{ CLI_FLAG, 0, "dry-run", &cfg.dry, .help = "change nothing, only report" },
	{ CLI_STR, 0, "group", &cfg.group, .help = "only processes of this cgroup (all that may be changed)", .meta = "FOLDER" },
	{ CLI_STR, 0, "user", &cfg.user, .help = "only processes of this user", .meta = "NAME" },
	{ CLI_STR, 0, "except", &cfg.except, .help = "processes of these names (A,B,...) are not background", .meta = "NAMES" },
	{ CLI_PERCENT, 0, "threshold", &cfg.threshold, 1, 100, .help = "CPU load above which a process is background (50%)" },
	{ CLI_NS, 0, "before", &cfg.before_ns, 64 * NS_PER_MS, 60 * NS_PER_S,
	  .help = "measure the load over this time before an input (1024ms)" },
	{ CLI_NS, 0, "most", &cfg.most_ns, 10 * NS_PER_MS, 600 * NS_PER_S, .help = "longest episode (5s)" },
	{ CLI_FILE, 0, "log", &cfg.log, .help = "write episodes, their ends and background processes" },
	{ CLI_INT, 0, "ready-fd", &cfg.ready_fd, 0, 1023, .help = "write \"ready\" to this descriptor (2)", .meta = "FD" },
	{ CLI_NS, 't', "time", &cfg.time_ns, NS_PER_MS, 365 * NS_PER_DAY, .help = "stop after this time (default: on a signal)" },
	REC_OPTIONS(out_cfg),
	{ .type = CLI_END },
};

static struct process_scope scope;
static struct vamp_daemon run;

static enum throttle_ratio chosen_ratio(void)
{
	return cfg.ratio < 0 ? RATIO_M : (enum throttle_ratio)cfg.ratio;
}

static void die_failed_open(int err, const char *why)
{
	if (err)
		die(err == -ENOENT || err == -ENOTSUP || err == -ENOSYS ? EXIT_MISSING : EXIT_RUN, "%s",
		    *why ? why : strerror(-err));
}

/* A fifo that is made here is removed at the end, even after kill -9. */
static void open_fifo(void)
{
	struct why why = { "" };
	int err = access(cfg.control, F_OK) ? undoable_make(run.undo, UNDO_MKFIFO, cfg.control) : 0;

	if (err)
		die(EXIT_RUN, "cannot make the fifo %s: %s", cfg.control, strerror(-err));
	die_failed_open(input_open_fifo(&run.source[run.sources++], cfg.control, &why), why.text);
}

/* Opens what tells of the user's input: a display, devices (evdev), a fifo. Dies where one cannot be opened. */
static void open_user_input(void)
{
	struct trigger_keys keys;
	struct why why = { "" };

	if (input_parse_keys(cfg.keys, &keys, &why))
		die_usage("%s", why.text);
	if (!cfg.display && !cfg.evdev && !cfg.control && !(cfg.display = getenv("DISPLAY")))
		die_usage("no source of input: give --display, --evdev or --control, or set DISPLAY");
	if (cfg.display)
		die_failed_open(input_open_x11(&run.source[run.sources++], cfg.display, &keys, &why), why.text);
	if (cfg.evdev)
		die_failed_open(input_open_evdev(&run.source[run.sources++], cfg.evdev, &keys, &why), why.text);
	if (cfg.control)
		open_fifo();
}

/* A missing sound server is an error only if --audio-server was given. */
static void open_audio(void)
{
	struct why why = { "" };
	int err = cfg.no_audio ? -ENOENT : audio_open(&run.audio, cfg.audio_server, &why);

	if (err && cfg.audio_server)
		die_failed_open(err, why.text);
	if (run.audio) /* even without a server, since one may start later */
		run.source[run.sources++] = audio_source(run.audio);
	if (err)
		snprintf(run.record.sound, sizeof(run.record.sound), "%.250s", cfg.no_audio ? "not looked for" : why.text);
}

/* Opens the throttles; none in a dry run. */
static void open_throttles(void)
{
	struct why why = { "" };

	if (cfg.batch)
		die_failed_open(batch_open(&run.way[run.ways++], cfg.batch, run.undo, &why), why.text);
	if (cfg.ratio >= 0 || (!cfg.agent && !cfg.batch)) {
		int err = shares_open(&run.way[run.ways], cfg.group, chosen_ratio(), run.undo, &why);

		if (err && cfg.isolate && cfg.ratio < 0) /* isolation needs no privileges: go on without shares */
			warn("CPU weights are not changed: %s", why.text);
		else
			die_failed_open(err, why.text);
		run.ways += !err;
	}
	if (cfg.isolate)
		die_failed_open(isolate_open(&run.way[run.ways++], &scope, run.audio, !cfg.no_interrupts, run.undo, &why),
				why.text);
	if (cfg.agent)
		die_failed_open(agent_open(&run.way[run.ways++], cfg.agent, &why), why.text);
}

static void require_group_folder(const char *option, const char *folder)
{
	if (folder && access(groups_path(folder, "cgroup.procs").text, R_OK))
		die(EXIT_RUN, "%s %s: %m; name the folder of a control group, such as one below /sys/fs/cgroup", option, folder);
}

static void set_scope(void)
{
	struct passwd *user = cfg.user ? getpwnam(cfg.user) : NULL;
	static char real[PATH_MAX]; /* the path as the kernel reports it: no symbolic link, no "//" */

	if (cfg.user && !user)
		die_usage("there is no user %s", cfg.user);
	if (user && geteuid() && user->pw_uid != geteuid())
		die_usage("--user %s: only root may change the processes of others", cfg.user);
	require_group_folder("--group", cfg.group);
	require_group_folder("--batch", cfg.batch);
	if (cfg.group && !realpath(cfg.group, real))
		die(EXIT_RUN, "--group %s: %m", cfg.group);
	cfg.group = cfg.group ? real : NULL;
	scope = (struct process_scope){ .group = cfg.group, .by_user = user || geteuid(), .uid = user ? user->pw_uid : geteuid() };
}

static void open_parts(void)
{
	int err;

	set_scope();
	run.judge = (struct judge_cfg){ cfg.threshold / 100, cfg.before_ns / HISTORY_SUBS, cfg.except };
	run.most_ns = cfg.most_ns;
	run.log = record_open_run_log(cfg.log);
	err = cfg.dry && !cfg.control ? 0 : undo_open(&run.undo, UNDO_ROOM);
	if (err)
		die(EXIT_RUN, "cannot start the watchdog: %s", strerror(-err));
	open_audio();
	if (!cfg.dry)
		open_throttles();
	err = tasks_open(&run.tasks, &scope, run.judge.sub_ns);
	if (err)
		die(EXIT_MISSING,
		    "the kernel does not report how long tasks wait (/proc/PID/schedstat): it needs CONFIG_SCHED_INFO");
	run.answers = status_listen();
	if (run.answers < 0)
		die(EXIT_RUN, "cannot listen for vamp status: %s", strerror(-run.answers));
	open_user_input();
}

static void close_parts(void)
{
	loop_update_record(&run);
	for (int i = 0; i < run.ways; i++)
		run.way[i]->ops->close(run.way[i]);
	run.record.not_undone = run.undo ? undo_close(run.undo) : 0;
	for (int i = 0; i < run.sources; i++)
		if (!run.audio || run.source[i] != audio_source(run.audio))
			run.source[i]->ops->close(run.source[i]);
	if (run.audio)
		audio_close(run.audio);
	tasks_close(run.tasks);
	close(run.answers);
}

static void report_tags(struct rec_report *r, const char *key, const struct background_tag *tag, size_t n)
{
	rec_begin_array(r, key);
	for (; n--; tag++)
		record_report_tag(r, tag, exemption_words[tag->why]);
	rec_end(r);
}

static void report_episode(struct rec_report *r, const struct episode_record *e)
{
	const struct judged_list *j = &e->judged;

	rec_begin_object(r, NULL);
	rec_add_ints(r, { "started_ns", e->started_ns }, { "ended_ns", e->ended_ns });
	rec_add_strs(r, { "trigger", e->trigger }, { "ended_by", episode_end_words[e->ended] });
	rec_add_count(r, "decided_us", e->decided_ns ? (e->decided_ns - e->started_ns) / NS_PER_US : -1);
	rec_add_bool(r, "applied", !e->err);
	report_tags(r, "background", j->tag, j->background);
	report_tags(r, "excluded", j->tag + j->background, j->n - j->background);
	rec_end(r);
}

static void report_episodes(struct rec_report *r, struct run_record *t)
{
	int64_t tagged = 0;

	rec_begin_object(r, "result");
	rec_begin_array(r, "episodes");
	for (size_t i = 0; i < t->n; i++) {
		tagged += (int64_t)t->episode[i].judged.background;
		report_episode(r, &t->episode[i]);
	}
	rec_end(r);
	rec_add_ints(r, { "episodes_left_out", t->left_out }, { "tagged_processes", tagged });
	rec_add_sample(r, "input_to_decision_us", &t->decision_ns, (double)NS_PER_US);
	rec_add_ints(r, { "sub_epochs", t->samples }, { "missed_sub_epochs", t->missed });
	rec_add_real(r, "daemon_cpu_percent", record_cpu_percent(t), 3);
	rec_add_ints(r, { "sampled_tasks", (int64_t)t->most_processes }, { "not_undone", (int64_t)t->not_undone });
	rec_add_strs(r, { "way", t->way }, { "sound", *t->sound ? t->sound : NULL });
	rec_end(r);
}

static void say_episodes(struct rec_report *r, struct run_record *t)
{
	int64_t tagged = 0, failed = 0;
	int err = 0;
	double seconds = (double)(t->now_ns - t->began_ns);

	for (size_t i = 0; i < t->n; i++) {
		tagged += t->episode[i].err ? 0 : (int64_t)t->episode[i].judged.background;
		failed += t->episode[i].err != 0;
		err = t->episode[i].err ? t->episode[i].err : err;
	}
	if (failed)
		rec_warn(r, "in %s nothing, or not all, could be throttled: %s", counted_text(failed, "episode"), strerror(-err));
	rec_say(r, "%s in %s: background processes %s %s", counted_text((int64_t)t->n + t->left_out, "episode"), ns_text(seconds),
		cfg.dry ? "would have been throttled" : "throttled", counted_text(tagged, "time"));
	if (t->decision_ns.n)
		rec_say(r, "  input to decision %s ms (p50), %s ms at worst", stat_text(&t->decision_ns, 0.5, NS_PER_MS),
			stat_text(&t->decision_ns, 1, NS_PER_MS));
	rec_say(r, "  costs %s %% of a CPU for %s; %s of %s missed", number_text(record_cpu_percent(t)),
		counted_text((int64_t)t->most_processes, "task"), count_text(t->missed),
		counted_text(t->samples + t->missed, "sample"));
	rec_set_table(r, "episodes");
}

static void report_settings(struct rec_report *r, const struct rt_granted *priority)
{
	char text[128];

	rt_describe(priority, text, sizeof(text));
	rec_begin_object(r, "settings");
	rec_add_strs(
		r, { "display", cfg.display }, { "evdev", cfg.evdev }, { "control", cfg.control }, { "keys", cfg.keys },
		{ "ratio", cfg.dry || ((cfg.agent || cfg.batch) && cfg.ratio < 0) ? NULL : throttle_ratio_words[chosen_ratio()] });
	rec_add_bool(r, "isolate", cfg.isolate);
	rec_add_bool(r, "interrupts", cfg.isolate && !cfg.no_interrupts);
	rec_add_strs(r, { "agent", cfg.agent }, { "batch", cfg.batch });
	rec_add_bool(r, "dry_run", cfg.dry);
	rec_add_strs(r, { "group", cfg.group }, { "user", cfg.user }, { "except", cfg.except });
	rec_add_real(r, "threshold_percent", cfg.threshold, 1);
	rec_add_ints(r, { "before_ms", cfg.before_ns / NS_PER_MS }, { "most_ms", cfg.most_ns / NS_PER_MS });
	rec_add_str(r, "probe", text);
	rec_end(r);
}

int run_command(int argc, char **argv)
{
	struct rt_granted priority;
	struct rec_report *out;
	int err, first = cli_parse(argc, argv, "vamp run [options]",
				   "Throttles background tasks from an input until the next, or for --most (an episode).", options);

	cli_refuse_operands(argc, argv, first);
	if (cfg.no_interrupts && !cfg.isolate)
		die_usage("--no-interrupts goes with --isolate");
	proc_require_ready_fd((int)cfg.ready_fd);
	rec_refuse_same_outputs((struct rec_output_path[]){ { "output", out_cfg.path ? out_cfg.path : "-" },
							    { "log", cfg.log },
							    { "control", cfg.control } },
				3);
	proc_catch_stop();
	out = rec_must_open(&out_cfg, "vamp");
	open_parts();
	rt_setup(1, &priority); /* after all forks; the daemon must not wait for the tasks that it throttles */
	loop_take_first_sample(&run);
	proc_tell_ready((int)cfg.ready_fd);
	loop_run(&run, cfg.time_ns ? run.record.began_ns + cfg.time_ns : INT64_MAX);
	close_parts();
	err = rows_close(run.log);
	report_settings(out, &priority);
	report_episodes(out, &run.record);
	say_episodes(out, &run.record);
	rec_must_close(out);
	record_free(&run.record);
	if (err)
		die(EXIT_RUN, "cannot write %s: %s", cfg.log, strerror(-err));
	if (run.err)
		die(EXIT_RUN, "ended early: %s", loop_error_text(run.err));
	if (run.record.not_undone)
		die(EXIT_RUN, "%zu changes could not be undone; they are listed above", run.record.not_undone);
	return proc_stop && cfg.time_ns ? EXIT_INTERRUPTED : EXIT_OK;
}
