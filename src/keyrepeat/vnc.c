// SPDX-License-Identifier: GPL-3.0-or-later
/* The VNC target: RFB (RFC 6143) through libvncclient, with the security types that the library has.
 *
 * Two threads share one connection: sending and reading of libvncclient have only the socket in common (and a TLS session, which
 * the library locks for each record; the socket does not block, so a waiting read does not hold the lock). Each message sent is
 * one write of 8 or 10 bytes to a socket that poll() reported writable, so messages do not mix. */
#include "cli.h"
#include "clock.h"
#include "dial.h"
#include "memory.h"
#include "picture.h"
#include "proc.h"
#include "region_search.h"
#include "target.h"
#include "vnc_password.h"
#include "vnc_address.h"
#include "rfb/messages.h"
#include "watchdog.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include <rfb/rfbclient.h>

#define HOST_MOST 256
#define ENCODINGS "copyrect tight zrle hextile zlib raw"

struct vnc_client {
	rfbClient *client;
	const char *password_file; /* NULL: none */
	bool asked;		   /* the server asked for a password */
	struct why bad_password;   /* why the password file cannot be read; "": can be */
	struct pixel_area area;	   /* around all watched rectangles of the update; empty: it had none */
	struct picture picture;	   /* the frame buffer that the library draws in */
	bool dropped;		   /* the connection broke while the region was looked for */
	bool pictured;		   /* the first whole picture has come */
	int acts;
	struct input_act *act; /* the prepared actions; owned */
	int x, y, buttons;     /* position of the pointer; bit N - 1: button N is down */
};

static int tag;		     /* key of rfbClientGetClientData(): the address counts, not the value */
static char last_error[160]; /* the last message of the library, instead of on standard error; "": none */

static void keep_message(const char *format, va_list args)
{
	vsnprintf(last_error, sizeof(last_error), format, args);
	last_error[strcspn(last_error, "\n")] = '\0';
}

static void keep_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	keep_message(format, args);
	va_end(args);
}

static void keep_failure_cause(const char *format, ...)
{
	va_list args;

	/* of informational messages, only those that name the cause of a failure */
	if (strncmp(format, SECURITY_OFFER, strlen(SECURITY_OFFER)) != 0 && !strstr(format, "fail") && !strstr(format, "closed") &&
	    !strstr(format, "valid") && !strstr(format, "timed out"))
		return;
	va_start(args, format);
	keep_message(format, args);
	va_end(args);
}

static const char *library_reason(void)
{
	return last_error[0] ? last_error : "no reason given";
}

static struct vnc_client *find_client(rfbClient *client)
{
	return rfbClientGetClientData(client, &tag);
}

static char *give_password(rfbClient *client)
{
	struct vnc_client *self = find_client(client);
	char password[VNC_PASSWORD_TEXT];

	self->asked = true;
	if (!self->password_file)
		return NULL;
	if (!vnc_password_read(self->password_file, password, &self->bad_password))
		return strdup(password);
	return strdup("");
}

/* Gives user and password for VeNCrypt's Plain types; X509 types use the certificates of the system. */
static rfbCredential *give_credential(rfbClient *client, int type)
{
	rfbCredential *c = memory_new(1, sizeof(*c));
	const char *user = getenv("USER");

	if (type == rfbCredentialTypeUser) {
		c->userCredential.username = strdup(user ? user : "");
		c->userCredential.password = give_password(client);
		if (!c->userCredential.password)
			c->userCredential.password = strdup("");
	}
	return c;
}

/* Where the library checks no rectangle (a gradient of tight without width, in 0.9.14), it crashes and overwrites nothing. */
static rfbBool make_picture(rfbClient *client)
{
	struct picture *picture = &find_client(client)->picture;

	client->frameBuffer = picture_resize(picture, client->width, client->height) ? picture->memory.at : NULL;
	if (!client->frameBuffer)
		keep_error("a screen of %dx%d pixels is too small or too large", client->width, client->height);
	return client->frameBuffer != NULL;
}

static void on_rectangle(rfbClient *client, int x, int y, int w, int h)
{
	struct vnc_client *self = find_client(client);
	struct pixel_area at = { x, y, w, h };

	self->pictured |= w > 0 && h > 0;
	if (!area_is_empty(&self->picture.region))
		at = area_intersect(&at, &self->picture.region);
	if (at.w > 0 && at.h > 0)
		area_include(&self->area, &at);
}

/* Called by libvncclient when a whole update has been written to the framebuffer. */
static void on_update(rfbClient *client)
{
	int64_t now = clock_now();
	struct vnc_client *self = find_client(client);

	picture_record(&self->picture, now, &self->area);
	self->area = (struct pixel_area){ 0 };
}

static int check_address(const char *where, struct why *why)
{
	char host[HOST_MOST];
	int port;

	if (!vnc_address_parse(where, host, sizeof(host), &port))
		return 0;
	return why_fail(-1, why, "vnc:%s is no address: give vnc:HOST:DISPLAY or vnc:HOST:PORT, as in vnc:127.0.0.1:5901", where);
}

/* Writes why there was no greeting. `late`: connect_ns was over. */
static void explain_silence(const struct vnc_client *self, const struct target_cfg *cfg, bool late, struct why *why)
{
	const char *where = cfg->where;
	struct why offer;

	if (proc_stop)
		why_say(why, "stopped before vnc:%s had greeted", where);
	else if (late)
		why_say(why, "no whole greeting from vnc:%s in %g s: is that a VNC server?%s", where,
			(double)cfg->connect_ns / NS_PER_S, cfg->back ? "" : " see --connect");
	else if (self->bad_password.text[0])
		why_fail(-1, why, "cannot read a password: %s", self->bad_password.text);
	else if (security_explain_offer(last_error, self->password_file, &offer))
		why_say(why, "vnc:%s: %.230s", where, offer.text);
	else if (self->asked && !self->password_file)
		why_say(why, "vnc:%s wants a password: give --password-file FILE", where);
	else if (self->asked)
		why_say(why, "vnc:%s refused the password of %s (%s)", where, self->password_file, library_reason());
	else
		why_say(why, "no VNC greeting from vnc:%s (%s): does a VNC server listen there?", where, library_reason());
}

/* Handles all messages that come, after waiting up to timeout_ms for the first. 0 or -EPIPE. */
static int read_messages(struct vnc_client *self, int timeout_ms)
{
	struct pollfd fd = { .fd = self->client->sock, .events = POLLIN };

	if (!self->client->buffered && poll(&fd, 1, timeout_ms) <= 0)
		return 0;
	/* poll() does not see data in the library's buffer. (A second message in one TLS record is not seen at all and waits for the
	 * next record; but servers end a record after each update.) */
	do {
		if (!HandleRFBServerMessage(self->client) || !self->client->frameBuffer)
			return -EPIPE;
	} while (self->client->buffered);
	return 0;
}

/* Reads until the first picture has come and, with WATCH_PATCH, the patch has been found in it. */
static int read_picture(struct vnc_client *self, const struct target_cfg *cfg, int64_t until, struct watchdog *watchdog,
			struct why *why)
{
	int64_t look_until = until;

	while (!proc_stop) {
		bool before = self->pictured;

		if (read_messages(self, 100))
			return why_fail(-1, why, "vnc:%s closed the connection (%s)", cfg->where, library_reason());
		if (!self->pictured && clock_now() > until)
			return why_fail(-1, why, "vnc:%s sends no picture: is its display alive?", cfg->where);
		if (!self->pictured)
			continue;
		if (!before) {
			look_until = clock_now() + cfg->patch_wait_ns;
			atomic_store(&watchdog->until_ns, look_until);
		}
		if (!self->picture.patch || picture_find_patch(&self->picture, clock_now()))
			return 0;
		if (clock_now() > look_until)
			return why_fail(-1, why, "no patch on the display of vnc:%s: start refecho there, in sight", cfg->where);
	}
	return 0;
}

/* Waits for the first picture, with a watchdog: the library's read would wait for ever for the rest of a message. */
static int await_picture(struct vnc_client *self, const struct target_cfg *cfg, struct why *why)
{
	int64_t until = clock_now() + cfg->connect_ns;
	struct watchdog watchdog = { 0 };
	int err = watchdog_start(&watchdog, self->client->sock, until, 0);

	if (err)
		return why_fail(-1, why, "cannot start a thread: %s", strerror(-err));
	err = read_picture(self, cfg, until, &watchdog, why);
	if (!watchdog_end(&watchdog))
		return err;
	if (proc_stop)
		return 0; /* the run then ends at once, with a report */
	return why_fail(-1, why, "vnc:%s stopped in the middle of a message: is its display alive?", cfg->where);
}

static void vnc_close(void *p)
{
	struct vnc_client *self = p;

	picture_free(&self->picture);
	self->client->frameBuffer = NULL;
	rfbClientCleanup(self->client);
	free(self->act);
	free(self);
}

/* lossless: a field must look as before when the character is erased; so small a picture takes no longer for that */
static void set_up_client(struct vnc_client *self, bool lossless)
{
	static const uint32_t types[] = { rfbNoAuth, rfbTLS, rfbVeNCrypt, rfbVncAuth, rfbARD };
	rfbClient *c = self->client;

	rfbClientLog = keep_failure_cause;
	rfbClientErr = keep_error;
	rfbClientSetClientData(c, &tag, self);
	c->GetPassword = give_password;
	/* of those that a server offers the library takes the first that it may: not one that wants what the user did not give */
	SetClientAuthSchemes(c, types, self->password_file ? 5 : 3);
	c->GetCredential = give_credential;
	c->MallocFrameBuffer = make_picture;
	c->GotFrameBufferUpdate = on_rectangle;
	c->FinishedFrameBufferUpdate = on_update;
	c->canHandleNewFBSize = TRUE;
	c->appData.encodingsString = ENCODINGS;
	c->appData.compressLevel = 2; /* both levels: defaults of TigerVNC's viewer */
	c->appData.qualityLevel = 8;
	c->appData.enableJPEG = !lossless;
	c->appData.useRemoteCursor =
		TRUE; /* without the pointer in the picture, it does not cover the patch or count as an update */
	c->format.redShift = 0;
	c->format.greenShift = 8;
	c->format.blueShift = 16;
	c->format.bigEndian = FALSE;
}

/* Connects and exchanges greetings, all within connect_ns: the library itself only limits each single read. 0, or -1 with a line in
 * `why` and self->client freed. */
static int connect_server(struct vnc_client *self, const struct target_cfg *cfg, struct why *why)
{
	int64_t until = clock_now() + cfg->connect_ns;
	char host[HOST_MOST];
	struct why reason;
	int port, fd, err, good, none = 0;
	rfbClient *c = self->client;
	struct watchdog watchdog = { .exact = true }; /* also ends a greeting that comes one byte at a time */
	bool late;

	vnc_address_parse(cfg->where, host, sizeof(host), &port);
	fd = dial_tcp(host, port, until, &reason);
	if (fd < 0) {
		why_say(why, "cannot connect to vnc:%.90s (%.200s): does a VNC server listen there?", cfg->where, reason.text);
		rfbClientCleanup(c);
		return -1;
	}
	if (cfg->connected)
		cfg->connected();
	c->listenSpecified = TRUE; /* tells the library to use c->sock instead of connecting */
	c->sock = fd;
	free(c->serverHost);
	c->serverHost = strdup(host); /* for the check of the certificate */
	c->serverPort = port;
	err = watchdog_start(&watchdog, fd, until, 0);
	if (err) {
		why_say(why, "cannot start a thread: %s", strerror(-err));
		rfbClientCleanup(c);
		return -1;
	}
	good = rfbInitClient(c, &none, NULL); /* frees the client if it fails */
	late = watchdog_end(&watchdog);
	if (good && !late)
		return 0;
	if (good)
		rfbClientCleanup(c);
	explain_silence(self, cfg, late, why);
	return -1;
}

static int add_vnc_act(void *p, const struct input_act *act, struct why *why)
{
	struct vnc_client *self = p;

	if (act->kind == ACT_MOVE && (act->x >= self->client->width || act->y >= self->client->height))
		return why_fail(-1, why, "move %d,%d: the screen of the VNC server is %dx%d", act->x, act->y, self->client->width,
				self->client->height);
	memory_more(self->act, (size_t)self->acts);
	self->act[self->acts] = *act;
	return self->acts++;
}

static int socket_fd(void *p)
{
	return ((struct vnc_client *)p)->client->sock;
}

/* Presses the modifiers and then the key, or releases them in the opposite order. */
static bool send_key(const struct vnc_client *self, const struct input_act *act, bool down)
{
	uint32_t keysym[ACT_KEYSYMS];
	int n = act_list_keysyms(act, keysym);
	bool sent = true;

	for (int i = 0; i < n; i++)
		sent &= SendKeyEvent(self->client, keysym[down ? i : n - 1 - i], down);
	return sent;
}

static bool send_pointer(struct vnc_client *self, const struct input_act *act, bool down)
{
	int bit = act->kind == ACT_BUTTON ? 1 << (act->button - 1) : 0;
	bool press = act->way == ACT_CLICK ? down : act->way == ACT_DOWN;

	if (!down && (act->kind == ACT_MOVE || act->way != ACT_CLICK))
		return true;
	if (act->kind == ACT_MOVE) {
		self->x = act->x;
		self->y = act->y;
	} else {
		self->buttons = press ? self->buttons | bit : self->buttons & ~bit;
	}
	return SendPointerEvent(self->client, self->x, self->y, self->buttons);
}

static int send_act(void *p, int number, bool down)
{
	struct vnc_client *self = p;
	const struct input_act *act = &self->act[number];

	return (act->kind == ACT_KEY ? send_key(self, act, down) : send_pointer(self, act, down)) ? 0 : -EPIPE;
}

static bool read_screen(void *p, uint32_t *pixels, int w, int h)
{
	struct vnc_client *self = p;

	self->dropped = self->dropped || read_messages(self, 0);
	return !self->dropped && picture_copy(&self->picture, pixels, w, h);
}

static bool type_key(void *p, int key, bool down)
{
	return !((struct vnc_client *)p)->dropped && !send_act(p, key, down);
}

/* Types a few keys and sets the region to where their echo appears. 0, or -1 with a line in `why`. */
static int find_region(struct vnc_client *self, const struct target_cfg *cfg, struct why *why)
{
	struct region_search search = { .target = cfg, .self = self, .act = add_vnc_act, .read = read_screen, .type = type_key };
	struct watchdog watchdog = { 0 };
	int err = watchdog_start(&watchdog, self->client->sock, WATCHDOG_STOP, NS_PER_S);

	if (err)
		return why_fail(-1, why, "cannot start a thread: %s", strerror(-err));
	err = region_search_picture(&search, &self->picture, why);
	if (err == -EPIPE || self->dropped)
		err = why_fail(-1, why, "vnc:%s closed the connection (%s)", cfg->where, library_reason());
	if (watchdog_end(&watchdog) && !proc_stop)
		return why_fail(-1, why, "vnc:%s stopped in the middle of a message: is its display alive?", cfg->where);
	return err;
}

static void *vnc_open(const struct target_cfg *cfg, struct why *why)
{
	struct vnc_client *self = memory_new(1, sizeof(*self));
	rfbClient *c = must_alloc(rfbGetClient(8, 3, 4));
	struct pixel_area in;

	*self = (struct vnc_client){
		.client = c,
		.password_file = cfg->password_file,
		.picture = { .patch = cfg->watch == WATCH_PATCH, .region = cfg->region, .seen = cfg->seen },
	};
	set_up_client(self, cfg->back);
	if (connect_server(self, cfg, why)) {
		picture_free(&self->picture);
		free(self);
		return NULL;
	}
	in = picture_watched(&self->picture);
	if (area_is_empty(&in))
		why_say(why, "nothing of the region is inside the screen of vnc:%s, %dx%d", cfg->where, c->width, c->height);
	else if (!await_picture(self, cfg, why) && (!cfg->find_region || !find_region(self, cfg, why)))
		return self;
	vnc_close(self);
	return NULL;
}

static int handle_messages(void *p)
{
	return read_messages(p, 0);
}

static void shut_socket(void *p)
{
	shutdown(((struct vnc_client *)p)->client->sock, SHUT_RDWR);
}

static void vnc_describe(void *p, char *text, size_t size)
{
	const rfbClient *c = ((struct vnc_client *)p)->client;

	snprintf(text, size, "RFB %d.%d, %dx%d \"%s\", security type %u%s, offers %s%s", c->major, c->minor, c->width, c->height,
		 c->desktopName ? c->desktopName : "", (unsigned)c->authScheme, c->tlsSession ? " (TLS)" : "", ENCODINGS,
		 c->appData.enableJPEG ? "" : " without JPEG");
}

static void write_receiver(void *p, char *text, size_t size)
{
	const rfbClient *c = ((struct vnc_client *)p)->client;

	snprintf(text, size, "\"%s\"", c->desktopName ? c->desktopName : "");
}

static void get_watched_region(void *p, struct pixel_area *out, const char **from)
{
	*out = picture_watched(&((struct vnc_client *)p)->picture);
	*from = picture_region_from(&((struct vnc_client *)p)->picture);
}

const struct target_ops target_vnc = {
	.scheme = "vnc",
	.check = check_address,
	.open = vnc_open,
	.act = add_vnc_act,
	.send_fd = socket_fd,
	.send = send_act,
	.watch_fd = socket_fd,
	.handle = handle_messages,
	.interrupt = shut_socket,
	.close = vnc_close,
	.describe = vnc_describe,
	.receiver = write_receiver,
	.region = get_watched_region,
	.crashes = true,
	.tells_steps = true,
};
