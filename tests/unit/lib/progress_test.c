// SPDX-License-Identifier: GPL-3.0-or-later
/* progress - a line on a terminal, and on a terminal only. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "clock.h"
#include "progress.h"
#include "../unit.h"

/* What arrives at a terminal that stands in for standard error while `what` runs. */
static const char *on_terminal(void (*what)(void))
{
	static char seen[1024];
	int master = posix_openpt(O_RDWR | O_NOCTTY), terminal, kept = dup(STDERR_FILENO);
	size_t length = 0;
	ssize_t n;

	assert_true(master >= 0 && !grantpt(master) && !unlockpt(master));
	terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
	assert_true(terminal >= 0);
	fcntl(master, F_SETFL, O_NONBLOCK);
	fflush(stderr);
	dup2(terminal, STDERR_FILENO);
	what();
	fflush(stderr);
	dup2(kept, STDERR_FILENO);
	close(kept);
	close(terminal); /* now the reader comes to an end after all that was written */
	while ((n = read(master, seen + length, sizeof(seen) - 1 - length)) > 0)
		length += (size_t)n;
	seen[length] = '\0';
	close(master);
	return seen;
}

static void show_once_a_second(void)
{
	struct progress_line p;

	progress_start(&p, false);
	assert_int_equal(progress_wake_ns(&p, INT64_MAX), p.next_ns);
	assert_int_equal(progress_wake_ns(&p, 5), 5);
	assert_false(progress_take_due(&p, p.next_ns - 1));
	assert_true(progress_take_due(&p, p.next_ns));
	assert_false(progress_take_due(&p, p.next_ns - 1));
	progress_show(&p, "%d keys", 7);
	progress_end(&p);
	progress_end(&p);
}

static void show_a_long_line(void)
{
	char text[200] = "";
	struct progress_line p;

	for (int i = 0; i < 90; i++)
		strcat(text, "µ");
	progress_start(&p, false);
	progress_show(&p, "%s", text);
}

static void be_quiet(void)
{
	struct progress_line p;

	progress_start(&p, true);
	assert_int_equal(progress_wake_ns(&p, INT64_MAX), INT64_MAX);
	assert_false(progress_take_due(&p, INT64_MAX));
	progress_show(&p, "something");
	progress_end(&p);
}

TEST(a_line_comes_and_goes)
{
	unsetenv("COLUMNS");
	assert_string_equal(on_terminal(show_once_a_second), "\r7 keys\033[K\r\033[K");
	assert_int_equal(strlen(on_terminal(show_a_long_line)), 1 + 2 * 79 + 3);
	setenv("COLUMNS", "40", 1);
	assert_int_equal(strlen(on_terminal(show_a_long_line)), 1 + 2 * 39 + 3);
	unsetenv("COLUMNS");
	assert_string_equal(on_terminal(be_quiet), "");
}

TEST(a_file_gets_none)
{
	struct progress_line p;
	int kept = dup(STDERR_FILENO), null = open("/dev/null", O_WRONLY);

	dup2(null, STDERR_FILENO);
	progress_start(&p, false);
	dup2(kept, STDERR_FILENO);
	assert_false(p.on);
	close(null);
	close(kept);
}
