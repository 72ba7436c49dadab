// SPDX-License-Identifier: GPL-3.0-or-later
/* learn - the command: writes what replays of one trace have in common to a file for `vncplay play --deps`.
 *
 * learn_core.c does the learning; this file reads options and side files, and writes the result. */
#include "cli.h"
#include "vncplay/commands.h"
#include "files.h"
#include "learn_core.h"
#include "memory.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

static const char *output;

static const struct cli_opt options[] = {
	{ CLI_FILE, 'o', "output", &output, .help = "write the dependencies to this file (standard output)" },
	{ .type = CLI_END },
};

/* Whether the replay is whole, of this trace; else false with the reason in r->why. */
static bool is_complete(struct replay *r, const struct input_trace *t)
{
	size_t n = 0;
	bool same = !(r->inputs.cut && *r->inputs.status); /* that of a killed replay is cut, too, but has no status */

	for (int i = 0; i < t->n && same; i++) {
		const struct trace_event *e = &t->events[i];
		const struct sent_input *in = &r->inputs.input[n];

		if (e->kind == TRACE_SNAPSHOT || n == r->inputs.n)
			continue;
		same = in->n == (int)n && in->line == e->line && in->kind == e->kind;
		n++;
	}
	if (!same || n != r->inputs.n)
		why_say(&r->why, "its inputs differ from the trace's");
	else if (n != (size_t)trace_count_inputs(t) || strcmp(r->inputs.status, "complete") != 0)
		why_say(&r->why, "the replay did not complete");
	else
		return !r->cut;
	return false;
}

/* Counts the changes of a replay and keeps its inputs, in us since its log began. False: it is left out, which is said. */
static bool count_replay_changes(struct learner *l, const char *log, const struct input_trace *t, struct sent_inputs *inputs)
{
	struct replay r = { .file = log, .tiles.every = true };
	bool good = !replay_read(&r) && is_complete(&r, t) && !learn_count_changes(l, &r, &r.why);

	if (good) {
		*inputs = r.inputs;
		r.inputs = (struct sent_inputs){ 0 };
	} else {
		warn("%s is left out: %s", log, r.why.text);
	}
	replay_free(&r);
	return good;
}

static void write_deps_file(const struct dependencies *d, const char *trace, int runs, int steps)
{
	char path[PATH_MAX];
	FILE *out = stdout;
	int err;

	if (output && strcmp(output, "-") != 0) {
		if (snprintf(path, sizeof(path), "%s.%d", output, (int)getpid()) >= (int)sizeof(path))
			die_usage("--output %.100s...: too long a name", output);
		out = fopen(path, "we");
		if (!out)
			die(EXIT_RUN, "cannot write %s: %m", output);
	}
	err = deps_write(d, out);
	fprintf(out, "# from %d replays of %s, whose inputs act %d times\n", runs, trace, steps);
	if (!err)
		err = files_flush_stream(out);
	if (out == stdout) {
		if (err)
			die(EXIT_RUN, "cannot write: %s", strerror(-err));
		return;
	}
	if ((fclose(out) || (!err && rename(path, output))) && !err)
		err = -errno;
	if (err) {
		unlink(path);
		die(EXIT_RUN, "cannot write %s: %s", output, strerror(-err));
	}
}

static void refuse_repeats(char **names, int n)
{
	for (int i = 0; output && i < n; i++)
		if (!strcmp(output, names[i]))
			die_usage("--output %s is also an input file", output);
	for (int i = 1; i < n; i++)
		for (int k = i + 1; k < n; k++)
			if (!strcmp(names[i], names[k]))
				die_usage("%s twice: one replay is no evidence for itself", names[i]);
}

int vncplay_learn(int argc, char **argv)
{
	int first = cli_parse(argc, argv, "vncplay learn TRACE OUT.rfb... [options]",
			      "Finds out from several replays which changes of the screen come before which input.", options),
	    runs = 0;
	struct why why = { "" };
	char **names = argv + first;
	int n = argc - first, err;
	struct sent_inputs *inputs;
	struct input_trace t;
	struct learner *l;
	struct dependencies d;

	if (n < 3)
		die_usage("learn from what? TRACE and the logs of at least two replays of it");
	refuse_repeats(names, n);
	err = trace_load(names[0], &t, &why);
	if (err)
		die(EXIT_RUN, "%s: %s", names[0], *why.text ? why.text : strerror(-err));
	l = learn_begin(&t);
	inputs = memory_new((size_t)n, sizeof(*inputs));
	for (int i = 1; i < n; i++)
		runs += count_replay_changes(l, names[i], &t, &inputs[i]);
	if (runs < 2)
		die(EXIT_RUN,
		    "%d complete replay%s: nothing can be learned from fewer than two; vncplay play --repeat 5 --jitter 30 makes five",
		    runs, runs == 1 ? "" : "s");
	learn_find_parts(l);
	for (int i = 1; i < n; i++) {
		err = inputs[i].n ? learn_hash_parts(l, names[i], &inputs[i]) : 0;
		if (err)
			die(EXIT_RUN, "cannot read %s again: %s", names[i], strerror(-err));
	}
	learn_make_result(l, &d);
	write_deps_file(&d, names[0], runs, learn_count_steps(l));
	for (int i = 1; i < n; i++)
		sent_inputs_free(&inputs[i]);
	free(inputs);
	deps_free(&d);
	learn_free(l);
	trace_free(&t);
	return runs < n - 1 ? EXIT_LOSSY : EXIT_OK;
}
