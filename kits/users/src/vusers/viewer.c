// SPDX-License-Identifier: GPL-3.0-or-later
/* The only file that uses libvncclient. Its sockets are blocking: with a non-blocking one, the library would wait in
 * select(), which does not work with descriptors above 1023.
 *
 * Process and caller share what was seen, and talk over a socket: connections go one way, notices the other. */
#include "viewer.h"
#include "apart.h"
#include "clock.h"
#include "confine.h"
#include "dial.h"
#include "memory.h"
#include "patch.h"
#include "proc.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rfb/rfbclient.h>

#define CELL_MIN 3 /* size of a patch cell in pixels, at least and at most */
#define CELL_MOST 40
#define COLOURS 0xffffffu
#define STACK_BYTES (64 << 10) /* of the thread that waits for the caller's end */

enum notice_kind { NOTICE_GREETED, NOTICE_REFUSED, NOTICE_SEEN, NOTICE_LOST };

struct connection {
	uint32_t number; /* of the viewer's connections, from 1 */
	int port;
};

struct notice {
	uint32_t number; /* of the connection */
	int kind;	 /* enum notice_kind */
};

/* Shared by both processes. */
struct viewer_seen {
	_Atomic bool ready, asked;	 /* asked: waiting for an answer */
	_Atomic uint32_t shown, awaited; /* number in the patch; number that answers the request */
	_Atomic int64_t answered_ns, cpu_ns;
	_Atomic int width, height;
	int err; /* why it was refused, for NOTICE_REFUSED */
	struct why why;
};

struct viewer {
	struct viewer_cfg cfg;
	struct viewer_seen *seen;
	int talk; /* this process's end */
	/* of the caller */
	pid_t process;
	int fd;		 /* the connection; -1: none */
	uint32_t number; /* of the connection */
	bool gone;	 /* the process is; how is in `status` */
	int status;
	/* of the process */
	rfbClient *client;
	struct apart_memory picture;
	uint32_t *before; /* copy of the screen, to find changed pixels; NULL with cfg.patch; owned */
	int before_width, before_height;
	bool changed; /* the update being read changes a pixel */
	bool found;   /* the patch was found, at `place` */
	bool wants;   /* the server wants a password and there is none */
	struct patch_place place;
};

static char last_words[160];
static char tag; /* its address is our key for rfbClientGetClientData() */

static void keep_message(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(last_words, sizeof(last_words), format, args);
	va_end(args);
	last_words[strcspn(last_words, "\r\n")] = '\0';
}

static struct viewer *find_viewer(rfbClient *client)
{
	return rfbClientGetClientData(client, &tag);
}

static char *copy_password(rfbClient *client)
{
	struct viewer *v = find_viewer(client);

	v->wants = !v->cfg.password;
	return strdup(v->cfg.password ? v->cfg.password : "");
}

/* --- pixels -------------------------------------------------------------------------------------------------------- */

static int pixel_luminance(const void *pixels, int x, int y)
{
	const rfbClient *c = pixels;

	return c->frameBuffer[((size_t)y * (size_t)c->width + (size_t)x) * 4 + 1]; /* green, as the shifts below say */
}

static void read_number(struct viewer *v)
{
	struct patch_image image = { v->client->width, v->client->height, pixel_luminance, v->client };
	uint32_t number;

	if (!v->found)
		v->found = patch_find(&image, CELL_MIN, CELL_MOST, &v->place, &number);
	else if (!patch_read(&image, &v->place, &number))
		return;
	if (v->found)
		v->seen->shown = number;
}

/* Sets v->changed if pixels differ from the copy, and updates the copy: servers also send unchanged pixels. */
static void compare_pixels(struct viewer *v, int x, int y, int w, int h)
{
	const rfbClient *c = v->client;
	const uint32_t *now = (const uint32_t *)(const void *)c->frameBuffer;

	if (v->before_width != c->width || v->before_height != c->height) {
		uint32_t *grown = realloc(v->before, (size_t)c->width * (size_t)c->height * sizeof(*grown));

		v->changed = true;
		if (!grown) /* out of memory: every update counts as a change */
			return;
		v->before = grown;
		v->before_width = c->width;
		v->before_height = c->height;
		memcpy(grown, now, (size_t)c->width * (size_t)c->height * sizeof(*grown));
		return;
	}
	for (int row = y; row < y + h; row++) {
		size_t at = (size_t)row * (size_t)c->width + (size_t)x;

		for (int i = 0; i < w && !v->changed; i++)
			v->changed = (v->before[at + (size_t)i] ^ now[at + (size_t)i]) & COLOURS;
		memcpy(v->before + at, now + at, (size_t)w * sizeof(*now));
	}
}

/* Called by libvncclient for each rectangle: sets v->changed if its pixels changed. */
static void detect_changed_pixels(rfbClient *client, int x, int y, int w, int h)
{
	struct viewer *v = find_viewer(client);

	if (w <= 0 || h <= 0 || x < 0 || y < 0 || x + w > client->width || y + h > client->height)
		return;
	if (v->cfg.patch)
		v->changed = true;
	else
		compare_pixels(v, x, y, w, h);
}

static void notify(struct viewer *v, enum notice_kind kind)
{
	struct notice notice = { v->number, kind };

	v->seen->cpu_ns = clock_process_cpu();
	if (send(v->talk, &notice, sizeof(notice), MSG_NOSIGNAL) < 0)
		_exit(EXIT_RUN); /* the caller is gone */
}

/* Called by libvncclient when an update is completely decoded. */
static void on_update(rfbClient *client)
{
	int64_t now = clock_now();
	struct viewer *v = find_viewer(client);
	struct viewer_seen *seen = v->seen;
	bool answers = v->changed, ready;

	if (!v->changed) /* only a cursor shape, or unchanged pixels */
		return;
	v->changed = false;
	if (v->cfg.patch) {
		read_number(v);
		answers = v->found && ((seen->shown - seen->awaited) & PATCH_NUMBER_MAX) < PATCH_NUMBER_MAX / 2;
	}
	ready = v->found || !v->cfg.patch;
	answers = answers && atomic_exchange(&seen->asked, false);
	if (answers)
		seen->answered_ns = now;
	if (answers || ready != seen->ready) {
		seen->width = client->width;
		seen->height = client->height;
		seen->ready = ready;
		notify(v, NOTICE_SEEN);
	}
}

/* --- the connection ------------------------------------------------------------------------------------------------ */

static rfbBool make_picture(rfbClient *client)
{
	client->frameBuffer = apart_picture(&find_viewer(client)->picture, client->width, client->height);
	if (!client->frameBuffer)
		keep_message("a screen of %dx%d pixels is too small or too large", client->width, client->height);
	return client->frameBuffer != NULL;
}

static bool greet_server(struct viewer *v)
{
	static const uint32_t schemes[] = { rfbNoAuth, rfbVncAuth };
	rfbClient *c = v->client;

	c->GetPassword = copy_password;
	c->MallocFrameBuffer = make_picture;
	c->GotFrameBufferUpdate = detect_changed_pixels;
	c->FinishedFrameBufferUpdate = on_update;
	c->canHandleNewFBSize = TRUE;
	c->appData.shareDesktop = TRUE;
	c->appData.encodingsString = v->cfg.encodings;
	c->appData.useRemoteCursor = TRUE; /* cursor as a pseudo-encoding, as the other users request it */
	c->format.redShift = 16;
	c->format.greenShift = 8;
	c->format.blueShift = 0;
	c->format.bigEndian = FALSE;
	rfbClientSetClientData(c, &tag, v);
	SetClientAuthSchemes(c, schemes, 2);
	if (!InitialiseRFBConnection(c) || c->tlsSession)
		return false;
	c->width = c->si.framebufferWidth;
	c->height = c->si.framebufferHeight;
	c->updateRect.x = c->updateRect.y = 0;
	c->updateRect.w = c->width;
	c->updateRect.h = c->height;
	return make_picture(c) && SetFormatAndEncodings(c) && SendFramebufferUpdateRequest(c, 0, 0, c->width, c->height, FALSE);
}

static void explain_refusal(const struct viewer *v)
{
	struct viewer_seen *seen = v->seen;

	seen->err = v->wants || v->client->authScheme == rfbVncAuth ? EACCES : EPROTO;
	if (v->wants)
		why_say(&seen->why, "the server wants a password: --password-file FILE");
	else
		why_say(&seen->why, "%s", *last_words ? last_words : "the server closed the connection");
}

/* Reads all that a server sends, until the connection ends. */
static void view(struct viewer *v, int fd, int port)
{
	char *host; /* libvncclient 0.9.14 does not free it */
	bool good;

	last_words[0] = '\0';
	v->seen->ready = v->seen->asked = false; /* here, since the last of the connection before may just have been read */
	v->seen->answered_ns = 0;
	v->found = v->wants = v->changed = false;
	v->before_width = v->before_height = 0;
	v->client = rfbGetClient(8, 3, 4);
	if (!v->client)
		_exit(EXIT_RUN);
	v->client->sock = fd;
	v->client->serverPort = port;
	good = greet_server(v);
	if (!good)
		explain_refusal(v);
	notify(v, good ? NOTICE_GREETED : NOTICE_REFUSED);
	while (good && HandleRFBServerMessage(v->client) && v->client->frameBuffer)
		;
	host = v->client->serverHost;
	v->client->frameBuffer = NULL;
	v->client->serverHost = NULL;
	v->client->sock = RFB_INVALID_SOCKET;
	rfbClientCleanup(v->client);
	free(host);
	apart_free(&v->picture);
	if (good)
		notify(v, NOTICE_LOST);
}

/* The next connection; -1: there will be none. */
static int take_connection(struct viewer *v, struct connection *to)
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} with;
	struct iovec part = { to, sizeof(*to) };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &with, .msg_controllen = sizeof(with) };
	ssize_t n = recvmsg(v->talk, &message, MSG_CMSG_CLOEXEC);
	int fd = -1;

	if (n == sizeof(*to) && CMSG_FIRSTHDR(&message))
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(fd));
	return fd;
}

/* Ends the process with its caller, whose sandbox may keep the kernel from it. */
static void *await_end(void *viewer)
{
	struct pollfd talk = { .fd = ((struct viewer *)viewer)->talk };

	while (poll(&talk, 1, -1) <= 0)
		;
	_exit(EXIT_OK);
}

static __attribute__((noreturn)) void view_all(struct viewer *v)
{
	struct connection next;
	pthread_t thread;
	int fd;

	proc_ignore_stop(); /* the caller ends this process */
	rfbClientLog = rfbClientErr = keep_message;
	confine_must_apply(&(struct confine_cfg){ .profile = CONFINE_DECODE, .mode = v->cfg.sandbox });
	if (proc_start_thread(&thread, STACK_BYTES, await_end, v))
		_exit(EXIT_RUN);
	while ((fd = take_connection(v, &next)) >= 0) {
		v->number = next.number;
		view(v, fd, next.port);
		close(fd);
	}
	_exit(EXIT_OK);
}

/* --- the caller ---------------------------------------------------------------------------------------------------- */

struct viewer *viewer_start(const struct viewer_cfg *cfg)
{
	struct viewer *v = memory_new(1, sizeof(*v));
	int ends[2];

	*v = (struct viewer){ .cfg = *cfg, .seen = apart_new(1, sizeof(*v->seen)), .fd = -1 };
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		die(EXIT_RUN, "cannot make a pair of sockets: %s", strerror(errno));
	v->talk = ends[1];
	v->process = apart_start();
	if (!v->process) {
		close(ends[0]);
		view_all(v);
	}
	close(ends[1]);
	v->talk = ends[0];
	return v;
}

/* The kind of the next notice of this connection; -EAGAIN: none has come; -ENOTRECOVERABLE. */
static int take_notice(struct viewer *v)
{
	struct notice notice;
	ssize_t n;

	while (!v->gone) {
		n = recv(v->talk, &notice, sizeof(notice), MSG_DONTWAIT);
		if (n < 0)
			return -EAGAIN;
		if (!n)
			v->gone = waitpid(v->process, &v->status, 0) == v->process;
		else if (notice.number == v->number)
			return notice.kind;
	}
	return -ENOTRECOVERABLE;
}

/* 0 or -errno. */
static int hand_over(struct viewer *v, int port)
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} with = { .head = { .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int)) } };
	struct connection to = { v->number, port };
	struct iovec part = { &to, sizeof(to) };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &with, .msg_controllen = sizeof(with) };

	memcpy(CMSG_DATA(&with.head), &v->fd, sizeof(v->fd));
	return sendmsg(v->talk, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? -errno : 0;
}

int viewer_open(struct viewer *v, int fd, int port, int64_t until_ns, struct why *why)
{
	struct viewer_seen *seen = v->seen;
	int kind;

	v->fd = fd;
	v->number++;
	if (hand_over(v, port) == -EAGAIN)
		return why_fail(-ETIMEDOUT, why, "%s", strerror(ETIMEDOUT));
	while ((kind = take_notice(v)) == -EAGAIN)
		if (dial_wait(v->talk, POLLIN, until_ns, true) <= 0)
			return proc_stop ? -EINTR : why_fail(-ETIMEDOUT, why, "%s", strerror(ETIMEDOUT));
	if (kind == NOTICE_GREETED)
		return 0;
	if (viewer_explain_crash(v, why))
		return -ENOTRECOVERABLE;
	why_say(why, "%.*s", (int)sizeof(seen->why.text) - 1, seen->why.text);
	return -seen->err;
}

void viewer_close(struct viewer *v)
{
	if (v->fd >= 0)
		shutdown(v->fd, SHUT_RDWR); /* ends the read of the process */
	v->fd = -1;
	v->number++; /* what it still says of that connection is no news */
}

int viewer_fd(const struct viewer *v)
{
	return v->talk;
}

int viewer_look(struct viewer *v)
{
	int kind;

	while ((kind = take_notice(v)) == NOTICE_SEEN)
		;
	return kind == -EAGAIN ? 0 : kind == -ENOTRECOVERABLE ? kind : -EPIPE;
}

bool viewer_explain_crash(struct viewer *v, struct why *why)
{
	int crash = v->gone ? apart_crash(v->status) : 0;

	if (crash)
		why_say(why, APART_CRASHED "the server", sigabbrev_np(crash));
	else if (v->gone)
		why_say(why, "the process that reads the display was ended");
	return v->gone;
}

bool viewer_is_ready(const struct viewer *v)
{
	return v->seen->ready;
}

void viewer_expect_answer(struct viewer *v)
{
	v->seen->answered_ns = 0;
	v->seen->awaited = (v->seen->shown + 1) & PATCH_NUMBER_MAX;
	v->seen->asked = true;
}

int64_t viewer_answered_ns(const struct viewer *v)
{
	return v->seen->answered_ns;
}

int viewer_send(struct viewer *v, const uint8_t *bytes, size_t n, int64_t until_ns)
{
	while (n) {
		ssize_t sent = send(v->fd, bytes, n, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (sent < 0 && (errno != EAGAIN || dial_wait(v->fd, POLLOUT, until_ns, true) <= 0))
			return -EPIPE;
		bytes += sent > 0 ? sent : 0;
		n -= sent > 0 ? (size_t)sent : 0;
	}
	return 0;
}

void viewer_get_size(const struct viewer *v, int *width, int *height)
{
	*width = v->seen->width;
	*height = v->seen->height;
}

int64_t viewer_cpu_ns(const struct viewer *v)
{
	return v->seen->cpu_ns;
}
