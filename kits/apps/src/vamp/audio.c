// SPDX-License-Identifier: GPL-3.0-or-later
/* Watches the sound server by two children that run pactl: one prints changes while the server runs, the other lists the streams
 * after each change. */
#include "audio.h"
#include "downcast.h"
#include "clock.h"
#include "proc.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define ANSWER_MS 2000

struct audio_watch {
	struct input_source
		source; /* first member, so that the pointers convert; its fd is an epoll of the children's descriptors */
	char *asked;	/* value of --audio-server; NULL: not given */
	struct audio_server server;
	struct audio_pactl changes, list; /* changes.pid 0: there is no server */
	int64_t asked_last_ns;
	int64_t changed_ns,
		asked_ns; /* first change that is in no list yet; first one that the requested list will have; 0: none */
	bool listed;	  /* a list has been read */
	struct audio_streams streams;
	struct audio_counts counting;
	struct wakeup_tracer *wakeups;
	struct why why_not; /* why wake-ups are not counted; "": they are */
};

static int add_polled_fd(const struct audio_watch *a, int fd)
{
	struct epoll_event e = { .events = EPOLLIN };

	return epoll_ctl(a->source.fd, EPOLL_CTL_ADD, fd, &e) ? -errno : 0;
}

static void count_wakeups(struct audio_watch *a)
{
	const int ours[] = { (int)getpid(), (int)a->changes.pid, (int)a->list.pid };

	if (a->wakeups)
		wakeups_count(a->wakeups, &a->counting, ours, sizeof(ours) / sizeof(*ours));
}

static int request_stream_list(struct audio_watch *a)
{
	static const char *const words[] = { "--format=json", "list", "sink-inputs", NULL };
	int err;

	a->asked_ns = a->changed_ns;
	a->asked_last_ns = clock_now();
	a->changed_ns = 0;
	err = pactl_start(&a->list, &a->server, words, false);
	return err ? err : add_polled_fd(a, a->list.pidfd);
}

static void disconnect_server(struct audio_watch *a)
{
	count_wakeups(a);
	pactl_end(&a->changes);
	pactl_end(&a->list);
	wakeups_close(a->wakeups);
	a->wakeups = NULL;
	a->streams.n = 0;
	a->changed_ns = 0;
	a->listed = false;
}

static int connect_server(struct audio_watch *a, struct why *why)
{
	static const char *const words[] = { "subscribe", NULL };
	int err = audio_find_server(&a->server, a->asked, why);

	if (err)
		return err;
	err = pactl_start(&a->changes, &a->server, words, true);
	if (!err)
		err = add_polled_fd(a, a->changes.out);
	if (!err)
		err = request_stream_list(a);
	if (err) {
		why_say(why, "cannot run pactl: %s", strerror(-err));
		disconnect_server(a);
		return err;
	}
	a->why_not.text[0] = '\0';
	if (a->server.pid)
		wakeups_open(&a->wakeups, a->server.pid, &a->why_not);
	else
		why_say(&a->why_not, "the server's process is not known");
	return 0;
}

/* Reads the list that pactl has printed, and keeps it. Calls `each` (NULL: nobody) once if a stream is new in it. 0, or pactl's
 * exit status where it failed. */
static int update_stream_list(struct audio_watch *a, void (*each)(void *arg, const struct input_event *event), void *arg)
{
	struct audio_streams now;
	char path[40];
	int err, status;

	count_wakeups(a); /* while the pid of this pactl is still known */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", a->list.out);
	err = audio_parse_streams(path, &now);
	status = pactl_end(&a->list);
	if (err)
		return status ? status : 1;
	if (each && a->listed && audio_has_new(&a->streams, &now)) {
		struct input_event event = { .seen_ns = a->asked_ns ? a->asked_ns : clock_now(), .what = "audio" };

		each(arg, &event);
	}
	a->streams = now;
	a->listed = true;
	return 0;
}

/* Reads the printed changes: "Event 'new' on sink-input #5"; a stream that resumes after a pause is a 'change'. False: the server
 * has ended. */
static bool read_changes(struct audio_watch *a, int64_t now)
{
	char text[4096];
	ssize_t n;

	while ((n = read(a->changes.out, text, sizeof(text) - 1)) > 0) { /* whole lines, but for a backlog over its size */
		text[n] = '\0';
		if (strstr(text, " on sink-input #") && !a->changed_ns)
			a->changed_ns = now;
	}
	return n < 0 && (errno == EAGAIN || errno == EINTR);
}

static bool fd_is_readable(int fd)
{
	struct pollfd one = { .fd = fd, .events = POLLIN };

	return fd >= 0 && poll(&one, 1, 0) > 0;
}

static const struct input_source_ops ops;

static int read_events(struct input_source *s, void (*each)(void *arg, const struct input_event *event), void *arg)
{
	struct audio_watch *a = DOWNCAST(s, struct audio_watch, s->ops == &ops);
	int64_t now = clock_now();

	if (fd_is_readable(a->changes.out) && !read_changes(a, now)) {
		disconnect_server(a);
		return 0;
	}
	if (fd_is_readable(a->list.pidfd))
		update_stream_list(a, each, arg);
	if (a->changed_ns && !a->list.pid)
		request_stream_list(a);
	return 0;
}

static const struct input_source_ops ops = { .name = "audio", .read = read_events };

int audio_open(struct audio_watch **out, const char *server, struct why *why)
{
	struct audio_watch *a = calloc(1, sizeof(*a));
	struct pollfd answer;
	int err, status;

	*out = NULL;
	if (!a)
		return why_fail(-ENOMEM, why, "out of memory");
	a->asked = server ? strdup(server) : NULL;
	a->changes = a->list = (struct audio_pactl){ .pidfd = -1, .out = -1 };
	a->source = (struct input_source){ .ops = &ops, .fd = epoll_create1(EPOLL_CLOEXEC) };
	if (a->source.fd < 0 || (server && !a->asked)) {
		err = -errno;
		why_say(why, "cannot watch the sound server: %s", strerror(-err));
		audio_close(a);
		return err;
	}
	*out = a;
	err = connect_server(a, why);
	if (err)
		return -ENOENT;
	answer = (struct pollfd){ .fd = a->list.pidfd, .events = POLLIN };
	if (poll(&answer, 1, ANSWER_MS) <= 0)
		return 0; /* the list will come later */
	status = update_stream_list(a, NULL, NULL);
	if (!status)
		return 0;
	disconnect_server(a);
	why_say(why,
		status == 127 ? "there is no pactl to ask the sound server: install pulseaudio-utils"
			      : "the sound server at %s does not answer pactl (is it this user's? is pactl older than 16?)",
		a->server.name);
	return -ENOENT;
}

struct input_source *audio_source(struct audio_watch *a)
{
	return &a->source;
}

bool audio_is_playing(const struct audio_watch *a)
{
	return a->streams.n > 0; /* an empty list if there is no server */
}

bool audio_is_player(const struct audio_watch *a, int pid)
{
	if (!a->changes.pid || pid <= 0)
		return false;
	return pid == a->server.pid || audio_has_pid(&a->streams, pid) ||
	       (audio_is_playing(a) && pid == audio_top_waker(&a->counting));
}

void audio_update_counts(struct audio_watch *a, const int *tagged, size_t n)
{
	struct why why;

	if (!a->changes.pid)
		connect_server(a, &why);
	else if (!a->list.pid && clock_now() - a->asked_last_ns > NS_PER_S)
		request_stream_list(a); /* finds streams that began before pactl had subscribed */
	count_wakeups(a);
	audio_average_counts(&a->counting, tagged, n);
	if (a->wakeups)
		wakeups_update_filter(a->wakeups);
}

size_t audio_copy_counters(const struct audio_watch *a, struct audio_counter *out, size_t room)
{
	struct audio_streams rest = a->streams;
	size_t n = 0;

	for (; n < a->counting.n && n < room; n++) {
		out[n] = a->counting.process[n];
		for (size_t k = 0; k < rest.n; k++)
			if (rest.stream[k].pid == out[n].pid) {
				out[n].stream = true;
				rest.stream[k].pid = 0;
			}
	}
	for (size_t k = 0; k < rest.n && n < room; k++)
		if (rest.stream[k].pid)
			out[n++] = (struct audio_counter){ .pid = rest.stream[k].pid, .stream = true };
	for (size_t i = 0; i < n; i++)
		proc_read_line(out[i].pid, "comm", out[i].comm, sizeof(out[i].comm));
	return n;
}

void audio_describe(const struct audio_watch *a, char *text, size_t size)
{
	if (!a->changes.pid)
		snprintf(text, size, "no sound server");
	else
		snprintf(text, size, "sound server at %s, pid %d, %zu streams play; %s%s", a->server.name, (int)a->server.pid,
			 a->streams.n, a->wakeups ? "wake-ups counted" : "wake-ups not counted: ", a->why_not.text);
}

void audio_close(struct audio_watch *a)
{
	if (!a)
		return;
	disconnect_server(a);
	if (a->source.fd >= 0)
		close(a->source.fd);
	free(a->asked);
	free(a);
}
