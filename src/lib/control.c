// SPDX-License-Identifier: GPL-3.0-or-later
#include "control.h"
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CONTROL_READS 16 /* reads per call: a flood of commands must not block the program */

size_t line_assemble(struct line_assembler *in, const char *data, size_t size, const char **line)
{
	*line = NULL;
	for (size_t i = 0; i < size; i++) {
		if (data[i] != '\n') {
			if (in->n < sizeof(in->text))
				in->text[in->n++] = data[i] ? data[i] : '?';
			continue;
		}
		if (in->n == sizeof(in->text))
			in->n--; /* cut: longer than any command */
		in->text[in->n] = '\0';
		in->n = 0;
		*line = in->text;
		return i + 1;
	}
	return size;
}

static struct command_fifo *made; /* the fifo that this process created and has not removed yet */
static pid_t maker;

static void remove_at_exit(void)
{
	if (!made || getpid() != maker)
		return;
	fifo_remove(made);
	if (made)
		warn("cannot remove the fifo %s: %m", made->path);
}

int fifo_open(struct command_fifo *c, const char *path, struct why *why)
{
	struct stat st;
	int err;

	*c = (struct command_fifo){ .fd = -1, .path = path };
	c->made = !mkfifo(path, 0600);
	if (!c->made && errno != EEXIST) {
		err = errno;
		return why_fail(-err, why, "cannot make the fifo %s: %s", path, strerror(err));
	}
	if (!stat(path, &st) && !S_ISFIFO(st.st_mode))
		return why_fail(-EEXIST, why, "--control %s exists and is no fifo; give another path", path);
	/* opened for writing too: no end of file when a writer closes the fifo */
	c->fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (c->made) {
		made = c;
		maker = getpid();
		atexit(remove_at_exit);
	}
	if (c->fd >= 0)
		return 0;
	err = errno;
	why_say(why, "cannot open the fifo %s: %s", path, strerror(err));
	fifo_remove(c);
	return -err;
}

void fifo_read_lines(struct command_fifo *c, void (*heed)(void *arg, const char *line), void *arg)
{
	char text[512];
	ssize_t n;

	for (int i = 0; i < CONTROL_READS && (n = read(c->fd, text, sizeof(text))) > 0; i++) {
		for (size_t at = 0; at < (size_t)n;) {
			const char *line;

			at += line_assemble(&c->lines, text + at, (size_t)n - at, &line);
			if (line)
				heed(arg, line);
		}
	}
}

void fifo_remove(struct command_fifo *c)
{
	if (c->made && unlink(c->path) && errno != ENOENT)
		return;
	c->made = false;
	made = made == c ? NULL : made;
}
