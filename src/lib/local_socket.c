// SPDX-License-Identifier: GPL-3.0-or-later
#include "local_socket.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

int dial_unix(const char *path, int patience_s, struct ucred *peer)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	struct timeval patience = { .tv_sec = patience_s };
	size_t length = strlen(path);
	socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + (*path != '@')), peer_size = sizeof(*peer);
	int fd, err;

	if (length >= sizeof(to.sun_path))
		return -ENAMETOOLONG;
	memcpy(to.sun_path, path, length);
	if (*path == '@')
		to.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | (patience_s ? 0 : SOCK_NONBLOCK), 0);
	if (fd < 0)
		return -errno;
	if (!setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) &&
	    !setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) && /* also the timeout of connect() */
	    !connect(fd, (struct sockaddr *)&to, size) && (!peer || !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, peer, &peer_size)))
		return fd;
	err = -errno;
	close(fd);
	return err;
}
