// SPDX-License-Identifier: GPL-3.0-or-later
/* vnc_fuzz - keyrepeat's VNC target, and so libvncclient as it is used there, before a server that says anything.
 *
 * Input: a byte that chooses (its lowest two bits: enum target_watch; 4: the greeting is in the input, too), two with the screen's
 * width and height, and what the server says; then it closes the connection. The socket is real, so that the library reads it
 * its own way. What libvncclient does with memory is seen where it calls a function that the sanitizer knows (memcpy, free), or
 * crashes; all of it if the library itself was built with the sanitizer (VNC_LIB in the Makefile). */
#include "mutate.h"

#include "keyrepeat/target.h"
#include "watchdog.h"
#include "dial.h"

#include <gcrypt.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int __wrap_dial_tcp(const char *host, int port, int64_t until_ns, struct why *why);
int __wrap_watchdog_start(struct watchdog *watchdog, int fd, int64_t until_ns, int64_t grace_ns);
bool __wrap_watchdog_end(struct watchdog *watchdog);
void *__real_mmap(void *at, size_t bytes, int may, int flags, int fd, off_t from);
void *__wrap_mmap(void *at, size_t bytes, int may, int flags, int fd, off_t from);
int __lsan_is_turned_off(void);

/* The library loses memory of its own, such as a pointer's shape that breaks off. */
int __lsan_is_turned_off(void)
{
	return 1;
}

static int server, client; /* the ends of the connection */
static sigjmp_buf given_up;
static const char *guard; /* mapping of the latest frame buffer, with the inaccessible part behind it */
static size_t guard_bytes;

void *__wrap_mmap(void *at, size_t bytes, int may, int flags, int fd, off_t from)
{
	void *got = __real_mmap(at, bytes, may, flags, fd, from);

	if (may == PROT_NONE && got != MAP_FAILED) {
		guard = got;
		guard_bytes = bytes;
	}
	return got;
}

/* Known: the library (0.9.14) draws a gradient of tight without width behind the picture. */
static void on_fault(int number, siginfo_t *info, void *with)
{
	(void)with;
	if ((const char *)info->si_addr >= guard && (const char *)info->si_addr < guard + guard_bytes)
		siglongjmp(given_up, 1);
	signal(number, SIG_DFL);
}

/* Known: a server of Apple's security type (30) that chooses a key of four bytes makes libgcrypt end the program. */
static void on_gcrypt(void *with, int error, const char *text)
{
	(void)with, (void)error, (void)text;
	siglongjmp(given_up, 1);
}

/* Instead of a connection. */
int __wrap_dial_tcp(const char *host, int port, int64_t until_ns, struct why *why)
{
	(void)host, (void)port, (void)until_ns, (void)why;
	return client;
}

/* Nobody waits for a server that has closed. */
int __wrap_watchdog_start(struct watchdog *watchdog, int fd, int64_t until_ns, int64_t grace_ns)
{
	(void)watchdog, (void)fd, (void)until_ns, (void)grace_ns;
	return 0;
}

bool __wrap_watchdog_end(struct watchdog *watchdog)
{
	(void)watchdog;
	return false;
}

static void say(const void *bytes, size_t n)
{
	if (write(server, bytes, n) != (ssize_t)n)
		abort();
}

/* RFB 3.8 without a password; a screen of the given size without a name. (The client sets a pixel format of its own.) */
static void greet(uint8_t width, uint8_t height)
{
	uint8_t init[24] = { 0, width, 0, height, 32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 16, 8, 0 };

	say("RFB 003.008\n\1\1\0\0\0\0", 18);
	say(init, sizeof(init));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct observations seen;
	struct target_cfg cfg = { .where = "127.0.0.1:1", .connect_ns = 1000000000, .seen = &seen };
	struct why why;
	int pair[2];
	void *volatile target;

	if (size <= VNC_FUZZ_HEAD || size > VNC_FUZZ_MOST || socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		return 0;
	server = pair[0], client = pair[1];
	if (!seen.update) {
		observations_init(&seen, 1000000000, 64, 64, 64);
		gcry_set_fatalerror_handler(on_gcrypt, NULL);
		sigaction(SIGSEGV, &(struct sigaction){ .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER }, NULL);
	}
	observations_clear(&seen);
	cfg.watch = (data[0] & 3) % 3;
	if (!(data[0] & VNC_FUZZ_GREETS))
		greet(data[1], data[2]);
	say(data + VNC_FUZZ_HEAD, size - VNC_FUZZ_HEAD);
	shutdown(server, SHUT_WR);
	if (sigsetjmp(given_up, 1)) {
		if (guard)
			munmap((void *)(uintptr_t)guard, guard_bytes);
		guard = NULL;
		close(client);
		close(server);
		return 0;
	}
	guard = NULL;
	target = target_vnc.open(&cfg, &why); /* closes `client`, also if it fails */
	if (target) {
		while (!target_vnc.handle(target))
			;
		target_vnc.close(target);
	}
	close(server);
	return 0;
}
