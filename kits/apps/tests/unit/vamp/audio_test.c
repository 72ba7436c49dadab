// SPDX-License-Identifier: GPL-3.0-or-later
/* audio - a pulseaudio of our own with a sink that goes nowhere, and pacat that plays silence. Without them: skipped. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "proc.h"
#include "vamp/audio.h"
#include "why.h"
#define BEFORE_ALL begin
#define AFTER_ALL finish
#include "../../../../../tests/unit/folder.h"

static struct why why;
static struct audio_watch *a;
static pid_t server, player;
static int events;
static int64_t seen_ns;
static bool tools;

static pid_t run(const char *const *words)
{
	pid_t parent = getpid(), pid = fork();

	if (pid)
		return pid;
	if (proc_end_with_parent(SIGKILL, parent) || !freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr) ||
	    !freopen("/dev/zero", "r", stdin))
		_exit(1);
	execvp(words[0], (char **)(uintptr_t)words);
	_exit(127);
}

static void end(pid_t *pid)
{
	if (*pid > 0) {
		kill(*pid, SIGTERM);
		waitpid(*pid, NULL, 0);
	}
	*pid = 0;
}

static int begin(void **state)
{
	char path[64];

	tools = !system("command -v pulseaudio pactl pacat >/dev/null");
	if (make_folder(state))
		return -1;
	snprintf(path, sizeof(path), "%s/pulse", folder);
	unsetenv("PULSE_SERVER");
	unsetenv("DBUS_SESSION_BUS_ADDRESS");
	return setenv("HOME", folder, 1) || setenv("XDG_RUNTIME_DIR", folder, 1) || setenv("PULSE_RUNTIME_PATH", path, 1);
}

static int finish(void **state)
{
	audio_close(a);
	end(&player);
	end(&server);
	return remove_folder(state);
}

static void need_tools(void)
{
	if (tools)
		return;
	print_message("skipped: no pulseaudio with pactl and pacat\n");
	skip();
}

static void hear(void *arg, const struct input_event *event)
{
	(void)arg;
	assert_string_equal(event->what, "audio");
	assert_true(event->seen_ns <= clock_now());
	seen_ns = event->seen_ns;
	events++;
}

/* Reads until it is so, for up to 20 s, and asks anew each second, as vamp does; true: it is. */
static bool until_is(int pid, bool is)
{
	struct input_source *s = audio_source(a);
	int64_t asked_ns = clock_now();

	for (int64_t end_ns = asked_ns + 20 * NS_PER_S; clock_now() < end_ns && audio_is_player(a, pid) != is;) {
		struct pollfd ready = { .fd = s->fd, .events = POLLIN };

		poll(&ready, 1, 100);
		assert_int_equal(s->ops->read(s, hear, NULL), 0);
		if (clock_now() - asked_ns > NS_PER_S) {
			asked_ns = clock_now();
			audio_update_counts(a, NULL, 0);
		}
	}
	return audio_is_player(a, pid) == is;
}

static void play(const char *property)
{
	const char *const words[] = { "pacat", "--raw", "--latency-msec=20", property, NULL };

	player = run(words);
}

TEST(a_server_that_comes_later)
{
	const char *const words[] = {
		"pulseaudio",	  "-n", "--load=module-null-sink", "--load=module-native-protocol-unix", "--exit-idle-time=-1",
		"--daemonize=no", NULL
	};
	struct pollfd ready = { .events = POLLIN };
	char text[200];
	int64_t from;

	need_tools();
	assert_int_equal(audio_open(&a, NULL, &why), -ENOENT);
	assert_true(why.text[0] && a && audio_source(a)->fd >= 0);
	audio_describe(a, text, sizeof(text));
	assert_string_equal(text, "no sound server");
	audio_update_counts(a, NULL, 0);
	server = run(words);
	assert_false(audio_is_player(a, server));
	for (int i = 0; i < 200 && !audio_is_player(a, server); i++) {
		clock_sleep(clock_now() + 50 * NS_PER_MS);
		audio_update_counts(a, NULL, 0);
	}
	assert_true(until_is(server, true));
	assert_false(audio_is_player(a, getpid()) || audio_is_player(a, 0) || audio_is_player(a, 1));
	assert_int_equal(events, 0);
	/* Found at once by another, which would also take its socket by name. */
	audio_close(a);
	snprintf(text, sizeof(text), "unix:%s/pulse/native", folder);
	from = clock_now();
	assert_int_equal(audio_open(&a, text, &why), 0);
	assert_true(audio_is_player(a, server));
	/* A pactl that takes 2 s is not waited for: then its list comes now, before there is a stream that would not be new. */
	if (clock_now() - from < 2 * NS_PER_S)
		return;
	ready.fd = audio_source(a)->fd;
	poll(&ready, 1, 20000);
	assert_int_equal(audio_source(a)->ops->read(audio_source(a), hear, NULL), 0);
}

TEST(a_stream)
{
	struct audio_counter counter[8];
	int64_t from = clock_now();
	int streams = 0;
	size_t n;
	pid_t gone;

	need_tools();
	assert_false(audio_is_playing(a)); /* a server alone is no sound */
	play(NULL);
	assert_true(until_is(player, true));
	assert_true(audio_is_playing(a));
	assert_int_equal(events, 1);
	assert_true(seen_ns >= from);
	n = audio_copy_counters(a, counter, 8);
	for (size_t i = 0; i < n; i++) { /* others, too, may have woken the server meanwhile */
		streams += counter[i].stream;
		assert_int_equal(counter[i].stream, counter[i].pid == player);
	}
	assert_int_equal(streams, 1);
	gone = player;
	end(&player);
	assert_true(until_is(gone, false));
	assert_false(audio_is_playing(a));
	assert_int_equal(events, 1);
}

/* One that gives a wrong pid is found by who wakes the server; a busy bystander is not. */
TEST(a_waker)
{
	struct audio_counter counter[8];
	const char *const hog[] = { "yes", NULL };
	pid_t bystander;
	char text[200];
	size_t n;
	bool listed = false;

	need_tools();
	audio_describe(a, text, sizeof(text));
	if (!strstr(text, "wake-ups counted")) {
		print_message("skipped: %s\n", text);
		skip();
	}
	bystander = run(hog);
	play("--property=application.process.id=1");
	assert_true(until_is(1, true));
	for (int i = 0; i < 40 && !audio_is_player(a, player); i++) {
		clock_sleep(clock_now() + 250 * NS_PER_MS);
		audio_update_counts(a, &bystander, 1);
	}
	assert_true(audio_is_player(a, player));
	assert_false(audio_is_player(a, bystander));
	n = audio_copy_counters(a, counter, 8);
	for (size_t i = 0; i < n && i < 8; i++) {
		listed |= counter[i].pid == player && !strcmp(counter[i].comm, "pacat") && counter[i].average >= 1;
		if (counter[i].pid == bystander)
			assert_true(counter[i].confidence > 0 && counter[i].average < 1);
	}
	assert_true(listed);
	end(&bystander);
	end(&player);
	assert_true(until_is(1, false));
}

TEST(the_server_goes_away)
{
	pid_t gone = server;

	need_tools();
	end(&server);
	assert_true(until_is(gone, false));
	audio_update_counts(a, NULL, 0);
	assert_false(audio_is_player(a, gone));
}
