// SPDX-License-Identifier: GPL-3.0-or-later
/* learn - the command: writes what replays of one trace have in common to a file for `vncplay play --deps`.
 *
 * learn_core.c does the learning; this file reads options and side files, and writes the result. */
#include "cli.h"
#include "vncplay/commands.h"
#include "learn_core.h"
#include "vncplay/common/side_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *output;

static const struct cli_opt options[] = {
	{ CLI_FILE, 'o', "output", &output, .help = "write the dependencies to this file (standard output)" },
	{ .type = CLI_END },
};

/* When each input was sent, us since the log began; owned by the caller. NULL with the reason in `why`: the replay is left out. */
static int64_t *read_input_times(const char *log, const struct input_trace *t, int inputs, struct why *why)
{
	int64_t *sent = calloc((size_t)inputs + 1, sizeof(*sent));
	char path[PATH_MAX];
	struct sent_inputs s;
	bool same = true;
	size_t n = 0;
	FILE *in;
	int err;

	if (!sent)
		die(EXIT_RUN, "no memory");
	snprintf(path, sizeof(path), "%s.aux", log);
	in = fopen(path, "re");
	err = in ? sent_inputs_read(in, &s) : -errno;
	if (in)
		fclose(in);
	if (err) {
		why_say(why, "%.200s: %s", path, err == -EPROTO ? "no line of a side file in it" : strerror(-err));
		free(sent);
		return NULL;
	}
	for (int i = 0; i < t->n && n < s.n && same; i++) {
		const struct trace_event *e = &t->events[i];

		if (e->kind == TRACE_SNAPSHOT)
			continue;
		same = s.input[n].n == (int)n && s.input[n].line == e->line && s.input[n].kind == e->kind;
		sent[n] = s.input[n].at_us;
		n++;
	}
	/* (times that go back; the side file of a killed replay is cut, too, but has no status) */
	same = same && n == s.n && !(s.cut && *s.status);
	if (!same || n != (size_t)inputs || strcmp(s.status, "complete") != 0) {
		why_say(why, same ? "the replay did not complete" : "its inputs differ from the trace's");
		free(sent);
		sent = NULL;
	}
	sent_inputs_free(&s);
	return sent;
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
	errno = 0;
	if (!err && (fflush(out) || ferror(out)))
		err = errno ? -errno : -EIO;
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
	int64_t **sent;
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
	sent = calloc((size_t)n, sizeof(*sent));
	if (!l || !sent)
		die(EXIT_RUN, "no memory");
	for (int i = 1; i < n; i++) {
		sent[i] = read_input_times(names[i], &t, trace_count_inputs(&t), &why);
		if (!sent[i]) {
			warn("%s is left out: %s", names[i], why.text);
			continue;
		}
		runs++;
		err = learn_read_log(l, names[i], sent[i], false, &why);
		if (err)
			die(EXIT_RUN, "%s: %s; leave it out", names[i],
			    err == -EPROTO   ? why.text
			    : err == -ERANGE ? "its screen has another size"
					     : strerror(-err));
	}
	if (runs < 2)
		die(EXIT_RUN,
		    "%d complete replay%s: nothing can be learned from fewer than two; vncplay play --repeat 5 --jitter 30 makes five",
		    runs, runs == 1 ? "" : "s");
	err = learn_find_parts(l);
	for (int i = 1; !err && i < n; i++)
		if (sent[i])
			err = learn_read_log(l, names[i], sent[i], true, &why);
	if (!err)
		err = learn_make_result(l, &d);
	if (err)
		die(EXIT_RUN, "cannot learn: %s", err == -EPROTO ? why.text : strerror(-err));
	write_deps_file(&d, names[0], runs, learn_count_steps(l));
	for (int i = 1; i < n; i++)
		free(sent[i]);
	free(sent);
	deps_free(&d);
	learn_free(l);
	trace_free(&t);
	return runs < n - 1 ? EXIT_LOSSY : EXIT_OK;
}
