// SPDX-License-Identifier: GPL-3.0-or-later
#include "answer.h"
#include "clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int answer_open(void)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int n = snprintf(to.sun_path + 1, sizeof(to.sun_path) - 1, ANSWER_NAME "%u-%d", (unsigned)geteuid(), (int)getpid());
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), err;

	if (fd < 0)
		return -errno;
	if (!bind(fd, (struct sockaddr *)&to, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n)) && !listen(fd, 8))
		return fd;
	err = errno;
	close(fd);
	return -err;
}

static void tell_status(FILE *out, const struct told *t)
{
	const struct told_episode *e = told_lasting(t);

	if (e)
		fprintf(out, "episode\t%.3f\t%s\n", (double)(t->now_ns - e->started_ns) / (double)NS_PER_S, e->trigger);
	fprintf(out, "cost\t%.3f\t%zu\t%zu\nway\t%s\n", told_cpu_percent(t), t->processes, t->n, t->way);
	if (*t->sound)
		fprintf(out, "sound\t%s\n", t->sound);
	for (size_t i = 0; e && i < e->judged.n; i++) {
		struct tag tag = e->judged.tag[i];

		for (char *c = tag.comm; *c; c++)
			*c = (char)((unsigned char)*c < ' ' ? '?' : *c);
		fprintf(out, "%s\t%d\t%s\t%.1f\t%.1f\t%s\n", tag.why == SPARED_NOT ? "background" : "excluded", (int)tag.pid, tag.comm,
			tag.load_percent, tag.run_percent, spared_words[tag.why]);
	}
}

void answer_clients(int fd, const struct told *t)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	int to;

	if (out) {
		tell_status(out, t);
		fclose(out);
	}
	while ((to = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
		if (text)
			send(to, text, size, MSG_NOSIGNAL);	/* whole, or cut where it does not fit into the socket */
		close(to);
	}
	free(text);
}
