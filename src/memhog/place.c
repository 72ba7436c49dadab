// SPDX-License-Identifier: GPL-3.0-or-later
#include "place.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif

int place_open(struct place *p, void *start, size_t bytes)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .range = { (uintptr_t)start, bytes }, .mode = UFFDIO_REGISTER_MODE_MISSING };
	int err;

	*p = (struct place){ -1, start, bytes };
	/* what an ordinary user may have, from Linux 5.11 on */
	p->fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
	if (p->fd < 0)
		return -errno;
	if (!ioctl(p->fd, UFFDIO_API, &api) && !ioctl(p->fd, UFFDIO_REGISTER, &range) && (range.ioctls & (1ull << _UFFDIO_COPY)))
		return 0;
	err = errno ? -errno : -ENOTSUP;
	place_close(p);
	return err;
}

int place_pages(const struct place *p, void *at, const void *from, size_t bytes)
{
	size_t done = 0;

	while (done < bytes) {
		struct uffdio_copy copy = { .dst = (uintptr_t)at + done, .src = (uintptr_t)from + done, .len = bytes - done };

		if (!ioctl(p->fd, UFFDIO_COPY, &copy))
			return 0;
		if (copy.copy > 0)
			done += (size_t)copy.copy;
		else if (errno != EAGAIN)
			return -errno;
	}
	return 0;
}

void place_release(const struct place *p)
{
	struct uffdio_range range = { (uintptr_t)p->start, p->bytes };

	if (p->fd >= 0)
		ioctl(p->fd, UFFDIO_UNREGISTER, &range);
}

void place_close(struct place *p)
{
	if (p->fd >= 0)
		close(p->fd);
	p->fd = -1;
}
