// SPDX-License-Identifier: GPL-3.0-or-later
/* qmp - answers of a QEMU 7.2, and of what is none, from a child that says known lines. */
#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vamp/vm.h"
#include "why.h"
#include "../../../../../tests/unit/unit.h"

#define GREETING \
	"{\"QMP\": {\"version\": {\"qemu\": {\"micro\": 15, \"minor\": 2, \"major\": 7}, \"package\": \"\"}, " \
	"\"capabilities\": [\"oob\"]}}\r\n"
#define EVENT "{\"timestamp\": {\"seconds\": 1, \"microseconds\": 2}, \"event\": \"NIC_RX_FILTER_CHANGED\", \"data\": {}}\r\n"
#define VCPU(i, tid) \
	"{\"thread-id\": " #tid ", \"props\": {\"core-id\": 0}, \"qom-path\": \"/machine/unattached/device[0]\", " \
	"\"cpu-index\": " #i ", \"target\": \"x86_64\"}"

/* Says the greeting, and one more piece of `answer` with each line that comes. */
static int ask(const char *greeting, const char *const answer[2], struct guest_vcpu *vcpu, size_t *n)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int server = socket(AF_UNIX, SOCK_STREAM, 0), err;
	uid_t owner = (uid_t)-1;
	struct why why;
	pid_t pid;

	snprintf(at.sun_path, sizeof(at.sun_path), "/tmp/vamp-qmp-test.%d", (int)getpid());
	unlink(at.sun_path);
	assert_int_equal(bind(server, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(server, 1), 0);
	pid = fork();
	if (!pid) {
		int client = accept(server, NULL, NULL);
		FILE *in = fdopen(client, "r");
		char line[256];

		if (!*greeting)
			_exit(0);
		dprintf(client, "%s", greeting);
		for (int i = 0; i < 2 && fgets(line, sizeof(line), in); i++) {
			if (!strstr(line, i ? "\"query-cpus-fast\"" : "\"qmp_capabilities\""))
				break;
			dprintf(client, "%s", answer[i]);
		}
		_exit(0);
	}
	err = qmp_query(at.sun_path, vcpu, 4, n, &owner, &why);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(server);
	unlink(at.sun_path);
	if (err)
		assert_non_null(strstr(why.text, at.sun_path));
	assert_int_equal(owner, getuid());
	return err;
}

TEST(threads_come_in_the_order_of_the_cpus)
{
	const char *const answer[2] = { EVENT "{\"return\": {}}\r\n", "{\"return\": [" VCPU(1, 4712) ", " VCPU(0, 4711) "]}\r\n" };
	struct guest_vcpu vcpu[4];
	size_t n;

	assert_int_equal(ask(GREETING, answer, vcpu, &n), 0);
	assert_int_equal(n, 2);
	assert_int_equal(vcpu[0].index, 0);
	assert_int_equal(vcpu[0].tid, 4711);
	assert_int_equal(vcpu[1].index, 1);
	assert_int_equal(vcpu[1].tid, 4712);
}

TEST(what_is_no_answer_is_refused)
{
	static const char *const bad[] = { "",
					   "{\"error\": {\"class\": \"CommandNotFound\", \"desc\": \"no\"}}\r\n",
					   "{\"return\": {}}",
					   "{\"return\": []}",
					   "{\"return\": [1]}",
					   "{\"return\": [{\"cpu-index\": 0}]}",
					   "{\"return\": [" VCPU(0, 0) "]}",
					   "{\"return\": [" VCPU(0, -1) "]}",
					   "{\"return\": [" VCPU(0, 99999999999) "]}",
					   "{\"return\": [" VCPU(-1, 7) "]}",
					   "{\"return\": [" VCPU(4, 7) "]}",
					   "{\"return\": [" VCPU(0, "7") "]}",
					   "{\"return\": [" VCPU(0, 7) ", " VCPU(0, 8) "]}",
					   "{\"return\": [" VCPU(0, 7) ", " VCPU(1, 8) ", " VCPU(2, 9) ", " VCPU(3, 10) ", " VCPU(
						   4, 11) "]}",
					   "{\"return\": [" };
	struct guest_vcpu vcpu[4];
	size_t n;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		const char *const answer[2] = { "{\"return\": {}}\r\n", bad[i] };

		if (!ask(GREETING, answer, vcpu, &n))
			fail_msg("taken: %s", bad[i]);
	}
	assert_true(ask("SSH-2.0-OpenSSH_9.2\r\n", bad, vcpu, &n) < 0);
	assert_true(ask("", bad, vcpu, &n) < 0);
}
