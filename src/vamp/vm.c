// SPDX-License-Identifier: GPL-3.0-or-later
/* vm - on the host: favours the virtual CPUs of a QEMU that run no background tasks, by what the guest's agent says.
 *
 * QEMU's threads are found in vm_find.c, the weights are in vm_weights.c and vm_groups.c, the listening in vm_watch.c, the
 * decision in vm_state.c; this file reads options, runs it, reports (vm_report.c). */
#include "clock.h"
#include "commands.h"
#include "proc.h"
#include "vm_report.h"
#include "vm_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static const char *const ratios[] = { "L", "M", "H", NULL };

static struct {
	const char *qmp, *agent, *group, *log;
	int ratio;
	bool status, dry_run;
	int64_t time_ns, ready_fd;
} cfg = { .ratio = RATIO_M, .ready_fd = STDERR_FILENO };
static struct rec_cfg out_cfg;

static const struct cli_opt options[] = {
	{ CLI_STR, 0, "qmp", &cfg.qmp, 0, 0, "QEMU's control socket: qemu -qmp unix:SOCKET,server=on,wait=off", NULL, NULL, "SOCKET" },
	{ CLI_STR, 0, "agent", &cfg.agent, 0, 0, "host's end of the port org.thinprobe.vamp, to which the guest's agent writes", NULL,
	  NULL, "SOCKET" },
	{ CLI_WORD, 0, "ratio", &cfg.ratio, 0, 0, "slow to fast: L 1:3, M 1:9, H 1:18 (M)", ratios, NULL, NULL },
	{ CLI_STR, 0, "group", &cfg.group, 0, 0, "control group of the machine; QEMU is moved there (the one that it is in)", NULL, NULL,
	  "FOLDER" },
	{ CLI_STR, 0, "log", &cfg.log, 0, 0, "write what every vCPU got, each 100 ms, to this file", NULL, NULL, "FILE" },
	{ CLI_FLAG, 0, "status", &cfg.status, 0, 0, "report the vCPUs' threads, groups and weights now, and exit", NULL, NULL, NULL },
	{ CLI_FLAG, 0, "dry-run", &cfg.dry_run, 0, 0, "change nothing; report as if", NULL, NULL, NULL },
	{ CLI_NS, 't', "time", &cfg.time_ns, 1e6, 30.0 * (double)NS_PER_DAY, "end after this long (when QEMU or a signal ends it)", NULL,
	  NULL, NULL },
	{ CLI_INT, 0, "ready-fd", &cfg.ready_fd, 0, 1023, "write \"ready\" to this descriptor (2)", NULL, NULL, "FD" },
	REC_OPTIONS(out_cfg),
	{ .type = CLI_END },
};

static int connect_agent(const char *path)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd;

	if (strlen(path) >= sizeof(to.sun_path))
		die_usage("--agent: the path is too long for a socket");
	strcpy(to.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)))
		die(EXIT_RUN, "cannot reach the agent's port at %s: %s: QEMU needs -chardev socket,path=%s,server=on,wait=off and its port",
		    path, strerror(errno), path);
	return fd;
}

static struct rows *open_log(void)
{
	struct rows *log = cfg.log ? rows_open(cfg.log, "vamp-vm/1", vm_watch_columns) : NULL;

	if (cfg.log && !log)
		die(EXIT_RUN, "cannot write the log %s: %m", cfg.log);
	return log;
}

static void check_options(const char *operand)
{
	const struct rec_place places[] = { { "--output", out_cfg.path ? out_cfg.path : "-" }, { "--log", cfg.log } };

	if (operand)
		die_usage("vm takes no operand: %s", operand);
	if (!cfg.qmp)
		die_usage("--qmp: which QEMU?");
	if (!cfg.agent && !cfg.status)
		die_usage("--agent: where does the guest's agent report?");
	rec_check_apart(places, 2);
	proc_check_ready_fd((int)cfg.ready_fd);
}

int vamp_vm(int argc, char **argv)
{
	static struct vm vm;
	static struct vm_watch watch;
	struct undo *undo;
	struct rec *out;
	char why[512], way[512];
	size_t left;
	int err;

	err = cli_parse(argc, argv, "vamp vm --qmp SOCKET --agent SOCKET [options]",
			"Gives the virtual CPUs of a QEMU that run background tasks a smaller part of the machine's CPU share.", options);
	check_options(argv[err]);
	if (vm_find(&vm, cfg.qmp, why, sizeof(why)))
		die(EXIT_RUN, "%s", why);
	out = rec_must_open(&out_cfg, "vamp");
	if (cfg.status) {
		vm_report_status(out, &vm);
		rec_must_close(out);
		return EXIT_OK;
	}
	watch.vm = &vm;
	watch.port = connect_agent(cfg.agent);
	watch.log = open_log();
	watch.until_ns = cfg.time_ns ? clock_now() + cfg.time_ns : INT64_MAX;
	proc_catch_stop();
	err = undo_start(&undo, 3 * vm.n + 16);
	if (err)
		die(EXIT_RUN, "cannot start the watchdog that undoes the changes: %s", strerror(-err));
	if (vm_weights_open(&watch.weights, &vm, cfg.group, (enum ratio)cfg.ratio, cfg.dry_run, undo, why, sizeof(why))) {
		undo_stop(undo);
		die(EXIT_RUN, "%s", why);
	}
	vm_weights_tell(watch.weights, way, sizeof(way));
	warn("%s: %s", vm_weights_way(watch.weights), way);
	proc_say_ready((int)cfg.ready_fd);
	err = vm_watch_run(&watch);
	left = undo_stop(undo);
	vm_report(out, &watch, ratios[cfg.ratio], left);
	rec_must_close(out);
	if (watch.log && rows_close(watch.log))
		die(EXIT_RUN, "the log %s is not whole: %m", cfg.log);
	vm_weights_free(watch.weights);
	vm_watch_free(&watch);
	close(watch.port);
	if (err || left)
		return EXIT_RUN;
	return proc_stop && cfg.time_ns ? EXIT_INTERRUPTED : EXIT_OK;
}
