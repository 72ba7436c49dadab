// SPDX-License-Identifier: GPL-3.0-or-later
/* audio_wakeups - a stand-in for the sound server that is woken a known number of times: by us, and by timers while others run.
 * Needs the right to trace: else skipped. */
#include <errno.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "proc.h"
#include "vamp/audio.h"
#include "why.h"
#include "../../../../../tests/unit/unit.h"

#define WAKEUPS 200

static pid_t fork_child(void)
{
	pid_t parent = getpid(), pid;

	fflush(NULL);
	pid = fork();
	if (!pid && proc_end_with_parent(SIGKILL, parent))
		_exit(1);
	return pid;
}

static void nap(int64_t ns)
{
	clock_sleep(clock_now() + ns);
}

/* Sleeps until it is told, and as many times for a while. (An event: a pipe's lock would wake it once more at times.) */
static void serve(int in, int out)
{
	eventfd_t n;

	for (int i = 0; i < WAKEUPS; i++)
		if (eventfd_read(in, &n))
			_exit(1);
	for (int i = 0; i < WAKEUPS; i++)
		nap(NS_PER_MS);
	eventfd_write(out, 1);
	pause();
}

/* Does it sleep? */
static bool sleeps(pid_t pid)
{
	char path[32], text[512] = "";
	struct proc_stat s;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	assert_non_null(f);
	assert_non_null(fgets(text, sizeof(text), f));
	fclose(f);
	assert_int_equal(proc_parse_stat(text, &s), 0);
	return s.state == 'S';
}

TEST(known_numbers)
{
	static struct audio_counts c, none;
	struct wakeup_tracer *w, *other;
	struct why why;
	char ours[16], its[16];
	int to = eventfd(0, 0), from = eventfd(0, 0), me = (int)getpid();
	pid_t server, hog;
	int err;
	eventfd_t told;

	assert_true(to >= 0 && from >= 0);
	/* Where only names can be told apart (in a pid namespace), the server's is no other's, not even this process's. */
	snprintf(its, sizeof(its), "sound %d", me);
	assert_int_equal(prctl(PR_GET_NAME, ours) | prctl(PR_SET_NAME, its), 0);
	server = fork_child();
	if (!server)
		serve(to, from);
	assert_int_equal(prctl(PR_SET_NAME, ours), 0);
	hog = fork_child();
	while (!hog)
		;
	err = wakeups_open(&w, server, &why);
	if (err == -EACCES || err == -ENODEV || err == -ENOENT) {
		kill(server, SIGKILL);
		kill(hog, SIGKILL);
		print_message("skipped: %s\n", why.text);
		skip();
	}
	assert_int_equal(err, 0);
	assert_int_equal(wakeups_open(&other, server, &why), 0);
	for (int i = 0; i < WAKEUPS; i++) {
		while (!sleeps(server))
			nap(NS_PER_MS / 10);
		assert_int_equal(eventfd_write(to, 1), 0);
	}
	assert_int_equal(eventfd_read(from, &told), 0);
	wakeups_update_filter(w);
	wakeups_count(w, &c, NULL, 0);
	wakeups_count(w, &c, NULL, 0); /* nothing more */
	wakeups_count(other, &none, &me, 1);
	kill(server, SIGKILL);
	kill(hog, SIGKILL);
	waitpid(server, NULL, 0);
	waitpid(hog, NULL, 0);
	/* All wake-ups by this process and no others: those by timers are charged to no process, whichever they interrupted. */
	assert_int_equal(c.n, 1);
	assert_int_equal(c.process[0].pid, me);
	assert_int_equal(c.process[0].wakeups, WAKEUPS);
	assert_int_equal(none.n, 0);
	wakeups_update_filter(w); /* it has ended */
	wakeups_close(w);
	wakeups_close(other);
}
