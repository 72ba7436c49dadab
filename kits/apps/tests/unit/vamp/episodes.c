// SPDX-License-Identifier: GPL-3.0-or-later
/* episodes - episodes without a cause, for tests: favours all but the given processes, again and again, until it is ended.
 *
 * usage: episodes shares|isolate|both GROUP L|M|H HOLD-MS PAUSE-MS PID...
 * GROUP: a cgroup's folder; "none": not one (so it is nice values). PIDs are in scope; those with a "+" before are background.
 * Says what it does on standard output, one line an episode. */
#include "clock.h"
#include "proc.h"
#include "vamp/throttle.h"
#include "vamp/scope.h"
#include "vamp/undo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct scope_process known[64];
static size_t knowns;

int __wrap_scope_list(const struct process_scope *s, struct scope_process **out, size_t *n);
int __wrap_scope_list(const struct process_scope *s, struct scope_process **out, size_t *n)
{
	(void)s;
	*out = malloc(sizeof(known));
	if (!*out)
		return -ENOMEM;
	memcpy(*out, known, sizeof(known));
	*n = knowns;
	return 0;
}

/* For so long, with a look at the CPUs ten times a second. */
static void hold(struct throttle **way, size_t ways, int64_t ns)
{
	for (int64_t end = clock_now() + ns; !proc_stop && clock_now() < end;) {
		int64_t next = clock_now() + 100 * NS_PER_MS;

		clock_sleep(next < end ? next : end);
		for (size_t i = 0; i < ways; i++)
			if (way[i]->ops->do_periodic_work)
				way[i]->ops->do_periodic_work(way[i], clock_now());
	}
}

int main(int argc, char **argv)
{
	struct background_tag tag[64] = { { 0 } };
	struct throttle *way[2];
	struct undo_recorder *undo;
	size_t tags = 0, ways = 0;
	struct process_scope scope = { 0 };
	struct why why = { "" };
	char text[1024];
	int err = 0;

	if (argc < 7 || argc > 6 + 64)
		return EXIT_USAGE;
	for (char **pid = argv + 6; *pid; pid++) {
		struct proc_stat task;

		known[knowns].pid = (pid_t)strtol(*pid, NULL, 10);
		if (proc_read_stat(known[knowns].pid, &task))
			return EXIT_USAGE;
		known[knowns].start = task.start;
		if (**pid == '+') {
			tag[tags].pid = known[knowns].pid;
			tag[tags++].start = task.start;
		}
		knowns++;
	}
	proc_catch_stop();
	err = undo_open(&undo, 1000);
	if (!err && strcmp(argv[1], "isolate")) {
		const char *group = strcmp(argv[2], "none") ? argv[2] : "/none";

		err = shares_open(&way[ways], group, *argv[3] == 'L' ? RATIO_L : *argv[3] == 'M' ? RATIO_M : RATIO_H, undo, &why);
		ways += !err;
	}
	if (!err && strcmp(argv[1], "shares")) {
		err = isolate_open(&way[ways], &scope, NULL, true, undo, &why);
		ways += !err;
	}
	if (err) {
		puts(why.text);
		return EXIT_RUN;
	}
	while (!proc_stop) {
		for (size_t i = 0; i < ways && !err; i++) {
			err = way[i]->ops->begin(way[i], tag, tags);
			way[i]->ops->describe(way[i], text, sizeof(text));
			puts(text);
		}
		fflush(stdout);
		hold(way, ways, strtol(argv[4], NULL, 10) * NS_PER_MS);
		for (size_t i = ways; i-- && !err;)
			err = way[i]->ops->end(way[i]);
		if (err) {
			printf("%s\n", strerror(-err));
			break;
		}
		hold(NULL, 0, strtol(argv[5], NULL, 10) * NS_PER_MS);
	}
	for (size_t i = ways; i--;)
		way[i]->ops->close(way[i]);
	return undo_close(undo) || err ? EXIT_RUN : EXIT_OK;
}
