// SPDX-License-Identifier: GPL-3.0-or-later
#include "delayline.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int create_tap(struct tap_interface *e, struct why *why)
{
	struct ifreq request = { .ifr_flags = IFF_TAP | IFF_NO_PI };
	int err;

	e->fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (e->fd < 0)
		return why_fail(-errno, why, "cannot open /dev/net/tun: %s; run modprobe tun, or give this user access to it",
				strerror(errno));
	memcpy(request.ifr_name, e->name, sizeof(request.ifr_name));
	if (ioctl(e->fd, TUNSETIFF, &request)) {
		err = errno;
		close(e->fd);
		e->fd = -1;
		return why_fail(-err, why, "cannot create the interface %s: %s%s", e->name, strerror(err),
				err == EPERM   ? "; needs CAP_NET_ADMIN in its network namespace"
				: err == EBUSY ? "; another interface has this name"
					       : "");
	}
	e->counters = open("/proc/thread-self/net/dev", O_RDONLY | O_CLOEXEC);
	return 0;
}

int tap_port_open(struct tap_interface *e, const char *where, struct why *why)
{
	const char *space = strchr(where, '@');
	size_t length = space ? (size_t)(space - where) : strlen(where);
	int there, err = 0;

	*e = (struct tap_interface){ .fd = -1, .counters = -1 };
	if (length == 0 || length >= sizeof(e->name))
		return why_fail(-EINVAL, why, "%s: the name of an interface has 1 to 15 characters", where);
	memcpy(e->name, where, length);
	if (!space)
		return create_tap(e, why);
	there = open(space + 1, O_RDONLY | O_CLOEXEC);
	if (there < 0 || setns(there, CLONE_NEWNET)) {
		err = errno;
		why_fail(-err, why, "cannot enter the network namespace %s: %s%s", space + 1, strerror(err),
			 err == EPERM ? "; run as root, or with CAP_SYS_ADMIN over that namespace" : "");
	}
	if (there >= 0)
		close(there);
	return err ? -err : create_tap(e, why);
}

void tap_port_close(struct tap_interface *e)
{
	if (e->fd >= 0)
		close(e->fd);
	if (e->counters >= 0)
		close(e->counters);
	e->fd = e->counters = -1;
}

int64_t tap_port_parse_drops(const char *text, const char *name)
{
	size_t length = strlen(name);
	long long dropped;

	for (const char *at = text; at && *at; at = strchr(at, '\n'), at = at ? at + 1 : NULL) {
		at += strspn(at, " ");
		if (strncmp(at, name, length) != 0 || at[length] != ':')
			continue;
		/* Columns: receive bytes packets errs drop fifo frame compressed multicast, transmit bytes packets errs drop ... */
		if (sscanf(at + length + 1, "%*d%*d%*d%*d%*d%*d%*d%*d%*d%*d%*d%lld", &dropped) == 1)
			return dropped;
	}
	return -1;
}

int64_t tap_port_read_drops(const struct tap_interface *e)
{
	char text[8192];
	ssize_t n = e->counters < 0 ? -1 : pread(e->counters, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return -1;
	text[n] = '\0';
	return tap_port_parse_drops(text, e->name);
}
