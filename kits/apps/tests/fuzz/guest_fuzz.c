// SPDX-License-Identifier: GPL-3.0-or-later
/* guest_fuzz - what a guest and its QEMU say to vamp. Input: a byte (1: QEMU's answers, else lines of the agent), then the bytes.
 * After each line of an agent comes a tenth of a second. */
#include "vamp/vm.h"
#include "dial.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int qemu; /* the program's end of the socket */

int __wrap_dial_unix(const char *path, int patience_s, struct ucred *maker);
int __wrap_dial_unix(const char *path, int patience_s, struct ucred *maker)
{
	(void)path, (void)patience_s, (void)maker;
	return qemu;
}

static void fuzz_qemu(const uint8_t *data, size_t size)
{
	struct guest_vcpu vcpu[8];
	struct why why;
	int pair[2];
	size_t n = 0;
	uid_t owner;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || write(pair[1], data, size) != (ssize_t)size || shutdown(pair[1], SHUT_WR))
		abort();
	qemu = pair[0];
	if (!qmp_query("fuzz", vcpu, 8, &n, &owner, &why))
		for (size_t i = 0; i < n; i++)
			if (n > 8 || vcpu[i].tid <= 0 || (i && vcpu[i].index <= vcpu[i - 1].index))
				abort();
	close(pair[1]);
}

static void fuzz_agent(char *text)
{
	struct guest_state s;
	int64_t now_ns = 1;
	char *line;

	state_init(&s, 4, now_ns);
	for (; (line = strsep(&text, "\n")); now_ns += 100000000) {
		state_add_line(&s, line, now_ns);
		state_end_silent(&s, now_ns + VM_SILENCE_NS);
		for (int i = 0; i < 4; i++)
			if (s.percent[i] > 100 || (s.slow[i] && !s.episode))
				abort();
		if (s.refused > s.lines || s.lost < 0)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (size < 2)
		return 0;
	if (data[0] & 1) {
		fuzz_qemu(data + 1, size - 1);
		return 0;
	}
	text = malloc(size);
	if (!text)
		abort();
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	fuzz_agent(text);
	free(text);
	return 0;
}
