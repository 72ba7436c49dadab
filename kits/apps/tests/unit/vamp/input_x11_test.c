// SPDX-License-Identifier: GPL-3.0-or-later
/* Raw events of an Xvfb of our own, in which xdotool types. Without those two: skipped. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "proc.h"
#define BEFORE_ALL start_display
#define AFTER_ALL end_display
#include "../../../../../tests/unit/unit.h"
#include "heard.h"

static pid_t server;

static bool installed(const char *program)
{
	char command[80];

	snprintf(command, sizeof(command), "command -v %s >/dev/null", program);
	return system(command) == 0;
}

static int start_display(void **state)
{
	char number[16] = "", fd[16];
	pid_t parent = getpid();
	ssize_t n;
	int pipes[2];

	(void)state;
	if (!installed("Xvfb") || !installed("xdotool"))
		return 0;
	if (pipe(pipes))
		return -1;
	snprintf(fd, sizeof(fd), "%d", pipes[1]);
	server = fork();
	if (!server) {
		if (proc_die_beside_parent(parent) || !freopen("/dev/null", "w", stderr))
			_exit(1);
		execlp("Xvfb", "Xvfb", "-displayfd", fd, "-noreset", "-nolisten", "tcp", (char *)NULL);
		_exit(1);
	}
	close(pipes[1]);
	n = read(pipes[0], number, sizeof(number) - 1);
	close(pipes[0]);
	if (n <= 0)
		return -1;
	number[strcspn(number, "\n")] = '\0';
	why_say(&why, ":%s", number);
	return setenv("DISPLAY", why.text, 1);
}

static int end_display(void **state)
{
	(void)state;
	if (server > 0) {
		kill(server, SIGTERM);
		waitpid(server, NULL, 0);
	}
	return 0;
}

static struct input_source *open_or_skip(const char *names)
{
	struct input_source *s;
	struct trigger_keys keys;

	if (server <= 0) {
		print_message("skipped: no Xvfb or no xdotool\n");
		skip();
	}
	assert_int_equal(input_parse_keys(names, &keys, &why), 0);
	assert_int_equal(input_open_x11(&s, NULL, &keys, &why), 0);
	return s;
}

/* Until the word has been heard. */
static int hear_until(struct input_source *s, struct heard *h, const char *last)
{
	int64_t until = clock_now() + 20 * NS_PER_S;
	struct pollfd ready = { .fd = s->fd, .events = POLLIN };
	int err = 0;

	while (!err && clock_now() < until && (!h->n || strcmp(h->event[h->n - 1].what, last))) {
		poll(&ready, 1, 100);
		err = s->ops->read(s, hear, h);
	}
	return err;
}

TEST(keys_and_buttons)
{
	struct input_source *s = open_or_skip("Return,KP_Enter,F12,button");
	struct heard h = { 0 };
	int64_t from = clock_now();

	assert_int_equal(s->ops->read(s, hear, &h), 0);
	assert_int_equal(h.n, 0);
	assert_int_equal(system("xdotool key a Return mousemove 50 50 click 1 click 4 click 5 key KP_Enter click 3 key F12"), 0);
	assert_int_equal(hear_until(s, &h, "F12"), 0);
	assert_int_equal(h.n, 5);
	assert_string_equal(h.event[0].what, "Return");
	assert_string_equal(h.event[1].what, "button 1");
	assert_string_equal(h.event[2].what, "KP_Enter");
	assert_string_equal(h.event[3].what, "button 3");
	for (int i = 0; i < h.n; i++)
		assert_true(h.event[i].seen_ns >= from && h.event[i].seen_ns <= clock_now());
	s->ops->close(s);
}

/* A snowman is on no key of this keyboard: xdotool gives it one for as long as it sends it, which is until it was heard. */
TEST(a_keyboard_that_changes)
{
	struct input_source *s = open_or_skip("U2603,F12");
	struct heard h = { 0 };
	pid_t parent = getpid(), typist = fork();

	if (!typist) {
		if (proc_die_beside_parent(parent) || !freopen("/dev/null", "w", stderr))
			_exit(1);
		execlp("xdotool", "xdotool", "key", "--delay", "60000", "U2603", (char *)NULL);
		_exit(1);
	}
	assert_int_equal(hear_until(s, &h, "U2603"), 0);
	kill(typist, SIGKILL);
	waitpid(typist, NULL, 0);
	assert_int_equal(system("xdotool keyup U2603 key F12 2>/dev/null"), 0);
	assert_int_equal(hear_until(s, &h, "F12"), 0);
	assert_int_equal(h.n, 2);
	assert_string_equal(h.event[0].what, "U2603");
	s->ops->close(s);
}

static void two_are_heard(const char *keys, const char *command, const char *first, const char *last)
{
	struct input_source *s = open_or_skip(keys);
	struct heard h = { 0 };

	assert_int_equal(system(command), 0);
	assert_int_equal(hear_until(s, &h, last), 0);
	assert_int_equal(h.n, 2);
	assert_string_equal(h.event[0].what, first);
	s->ops->close(s);
}

TEST(a_key_that_is_held)
{
	two_are_heard("Return,F12", "xdotool keydown Return sleep 1.2 keyup Return key F12", "Return", "F12");
}

TEST(any_key)
{
	two_are_heard("any", "xdotool key b click 1 key Escape", "b", "Escape");
}

TEST(no_display)
{
	struct input_source *s;
	struct trigger_keys keys = { .button = true };

	assert_true(input_open_x11(&s, ":4711", &keys, &why) < 0);
	assert_non_null(strstr(why.text, ":4711"));
	assert_null(s);
}

/* A server that does not answer must not hold up the end of a program. */
TEST(a_display_that_is_stopped)
{
	struct input_source *s = open_or_skip("Return");

	assert_int_equal(kill(server, SIGSTOP), 0);
	alarm(60);
	s->ops->close(s);
	alarm(0);
	assert_int_equal(kill(server, SIGCONT), 0);
}

/* The last one: the source ends, not this program. */
TEST(the_display_goes_away)
{
	struct input_source *s = open_or_skip("Return");
	struct heard h = { 0 };

	assert_int_equal(kill(server, SIGTERM), 0);
	assert_int_equal(hear_until(s, &h, "Return"), -EPIPE);
	assert_int_equal(s->ops->read(s, hear, &h), -EPIPE);
	assert_int_equal(h.n, 0);
	s->ops->close(s);
}
