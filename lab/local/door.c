/* SPDX-License-Identifier: GPL-3.0-or-later */
/* door.c - starts a command of the emulated lab (local.sh) with nothing of the driver's that it could use.
 *
 * door [-n] COMMAND...: without descriptors but 0 to 2, without the driver's terminal, keys and environment. It stays in the
 * driver's session: a session of its own would be another scheduling group. Where 0, 1 or 2 is a terminal, the command gets a
 * terminal of its own in its place, and this process passes on what is typed and printed. -n: nothing is typed for it, and what it
 * prints has no control characters.
 *
 * A program of its own, and not a part of nsenter's chain, since a shell cannot leave a terminal or a keyring. */
#include "proc.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

static struct termios before;
static pid_t command;
static bool typed, whole; /* typed there for the command; and it prints there, too, so that it is the terminal's only user */

static _Noreturn void fail(const char *what)
{
	fprintf(stderr, "thinprobe: cannot start a command in the emulated hosts: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* What commands may see. */
static const char *const kept[] = {
	"PATH=", "USER=", "LOGNAME=", "TERM=", "LANG=", "LANGUAGE=", "TZ=", "LC_", "LAB_", "TP_", NULL
};

/* (The leader of a session would take the terminal from all others in it.) */
static void leave_terminal(void)
{
	int fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (getsid(0) == getpid() || ioctl(fd, TIOCNOTTY) < 0)
		fail("the terminal cannot be left");
	close(fd);
}

static void pass_signal(int number)
{
	if (command > 0)
		kill(command, number);
}

/* What a terminal would obey becomes a question mark. (From 128 on, too: there are control characters, in UTF-8 as well.) */
static void print(int to, char *text, ssize_t size, bool plain)
{
	for (ssize_t i = 0; plain && i < size; i++)
		if (((unsigned char)text[i] < ' ' && !strchr("\t\r\n", text[i])) || (unsigned char)text[i] > 126)
			text[i] = '?';
	for (ssize_t done; size > 0; text += done, size -= done)
		if ((done = write(to, text, (size_t)size)) < 0)
			return;
}

/* The terminal as it comes: the command's own obeys its keys, but for Ctrl-C, which is the driver's as well. */
static void take_terminal(int slave)
{
	struct termios now = before;
	struct winsize size;

	if (!ioctl(0, TIOCGWINSZ, &size))
		ioctl(slave, TIOCSWINSZ, &size);
	now.c_lflag &= ~(tcflag_t)(ICANON | ECHO | IEXTEN);
	now.c_iflag &= ~(tcflag_t)(ICRNL | INLCR | IGNCR | IXON);
	now.c_oflag &= ~(tcflag_t)OPOST;
	now.c_cc[VMIN] = 1;
	now.c_cc[VSUSP] = _POSIX_VDISABLE;
	tcsetattr(0, TCSADRAIN, &now);
}

static void pass_on(int master, int to, bool plain)
{
	struct pollfd from[] = { { .fd = master, .events = POLLIN }, { .fd = typed ? 0 : -1, .events = POLLIN } };
	char text[4096];
	int status;
	bool gone;

	do {
		gone = waitpid(command, &status, WNOHANG) == command;
		if (gone)
			from[1].fd = -1;
		for (int left = gone ? 64 : 1; left > 0 && poll(from, 2, gone ? 0 : 50) > 0; left--) {
			ssize_t size = from[0].revents ? read(master, text, sizeof(text)) : 0;

			if (from[0].revents && size <= 0) { /* the command has closed it, and may go on */
				from[0].fd = -1;
				break;
			}
			print(to, text, size, plain);
			size = from[1].revents ? read(0, text, sizeof(text)) : 0;
			if (from[1].revents && size <= 0) {
				from[1].fd = -1;
				text[0] = (char)before.c_cc[VEOF], size = 1;
			}
			print(master, text, size, false);
		}
	} while (!gone);
	if (whole)
		tcsetattr(0, TCSADRAIN, &before);
	if (!WIFSIGNALED(status))
		_exit(WEXITSTATUS(status));
	signal(WTERMSIG(status), SIG_DFL);
	raise(WTERMSIG(status));
	_exit(128 + WTERMSIG(status));
}

/* A terminal for the command in place of ours; returns in the command. */
static void give_terminal(bool plain)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), slave, to = isatty(1) ? 1 : isatty(2) ? 2 : 0;
	struct termios own;

	typed = isatty(0) && tcgetpgrp(0) == getpgrp();
	if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0 ||
	    (slave = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC)) < 0)
		fail("no terminal of its own");
	tcgetattr(to, &before);
	own = before;
	whole = typed && isatty(1);
	if (!whole) { /* as before for a pager or an editor behind the command */
		own.c_oflag &= ~(tcflag_t)OPOST;
		own.c_lflag &= ~(tcflag_t)ECHO;
	}
	tcsetattr(slave, TCSANOW, &own);
	if (whole)
		take_terminal(slave);
	if ((command = fork()) < 0)
		fail("fork");
	if (command > 0) {
		close(slave);
		signal(SIGTERM, pass_signal);
		signal(SIGHUP, pass_signal);
		signal(SIGINT, SIG_IGN);
		signal(SIGQUIT, SIG_IGN);
		pass_on(master, to, plain);
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int fd = 0; fd < 3; fd++)
		if (isatty(fd) && dup2(slave, fd) < 0)
			fail("dup2");
}

int main(int argc, char **argv)
{
	bool none = argc > 1 && !strcmp(argv[1], "-n");
	char **words = argv + 1 + none;
	int fd;

	if (!*words)
		return 2;
	if (isatty(0) && (none || tcgetpgrp(0) != getpgrp()) && ((fd = open("/dev/null", O_RDWR)) < 0 || dup2(fd, 0) < 0))
		fail("/dev/null");
	if (isatty(0) || isatty(1) || isatty(2))
		give_terminal(none);
	leave_terminal();
	/* Without keyrings in the kernel, or where a container forbids them, the command has none either. */
	if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0 && errno != ENOSYS && errno != EPERM)
		fail("no keyring of its own");
	closefrom(3);
	proc_keep_variables(kept);
	execvp(*words, words);
	fail(*words);
}
