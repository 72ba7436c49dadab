// SPDX-License-Identifier: GPL-3.0-or-later
/* server - the stream of a connection after the greeting: RFC 6143, 7.5 and 7.6. */
#include "server.h"
#include "clock.h"
#include "dial.h"
#include "rfb/encodings.h"
#include "vnc_address.h"
#include "vnc_password.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define TAKE_NS (50 * NS_PER_MS)     /* a read starts to decode no further piece after this time */
#define AHEAD_NS (5 * NS_PER_S)	     /* the same for the bytes that came together with the greeting */
#define PIXELS_AT_ONCE (256ll << 20) /* pixels painted between two looks at the clock, at most */
#define BYTES_AT_ONCE 256	     /* bytes decoded between two looks at the clock, at most */

#define LATE_MOST_NS (10 * NS_PER_S) /* a larger difference means that the wall clock was set meanwhile */

void server_stamp_arrivals(int fd)
{
	int on = 1;

	setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on));
}

/* Converts the kernel's timestamp, which is CLOCK_REALTIME, to CLOCK_MONOTONIC. */
static int64_t convert_wall_time(struct timespec wall, int64_t now_ns)
{
	struct wall_reading offset;
	int64_t came;

	clock_read_wall(&offset);
	came = wall.tv_sec * NS_PER_S + wall.tv_nsec - offset.offset_ns;
	return came > now_ns || came < now_ns - LATE_MOST_NS ? now_ns : came;
}

ssize_t server_recv_stamped(int fd, void *bytes, size_t n, int flags, int64_t *came_ns)
{
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(sizeof(struct timespec))];
	} control;
	struct iovec piece = { .iov_base = bytes, .iov_len = n };
	struct msghdr message = { .msg_iov = &piece, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control) };
	ssize_t got = recvmsg(fd, &message, flags);
	int err = errno;
	int64_t now = clock_now(), came = now;

	for (struct cmsghdr *c = got > 0 ? CMSG_FIRSTHDR(&message) : NULL; c; c = CMSG_NXTHDR(&message, c)) {
		struct timespec wall;

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SO_TIMESTAMPNS || c->cmsg_len < CMSG_LEN(sizeof(wall)))
			continue;
		memcpy(&wall, CMSG_DATA(c), sizeof(wall));
		came = convert_wall_time(wall, now);
	}
	if (came > *came_ns)
		*came_ns = came;
	errno = err;
	return got;
}

static int set_error(struct server_connection *s, int err, const char *text)
{
	s->err = err;
	return why_fail(err, &s->why, "%s", text);
}

int server_flush(struct server_connection *s)
{
	if (s->err)
		return s->err;
	while (s->queued) {
		ssize_t n = send(s->fd, s->queue, s->queued, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN ? 0 : set_error(s, -errno, strerror(errno));
		s->queued -= (size_t)n;
		memmove(s->queue, s->queue + n, s->queued);
	}
	return 0;
}

static int queue_bytes(struct server_connection *s, const uint8_t *bytes, size_t n)
{
	if (s->err)
		return s->err;
	if (s->queued + n > sizeof(s->queue))
		return set_error(s, -ENOBUFS, "the server no longer takes what is sent to it");
	memcpy(s->queue + s->queued, bytes, n);
	s->queued += n;
	return server_flush(s);
}

/* Requests the whole screen. */
static int request_update(struct server_connection *s, bool incremental)
{
	const struct screen *screen = &rfb_state(s->rfb)->screen;
	uint8_t m[MESSAGES_MOST];

	return queue_bytes(s, m, messages_put_update_request(m, incremental, screen->width, screen->height));
}

/* How many bytes may be decoded before the clock is looked at: 16 bytes can paint a whole screen, however large. */
static size_t limit_piece(const struct server_connection *s, size_t n)
{
	const struct screen *screen = &rfb_state(s->rfb)->screen;
	int64_t most = 16 * PIXELS_AT_ONCE / ((int64_t)screen->width * screen->height) + 16;

	most = most < BYTES_AT_ONCE ? most : BYTES_AT_ONCE;
	return n < (size_t)most ? n : (size_t)most;
}

/* Decodes bytes until `until_ns`; *used: how many. 0 or -errno. */
static int decode_piece(struct server_connection *s, const uint8_t *bytes, size_t n, int64_t until_ns, size_t *used)
{
	size_t now;
	int err = 0;

	for (*used = 0; *used < n && !err && (!*used || clock_now() < until_ns); *used += now) {
		now = limit_piece(s, n - *used);
		err = rfb_decode_bytes(s->rfb, bytes + *used, now);
	}
	return err;
}

int server_read(struct server_connection *s, void (*tee)(void *whose, const uint8_t *bytes, size_t n, int64_t now_ns), void *whose)
{
	unsigned updates = rfb_state(s->rfb)->updates, resizes = rfb_state(s->rfb)->resizes;
	const uint8_t *bytes = s->piece;
	size_t used;
	ssize_t n;
	int err;

	if (s->err)
		return s->err;
	if (s->greeting.ahead_n) {
		bytes = s->greeting.ahead;
		n = (ssize_t)s->greeting.ahead_n;
		s->came_ns = clock_now();
	} else {
		n = server_recv_stamped(s->fd, s->piece, sizeof(s->piece), MSG_PEEK, &s->came_ns);
	}
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : set_error(s, -errno, strerror(errno));
	if (!n)
		return set_error(s, -EPIPE, "the server closed the connection");
	err = decode_piece(s, bytes, (size_t)n, clock_now() + (s->greeting.ahead_n ? AHEAD_NS : TAKE_NS), &used);
	/* bytes that were not decoded stay in the socket, so that a server that sends expensive updates cannot block the caller */
	if (!s->greeting.ahead_n && recv(s->fd, NULL, used, MSG_TRUNC) != (ssize_t)used && !err)
		return set_error(s, -EIO, "the socket lost bytes");
	if (s->greeting.ahead_n && used < s->greeting.ahead_n && !err)
		return set_error(s, -EPROTO, "the server sent more than was requested");
	s->greeting.ahead_n = 0;
	if (tee)
		tee(whose, bytes, used, s->came_ns);
	if (err)
		return set_error(s, err, err == -EPROTO ? rfb_state(s->rfb)->why : strerror(-err));
	/* One request for each read, however many updates it had: a flooded client does not flood back. After a new size, the whole
	 * screen is requested. */
	if (rfb_state(s->rfb)->resizes != resizes || rfb_state(s->rfb)->updates != updates)
		err = request_update(s, rfb_state(s->rfb)->resizes == resizes);
	return err ? err : 1;
}

int server_send_pointer(struct server_connection *s, int mask, int x, int y)
{
	uint8_t m[MESSAGES_MOST];

	return queue_bytes(s, m, messages_put_pointer(m, mask, x, y));
}

int server_send_key(struct server_connection *s, uint32_t keysym, bool down)
{
	uint8_t m[MESSAGES_MOST];

	return queue_bytes(s, m, messages_put_key(m, keysym, down));
}

static int begin_session(struct server_connection *s, const int32_t *list, int n, const struct rfb_event_callbacks *events,
			 void *whose)
{
	/* Pseudo-encodings. Those of the cursor keep the server from painting the pointer into every snapshot. */
	static const int32_t always[] = { RFB_CURSOR,	   RFB_X_CURSOR,     RFB_POINTER_POS,
					  RFB_LAST_RECT,   RFB_DESKTOP_SIZE, RFB_EXTENDED_DESKTOP_SIZE,
					  RFB_DESKTOP_NAME };
	uint8_t hello[20 + 4 + 4 * MESSAGES_ENCODINGS + sizeof(always)];
	size_t at;
	int err, flags;

	s->rfb = rfb_decoder_open(events, whose, NULL, 0, 0);
	if (!s->rfb)
		return set_error(s, -errno, strerror(errno));
	err = rfb_decode_bytes(s->rfb, s->greeting.bytes, s->greeting.n);
	if (err || !rfb_state(s->rfb)->greeted)
		return set_error(s, err ? err : -EPROTO, err == -ENOMEM ? strerror(ENOMEM) : rfb_state(s->rfb)->why);
	server_stamp_arrivals(s->fd);
	flags = fcntl(s->fd, F_GETFL);
	if (flags < 0 || fcntl(s->fd, F_SETFL, flags | O_NONBLOCK)) /* a read would wait without end */
		return set_error(s, -errno, strerror(errno));
	at = messages_put_pixel_format(hello);
	at += messages_put_encodings(hello + at, list, n, always, sizeof(always) / sizeof(*always));
	err = queue_bytes(s, hello, at);
	return err ? err : request_update(s, false);
}

void server_confine(const struct server_cfg *cfg, enum confine_profile_number profile, const char *file, const char *report,
		    const char *read)
{
	char host[256];
	int number = 0;
	uint16_t port;

	vnc_address_parse(cfg->address, host, sizeof(host), &number);
	port = (uint16_t)number;
	dial_look_up(host, number);
	confine_must_apply(&(struct confine_cfg){ .profile = profile,
						  .mode = cfg->sandbox,
						  .files = { file, report },
						  .read = { cfg->password_file, read },
						  .secret = cfg->password_file != NULL,
						  .port = &port,
						  .ports = 1 });
}

static int connect_and_greet(struct server_connection *s, const struct server_cfg *cfg)
{
	int64_t until = clock_now() + cfg->timeout_ns;
	char password[VNC_PASSWORD_TEXT], host[256];
	struct why text;
	int port, err = 0;

	if (cfg->password_file)
		err = vnc_password_read(cfg->password_file, password, &s->why);
	if (err)
		return err;
	if (vnc_address_parse(cfg->address, host, sizeof(host), &port))
		return why_fail(-EINVAL, &s->why, "%.60s is no server: " VNC_ADDRESS_FORMS, cfg->address);
	s->fd = dial_tcp(host, port, until, &s->why);
	if (s->fd < 0)
		return s->fd;
	fcntl(s->fd, F_SETFL, fcntl(s->fd, F_GETFL) & ~O_NONBLOCK);
	err = server_greet(s->fd, port, cfg->password_file ? password : NULL, until, &s->greeting, &text);
	if (err)
		why_fail(err, &s->why, "%.60s: %s", cfg->address, text.text);
	explicit_bzero(password, sizeof(password));
	return err;
}

struct server_connection *server_connect(const struct server_cfg *cfg, const struct rfb_event_callbacks *events, void *whose,
					 struct why *why)
{
	int32_t list[MESSAGES_ENCODINGS];
	struct server_connection *s;
	int n, err;

	n = messages_parse_encodings(cfg->encodings ? cfg->encodings : "tight,zlib,hextile,copyrect,raw", false, list, why);
	if (n < 0) {
		errno = -n;
		return NULL;
	}
	s = calloc(1, sizeof(*s));
	if (!s) {
		why_say(why, "no memory for a connection");
		errno = ENOMEM;
		return NULL;
	}
	s->fd = -1;
	err = connect_and_greet(s, cfg);
	if (!err)
		err = begin_session(s, list, n, events, whose);
	if (err) {
		*why = s->why;
		server_disconnect(s);
		errno = -err;
		return NULL;
	}
	return s;
}

void server_disconnect(struct server_connection *s)
{
	if (!s)
		return;
	if (s->fd >= 0)
		close(s->fd);
	rfb_decoder_free(s->rfb);
	free(s->greeting.ahead);
	free(s);
}

void server_drain(struct server_connection *s, int64_t until_ns)
{
	struct pollfd p = { .fd = s->fd, .events = POLLOUT };

	while (!server_flush(s) && s->queued && clock_now() < until_ns)
		poll(&p, 1, 20);
}
