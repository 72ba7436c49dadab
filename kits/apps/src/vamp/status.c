// SPDX-License-Identifier: GPL-3.0-or-later
/* status - both sides of `vamp status`: the answer of a running vamp, and the command that asks all of them. */
#include "clock.h"
#include "commands.h"
#include "lines.h"
#include "dial.h"
#include "memory.h"
#include "record.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int status_listen(void)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int n = snprintf(to.sun_path + 1, sizeof(to.sun_path) - 1, ANSWER_NAME "%u-%d", (unsigned)geteuid(), (int)getpid());
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), err;

	if (fd < 0)
		return -errno;
	if (!bind(fd, (struct sockaddr *)&to, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n)) &&
	    !listen(fd, 8))
		return fd;
	err = errno;
	close(fd);
	return -err;
}

static void write_answer(FILE *out, const struct run_record *t)
{
	const struct episode_record *e = record_current(t);

	if (e)
		fprintf(out, "episode\t%.3f\t%s\n", (double)(t->now_ns - e->started_ns) / (double)NS_PER_S, e->trigger);
	fprintf(out, "cost\t%.3f\t%zu\t%zu\nway\t%s\n", record_cpu_percent(t), t->processes, t->n + (size_t)t->left_out, t->way);
	if (e && (e->err || t->dry))
		fprintf(out, "spared\t%s\n", t->dry ? "a dry run" : strerror(-e->err));
	if (*t->sound)
		fprintf(out, "sound\t%s\n", t->sound);
	for (size_t i = 0; e && i < e->judged.n; i++) {
		struct background_tag tag = e->judged.tag[i];

		for (char *c = tag.comm; *c; c++)
			*c = (char)((unsigned char)*c < ' ' ? '?' : *c);
		fprintf(out, "%s\t%d\t%s\t%.1f\t%.1f\t%s\n", tag.why == EXEMPT_NOT ? "background" : "excluded", (int)tag.pid,
			tag.comm, tag.load_percent, tag.run_percent, exemption_words[tag.why]);
	}
}

void status_answer_clients(int fd, const struct run_record *t)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	int to;

	if (out) {
		write_answer(out, t);
		fclose(out);
	}
	while ((to = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
		if (text)
			send(to, text, size, MSG_NOSIGNAL); /* truncated if it does not fit into the socket's buffer */
		close(to);
	}
	free(text);
}

static struct rec_cfg out_cfg;

static const struct cli_opt options[] = {
	REC_OPTIONS(out_cfg),
	{ .type = CLI_END },
};

enum { CELLS = 6, PATIENCE_S = 5 };
struct answer_line {
	char *cell[CELLS]; /* "" where the line has fewer cells */
};
struct daemon_answer {
	int pid;
	char user[32];
	struct answer_line *line;
	size_t n;
};

/* Asks one vamp, within PATIENCE_S in all. NULL: no answer; *silent: connected, but no answer came. Any program may take any
 * name, so the owner of the socket must be the user in the name. */
static char *ask_daemon(const char *name, uid_t uid, bool *silent)
{
	int64_t until_ns = clock_now() + PATIENCE_S * NS_PER_S;
	size_t n = 0, room = 1 << 20;
	char *text = memory_new(room, 1);
	struct ucred maker;
	int fd = dial_unix(name, PATIENCE_S, &maker);
	ssize_t got = fd >= 0 && maker.uid == uid;

	while (got > 0 && n + 1 < room && clock_now() < until_ns && (got = read(fd, text + n, room - n - 1)) > 0)
		n += (size_t)got;
	if (fd >= 0)
		close(fd);
	text[n] = '\0';
	if (n)
		return text;
	*silent = fd >= 0 && maker.uid == uid;
	free(text);
	return NULL;
}

static void split_lines(struct daemon_answer *d, char *rest)
{
	char *text;

	while ((text = strsep(&rest, "\n")) && *text) {
		memory_more(d->line, d->n);
		d->line[d->n] = (struct answer_line){ { "", "", "", "", "", "" } };
		d->n += fields_split(text, d->line[d->n].cell, CELLS) > 0;
	}
}

static char *const *find_cells(const struct daemon_answer *d, const char *key)
{
	static const struct answer_line none = { { "", "", "", "", "", "" } };

	for (size_t i = 0; i < d->n; i++)
		if (!strcmp(d->line[i].cell[0], key))
			return d->line[i].cell;
	return none.cell;
}

/* Asks every vamp whose socket is listed in /proc/net/unix, in that order. *silent: the pid of one that does not answer, or
 * unchanged. */
static size_t query_daemons(struct daemon_answer **out, int *silent)
{
	FILE *in = fopen("/proc/net/unix", "re");
	struct daemon_answer *d = NULL;
	char line[256];
	size_t n = 0;

	if (!in)
		die(EXIT_RUN, "cannot read /proc/net/unix: %m");
	while (fgets(line, sizeof(line), in)) {
		char *name = strstr(line, "@" ANSWER_NAME), *text;
		struct passwd *user;
		bool mute = false;
		unsigned uid;
		int pid;

		if (!name || sscanf(name, "@" ANSWER_NAME "%u-%d", &uid, &pid) != 2)
			continue;
		name[strcspn(name, "\n")] = '\0';
		text = ask_daemon(name, uid, &mute);
		if (mute)
			*silent = pid;
		if (!text)
			continue;
		memory_more(d, n);
		d[n] = (struct daemon_answer){ .pid = pid };
		user = getpwuid(uid);
		if (user)
			snprintf(d[n].user, sizeof(d[n].user), "%s", user->pw_name);
		else
			snprintf(d[n].user, sizeof(d[n].user), "%u", uid);
		split_lines(&d[n++], text);
	}
	fclose(in);
	*out = d;
	return n;
}

static void say_daemon(struct rec_report *r, const struct daemon_answer *d)
{
	char *const *episode = find_cells(d, "episode"), *const *cost = find_cells(d, "cost"),
		    *const *spared = find_cells(d, "spared");
	char lasts[100] = "no episode";

	if (**episode)
		snprintf(lasts, sizeof(lasts), "episode for %s s, by %s", episode[1], episode[2]);
	rec_say(r, "vamp %d of %s: %s; %s so far; costs %s %% of a CPU for %s processes", d->pid, d->user, lasts, cost[3], cost[1],
		cost[2]);
	for (size_t i = 0; i < d->n; i++) {
		char *const *cell = d->line[i].cell;

		if (!strcmp(cell[0], "background"))
			rec_say(r, "  %s: %s (%s), load %s %% of a CPU, ran %s %%%s%s", **spared ? "background" : "throttled",
				cell[2], cell[1], cell[3], cell[4], **spared ? "; not throttled: " : "", **spared ? spared[1] : "");
		else if (!strcmp(cell[0], "excluded"))
			rec_say(r, "  not throttled: %s (%s), load %s %%: %s", cell[2], cell[1], cell[3], cell[5]);
		else if (!strcmp(cell[0], "way") || !strcmp(cell[0], "sound"))
			rec_say(r, "  %s: %s", cell[0], cell[1]);
	}
}

static void report_tags(struct rec_report *r, const struct daemon_answer *d, const char *key)
{
	rec_begin_array(r, key);
	for (size_t i = 0; i < d->n; i++) {
		char *const *cell = d->line[i].cell;
		struct background_tag tag = { .pid = (pid_t)strtol(cell[1], NULL, 10),
					      .load_percent = strtod(cell[3], NULL),
					      .run_percent = strtod(cell[4], NULL) };

		if (strcmp(cell[0], key))
			continue;
		snprintf(tag.comm, sizeof(tag.comm), "%s", cell[2]);
		record_report_tag(r, &tag, cell[5]);
	}
	rec_end(r);
}

static void report_daemons(struct rec_report *r, const struct daemon_answer *d, size_t n)
{
	rec_begin_object(r, "result");
	rec_begin_array(r, "daemons");
	for (; n--; d++) {
		char *const *episode = find_cells(d, "episode"), *const *cost = find_cells(d, "cost");
		bool lasts = **episode;

		rec_begin_object(r, NULL);
		rec_add_int(r, "pid", d->pid);
		rec_add_str(r, "user", d->user);
		rec_add_bool(r, "episode", lasts);
		rec_add_real(r, "since_s", lasts ? strtod(episode[1], NULL) : 0.0 / 0.0, 3);
		rec_add_str(r, "trigger", lasts ? episode[2] : NULL);
		rec_add_int(r, "episodes", strtol(cost[3], NULL, 10));
		rec_add_real(r, "daemon_cpu_percent", strtod(cost[1], NULL), 3);
		rec_add_int(r, "sampled_tasks", strtol(cost[2], NULL, 10));
		rec_add_strs(r, { "way", find_cells(d, "way")[1] }, { "sound", find_cells(d, "sound")[1] });
		report_tags(r, d, "background");
		report_tags(r, d, "excluded");
		rec_end(r);
	}
	rec_end(r);
	rec_end(r);
}

int status_command(int argc, char **argv)
{
	struct daemon_answer *d;
	struct rec_report *out;
	size_t n;
	int silent = 0;
	int first = cli_parse(argc, argv, "vamp status [options]",
			      "Reports which processes are throttled now, by which vamp, and why.", options);

	cli_refuse_operands(argc, argv, first);
	n = query_daemons(&d, &silent);
	if (silent)
		warn("vamp %d does not answer: is it stopped, or does it wait for its display?", silent);
	if (!n && silent)
		return EXIT_RUN;
	if (!n)
		die(EXIT_RUN, "no vamp runs here; start one with vamp run");
	out = rec_must_open(&out_cfg, "vamp");
	report_daemons(out, d, n);
	rec_set_table(out, "daemons");
	for (size_t i = 0; i < n; i++)
		say_daemon(out, &d[i]);
	rec_must_close(out);
	return silent ? EXIT_LOSSY : EXIT_OK;
}
