// SPDX-License-Identifier: GPL-3.0-or-later
/* status - asks every vamp that runs here who is throttled now, and why. */
#include "answer.h"
#include "cli.h"
#include "clock.h"
#include "commands.h"
#include "rec.h"

#include <pwd.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

static struct rec_cfg out_cfg;

static const struct cli_opt options[] = {
	REC_OPTIONS(out_cfg),
	{ .type = CLI_END },
};

enum { CELLS = 6, PATIENCE_S = 5 };
struct line {
	char *cell[CELLS];	/* "" where there are fewer */
};
struct daemon {
	int pid;
	char user[32];
	char *text;
	struct line *line;
	size_t n;
};

/* Only of who runs as the name says: anybody may take any name. The answer has PATIENCE_S, whole. */
static char *ask(const char *name, uid_t uid)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	struct timeval patience = { .tv_sec = PATIENCE_S };
	int64_t until_ns = clock_now() + PATIENCE_S * NS_PER_S;
	struct ucred peer = { 0 };
	socklen_t peer_size = sizeof(peer);
	size_t length = strlen(name), n = 0, room = 1 << 20;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char *text = malloc(room);
	ssize_t got = 0;

	if (fd < 0 || !text || length >= sizeof(to.sun_path))
		die(EXIT_RUN, "cannot ask %s: %m", name);
	memcpy(to.sun_path + 1, name, length);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (connect(fd, (struct sockaddr *)&to, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length)))
		got = -1;	/* it has ended meanwhile */
	else if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &peer_size) || peer.uid != uid)
		got = -1;
	while (got >= 0 && n + 1 < room && clock_now() < until_ns && (got = read(fd, text + n, room - n - 1)) > 0)
		n += (size_t)got;
	close(fd);
	text[n] = '\0';
	for (size_t i = 0; i < n; i++)
		if ((text[i] & 0xe0) == 0 && text[i] != '\n' && text[i] != '\t')
			text[i] = '?';
	if (n)
		return text;
	free(text);
	return NULL;
}

static void split(struct daemon *d)
{
	char *rest = d->text, *text;

	while ((text = strsep(&rest, "\n")) && *text) {
		d->line = reallocarray(d->line, d->n + 1, sizeof(*d->line));
		if (!d->line)
			die(EXIT_RUN, "out of memory");
		for (int i = 0; i < CELLS; i++) {
			char *cell = strsep(&text, "\t");

			d->line[d->n].cell[i] = cell ? cell : "";
		}
		d->n++;
	}
}

static const struct line *line_of(const struct daemon *d, const char *key)
{
	static const struct line none = { { "", "", "", "", "", "" } };

	for (size_t i = 0; i < d->n; i++)
		if (!strcmp(d->line[i].cell[0], key))
			return &d->line[i];
	return &none;
}

/* Every socket of the name that the kernel lists, in the order of /proc/net/unix. */
static size_t find(struct daemon **out)
{
	FILE *in = fopen("/proc/net/unix", "re");
	struct daemon *d = NULL;
	char line[256];
	size_t n = 0;

	while (in && fgets(line, sizeof(line), in)) {
		char *name = strstr(line, "@" ANSWER_NAME), *text;
		struct passwd *user;
		unsigned uid;
		int pid;

		if (!name || sscanf(name, "@" ANSWER_NAME "%u-%d", &uid, &pid) != 2)
			continue;
		name[strcspn(name, "\n")] = '\0';
		text = ask(name + 1, uid);
		if (!text)
			continue;
		d = reallocarray(d, n + 1, sizeof(*d));
		if (!d)
			die(EXIT_RUN, "out of memory");
		d[n] = (struct daemon){ .pid = pid, .text = text };
		user = getpwuid(uid);
		if (user)
			snprintf(d[n].user, sizeof(d[n].user), "%s", user->pw_name);
		else
			snprintf(d[n].user, sizeof(d[n].user), "%u", uid);
		split(&d[n++]);
	}
	if (in)
		fclose(in);
	*out = d;
	return n;
}

static void say(FILE *out, const struct daemon *d)
{
	const struct line *episode = line_of(d, "episode"), *cost = line_of(d, "cost");

	fprintf(out, "vamp %d of %s: ", d->pid, d->user);
	if (*episode->cell[0])
		fprintf(out, "episode for %s s, by %s", episode->cell[1], episode->cell[2]);
	else
		fputs("no episode", out);
	fprintf(out, "; %s so far; costs %s %% of a CPU for %s processes\n", cost->cell[3], cost->cell[1], cost->cell[2]);
	for (size_t i = 0; i < d->n; i++) {
		char *const *cell = d->line[i].cell;

		if (!strcmp(cell[0], "background"))
			fprintf(out, "  throttled: %s (%s), load %s %% of a CPU, ran %s %%\n", cell[2], cell[1], cell[3], cell[4]);
		else if (!strcmp(cell[0], "excluded"))
			fprintf(out, "  not throttled: %s (%s), load %s %%: %s\n", cell[2], cell[1], cell[3], cell[5]);
		else if (!strcmp(cell[0], "way") || !strcmp(cell[0], "sound"))
			fprintf(out, "  %s: %s\n", cell[0], cell[1]);
	}
}

static void rec_processes(struct rec *r, const struct daemon *d, const char *key)
{
	rec_array(r, key);
	for (size_t i = 0; i < d->n; i++) {
		char *const *cell = d->line[i].cell;

		if (strcmp(cell[0], key))
			continue;
		rec_object(r, NULL);
		rec_int(r, "pid", strtol(cell[1], NULL, 10));
		rec_str(r, "comm", cell[2]);
		rec_real(r, "cpu_percent", strtod(cell[3], NULL), 1);
		rec_real(r, "run_percent", strtod(cell[4], NULL), 1);
		if (*cell[5])
			rec_str(r, "why", cell[5]);
		rec_end(r);
	}
	rec_end(r);
}

static void report(struct rec *r, const struct daemon *d, size_t n)
{
	rec_object(r, "result");
	rec_array(r, "daemons");
	for (; n--; d++) {
		const struct line *episode = line_of(d, "episode"), *cost = line_of(d, "cost");
		bool lasts = *episode->cell[0];

		rec_object(r, NULL);
		rec_int(r, "pid", d->pid);
		rec_str(r, "user", d->user);
		rec_bool(r, "episode", lasts);
		rec_real(r, "since_s", lasts ? strtod(episode->cell[1], NULL) : 0.0 / 0.0, 3);
		rec_str(r, "trigger", lasts ? episode->cell[2] : NULL);
		rec_int(r, "episodes", strtol(cost->cell[3], NULL, 10));
		rec_real(r, "daemon_cpu_percent", strtod(cost->cell[1], NULL), 3);
		rec_int(r, "sampled_tasks", strtol(cost->cell[2], NULL, 10));
		rec_str(r, "way", line_of(d, "way")->cell[1]);
		rec_str(r, "sound", line_of(d, "sound")->cell[1]);
		rec_processes(r, d, "background");
		rec_processes(r, d, "excluded");
		rec_end(r);
	}
	rec_end(r);
	rec_end(r);
}

int vamp_status(int argc, char **argv)
{
	struct daemon *d;
	size_t n;
	int first = cli_parse(argc, argv, "vamp status [options]", "Says who is throttled now, by which vamp, and why.", options);

	if (first < argc)
		die_usage("unexpected word %s", argv[first]);
	n = find(&d);
	if (!n)
		die(EXIT_RUN, "no vamp runs here; start one with vamp run");
	if (out_cfg.format == REC_TEXT) {
		FILE *out = out_cfg.path && strcmp(out_cfg.path, "-") ? fopen(out_cfg.path, "we") : stdout;

		if (!out)
			die(EXIT_RUN, "cannot write %s: %m", out_cfg.path);
		for (size_t i = 0; i < n; i++)
			say(out, &d[i]);
		if (fclose(out))
			die(EXIT_RUN, "cannot write the answer: %m");
	} else {
		struct rec *r = rec_must_open(&out_cfg, "vamp");

		report(r, d, n);
		rec_must_close(r);
	}
	return EXIT_OK;
}
