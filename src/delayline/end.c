// SPDX-License-Identifier: GPL-3.0-or-later
#include "end.h"
#include "why.h"

#include <cap-ng.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

static int open_tap(struct end *e, char *why, size_t size)
{
	struct ifreq request = { .ifr_flags = IFF_TAP | IFF_NO_PI };
	int err;

	e->fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (e->fd < 0)
		return why_write(-errno, why, size, "cannot open /dev/net/tun: %s; modprobe tun, or give the login access to it",
				 strerror(errno));
	memcpy(request.ifr_name, e->name, sizeof(request.ifr_name));
	if (ioctl(e->fd, TUNSETIFF, &request)) {
		err = errno;
		close(e->fd);
		e->fd = -1;
		return why_write(-err, why, size, "cannot make the interface %s: %s%s", e->name, strerror(err),
			      err == EPERM ? "; this takes CAP_NET_ADMIN in its network namespace" : err == EBUSY ? "; there is one of that name" : "");
	}
	e->counters = open("/proc/thread-self/net/dev", O_RDONLY | O_CLOEXEC);
	return 0;
}

int end_open(struct end *e, const char *where, char *why, size_t size)
{
	const char *space = strchr(where, '@');
	size_t length = space ? (size_t)(space - where) : strlen(where);
	int there, err = 0;

	*e = (struct end){ .fd = -1, .counters = -1 };
	if (length == 0 || length >= sizeof(e->name))
		return why_write(-EINVAL, why, size, "%s: the name of an interface has 1 to 15 characters", where);
	memcpy(e->name, where, length);
	if (!space)
		return open_tap(e, why, size);
	there = open(space + 1, O_RDONLY | O_CLOEXEC);
	if (there < 0 || setns(there, CLONE_NEWNET)) {
		err = errno;
		why_write(-err, why, size, "cannot enter the network namespace %s: %s%s", space + 1, strerror(err),
		       err == EPERM ? "; this takes CAP_SYS_ADMIN there" : "");
	}
	if (there >= 0)
		close(there);
	return err ? -err : open_tap(e, why, size);
}

void end_close(struct end *e)
{
	if (e->fd >= 0)
		close(e->fd);
	if (e->counters >= 0)
		close(e->counters);
	e->fd = e->counters = -1;
}

int64_t end_read_dropped(const char *text, const char *name)
{
	const char *at = text;
	size_t length = strlen(name);

	while (at && *at) {
		at += strspn(at, " ");
		if (!strncmp(at, name, length) && at[length] == ':') {
			at += length + 1;
			/* receive: bytes packets errs drop fifo frame compressed multicast; transmit: bytes packets errs drop ... */
			for (int field = 0; field < 12; field++) {
				char *next;
				long long value = strtoll(at, &next, 10);

				if (next == at)
					return -1;
				if (field == 11)
					return value;
				at = next;
			}
		}
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	return -1;
}

int64_t end_dropped(const struct end *e)
{
	char text[8192];
	ssize_t n = e->counters < 0 ? -1 : pread(e->counters, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return -1;
	text[n] = '\0';
	return end_read_dropped(text, e->name);
}

int wire_drop_privilege(void)
{
	static const capng_type_t sets = CAPNG_EFFECTIVE | CAPNG_PERMITTED;
	/* Locked memory grows when a report is begun. The report and the fifo may stand in somebody else's folder. */
	static const unsigned needed[] = { CAP_IPC_LOCK, CAP_DAC_OVERRIDE, CAP_FOWNER };
	const size_t n = sizeof(needed) / sizeof(*needed);
	int had[sizeof(needed) / sizeof(*needed)];

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	if (capng_get_caps_process())
		return -EPERM;
	if (capng_have_capabilities(CAPNG_SELECT_CAPS) == CAPNG_NONE)
		return 0;
	for (size_t i = 0; i < n; i++)
		had[i] = capng_have_capability(CAPNG_PERMITTED, needed[i]);
	capng_clear(CAPNG_SELECT_CAPS);
	for (size_t i = 0; i < n; i++) {
		if (had[i] && capng_update(CAPNG_ADD, sets, needed[i]))
			return -EPERM;
	}
	return capng_apply(CAPNG_SELECT_CAPS) ? -EPERM : 0;
}
