// SPDX-License-Identifier: GPL-3.0-or-later
/* The RDP target: through the plug-in on libfreerdp (rdp/client.h).
 *
 * Keys leave from the sending thread. Pictures are decoded by the watching thread, or, with the graphics pipeline, by a thread of
 * the library. */
#include "clock.h"
#include "dial.h"
#include "memory.h"
#include "picture.h"
#include "proc.h"
#include "rdp/client.h"
#include "rdp/server.h"
#include "region_search.h"
#include "target.h"
#include "watchdog.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define LOOK_NS (200 * NS_PER_MS) /* between two searches of the patch */
#define WAKE_NS NS_PER_S	  /* pause before a train */
#define DRAW_NS (100 * NS_PER_MS) /* longest drawing of what has come, at a reading of the screen */
#define HANG_S 5		  /* what the library takes longer for than allowed, it does not come back from */
#define STACK_BYTES (1 << 20)	  /* of the library's threads: all of it is locked into memory */

struct rdp_stroke {
	uint16_t code; /* scancode, or character */
	bool character;
};

struct rdp_act {
	struct input_act act;
	struct rdp_stroke stroke[ACT_KEYSYMS + 1]; /* in the order of pressing */
	int strokes;
};

struct rdp_target {
	struct rdp_client *client;
	struct rdp_server server;
	int fd; /* the connection, for poll() and shutdown() */
	struct rdp_trust trust;
	char user[256], password[512];
	struct target_login *login; /* the caller's */
	pthread_mutex_t lock;	    /* of the picture */
	struct picture picture;
	int64_t drawn_ns;     /* when the library has drawn last */
	_Atomic size_t drawn; /* how often the library has drawn */
	bool doubted;	      /* the server may not have accepted the password */
	bool dropped;	      /* the connection broke while the region was looked for */
	int width, height;    /* of the screen when the session began */
	int x, y;	      /* position of the pointer */
	int acts;
	struct rdp_act *act; /* owned */
};

static const struct rdp_client_ops *library;

static int check_address(const char *where, struct why *why)
{
	struct rdp_server server;

	if (!rdp_server_parse(where, &server))
		return 0;
	return why_fail(-1, why, "rdp:%s is no address: give rdp:HOST or rdp:HOST:PORT, and rdp:USER@HOST for another user", where);
}

static int load_plugin(struct why *why)
{
	library = rdp_plugin_load(why);
	return library ? 0 : -1;
}

/* --- called by the library's threads --- */

static bool trust_certificate(void *p, const char *fingerprint)
{
	struct rdp_target *self = p;

	self->login->certificate_ns = clock_now();
	return rdp_trust_check(&self->trust, fingerprint);
}

static uint8_t *resize_picture(void *p, int width, int height)
{
	struct rdp_target *self = p;
	uint8_t *pixels;

	pthread_mutex_lock(&self->lock);
	pixels = picture_resize(&self->picture, width, height) ? self->picture.memory.at : NULL;
	pthread_mutex_unlock(&self->lock);
	return pixels;
}

static void record_drawing(void *p, int64_t at_ns, const struct pixel_area *in)
{
	struct rdp_target *self = p;
	struct pixel_area at;

	pthread_mutex_lock(&self->lock);
	self->drawn_ns = at_ns;
	if (!self->login->picture_ns)
		self->login->picture_ns = at_ns;
	at = area_clip(*in, self->picture.width, self->picture.height);
	picture_record(&self->picture, at_ns, &at);
	pthread_mutex_unlock(&self->lock);
	atomic_fetch_add(&self->drawn, 1);
}

static void record_stamp(void *p, int64_t at_ns, uint32_t stamp)
{
	struct rdp_target *self = p;

	pthread_mutex_lock(&self->lock);
	observations_add_stamp(self->picture.seen, at_ns, rdp_stamp_ms(stamp));
	pthread_mutex_unlock(&self->lock);
}

/* --- connecting --- */

static void abort_hang(int number)
{
	(void)number;
	abort();
}

/* The library has so long for what it does next; INT64_MAX: any time. The parent reports a process that hangs as one that
 * crashed. */
static void limit_library(int64_t ns)
{
	struct itimerval at = { .it_value.tv_sec = ns == INT64_MAX ? 0 : (time_t)(ns / NS_PER_S) + HANG_S };

	signal(SIGALRM, abort_hang);
	setitimer(ITIMER_REAL, &at, NULL);
}

/* Reads what must be known before the files are out of reach. */
static int read_files(struct rdp_target *self, const struct target_cfg *cfg, struct why *why)
{
	bool may_be_empty = !cfg->keys || cfg->watch == WATCH_PATCH || cfg->no_password;

	if (rdp_trust_read(&self->trust, &self->server, cfg->known_servers, why))
		return -1;
	return rdp_read_password(cfg->password_file, may_be_empty, cfg->where, self->password, sizeof(self->password), why);
}

static void explain_failure(const struct rdp_target *self, const struct target_cfg *cfg, bool late, enum rdp_refusal refused,
			    const struct why *reason, struct why *why)
{
	const char *file = cfg->password_file;

	if (proc_stop)
		why_say(why, "stopped before rdp:%s had answered", cfg->where);
	else if (late)
		why_say(why, "rdp:%s did not finish connecting in %g s: is that an RDP server?%s", cfg->where,
			(double)cfg->connect_ns / NS_PER_S, cfg->back ? "" : " see --connect");
	else if (self->trust.other[0])
		rdp_trust_explain(&self->trust, &self->server, why);
	else if (refused && !file)
		why_say(why, "rdp:%s wants a password: give --password-file FILE", cfg->where);
	else if (refused)
		why_say(why, "rdp:%.90s refused user %s with the password of %s (%.200s)", cfg->where, self->user, file,
			reason->text);
	else
		why_say(why, "no RDP session on rdp:%.90s (%.200s): is that an RDP server?", cfg->where, reason->text);
}

/* Connects with the priority of the watching thread, if it may have one: the threads of the library, which may decode, inherit it.
 * (Once it is confined, a thread can set no priority but its own.) */
static struct rdp_client *connect_library(const struct rdp_client_cfg *wanted, int priority, enum rdp_refusal *refused,
					  struct why *reason)
{
	struct sched_param raised = { .sched_priority = priority }, before;
	struct rdp_client *client;
	int policy = sched_getscheduler(0);
	bool raises = priority > 0 && policy >= 0 && !sched_getparam(0, &before) && !sched_setscheduler(0, SCHED_FIFO, &raised);

	client = library->connect(wanted, refused, reason);
	if (raises)
		sched_setscheduler(0, policy, &before);
	return client;
}

static int connect_server(struct rdp_target *self, const struct target_cfg *cfg, struct why *why)
{
	int64_t until = clock_now() + cfg->connect_ns;
	struct watchdog watchdog = { .exact = true };
	struct rdp_client_cfg wanted = { .host = self->server.host,
					 .user = self->user,
					 .password = cfg->password_file || cfg->no_password ? self->password : NULL,
					 .unchecked = cfg->cert_ignore,
					 .width = cfg->screen.w,
					 .height = cfg->screen.h,
					 .self = self,
					 .trust = trust_certificate,
					 .resize = resize_picture,
					 .drawn = record_drawing,
					 .stamped = record_stamp };
	struct why reason = { "" };
	enum rdp_refusal refused = RDP_REFUSED_NOT;
	bool late;
	int err;

	if (read_files(self, cfg, why))
		return -1;
	self->login->begun_ns = clock_now();
	wanted.fd = dial_tcp(self->server.host, self->server.port, until, &reason);
	if (wanted.fd < 0)
		return why_fail(-1, why, "cannot connect to rdp:%.90s (%.200s): does an RDP server listen there?", cfg->where,
				reason.text);
	self->login->connected_ns = clock_now();
	if (cfg->connected)
		cfg->connected();
	self->fd = fcntl(wanted.fd, F_DUPFD_CLOEXEC, 0);
	fcntl(wanted.fd, F_SETFL, 0); /* the library expects one that blocks */
	err = self->fd < 0 ? -errno : watchdog_start(&watchdog, self->fd, until, 0);
	if (err)
		return why_fail(-1, why, "cannot start a thread: %s", strerror(-err));
	limit_library(cfg->connect_ns);
	self->client = connect_library(&wanted, cfg->priority, &refused, &reason);
	explicit_bzero(self->password, sizeof(self->password));
	late = watchdog_end(&watchdog);
	self->width = self->picture.width;
	self->height = self->picture.height;
	self->login->session_ns = self->client ? clock_now() : 0;
	self->doubted = refused && !cfg->no_password;
	if (self->client && !late)
		return 0;
	explain_failure(self, cfg, late, refused, &reason, why);
	return -1;
}

static bool find_patch(struct rdp_target *self)
{
	bool found;

	pthread_mutex_lock(&self->lock);
	found = picture_find_patch(&self->picture, clock_now());
	self->login->patch_ns = found ? self->drawn_ns : 0;
	pthread_mutex_unlock(&self->lock);
	return found;
}

/* FreeRDP 3.32 ends the connection at a pointer that comes before it has done with a change of size, as from xrdp 0.9. */
static int explain_end(struct rdp_target *self, const struct target_cfg *cfg, struct why *why)
{
	const char *reason = library->explain_end(self->client);
	int width, height;

	pthread_mutex_lock(&self->lock);
	width = self->picture.width, height = self->picture.height;
	pthread_mutex_unlock(&self->lock);
	if (width != self->width || height != self->height)
		return why_fail(-1, why,
				"the session of rdp:%s ended when its screen became %dx%d (%s): ask for this size with --size",
				cfg->where, width, height, reason);
	return why_fail(-1, why, "the session of rdp:%s ended before %s (%s)", cfg->where,
			self->drawn ? "the first key was typed" : "its picture came", reason);
}

/* Handles what comes until there is a picture and, with WATCH_PATCH, the patch in it. The first picture comes in parts: it is
 * searched again as long as there are more. */
static int await_picture(struct rdp_target *self, const struct target_cfg *cfg, struct why *why)
{
	int64_t until = clock_now() + cfg->connect_ns, looked_ns = 0;
	size_t drawn = 0, looked = 0;

	limit_library(cfg->connect_ns + cfg->patch_wait_ns);
	while (!proc_stop) {
		if (library->handle(self->client, 20))
			return explain_end(self, cfg, why);
		if (!drawn && (drawn = self->drawn))
			until = clock_now() + cfg->patch_wait_ns;
		if (drawn && !self->picture.patch)
			return 0;
		if (drawn && self->drawn != looked && clock_now() - looked_ns >= LOOK_NS) {
			looked = self->drawn;
			if (find_patch(self))
				return 0;
			looked_ns = clock_now();
		}
		if (clock_now() > until && !drawn)
			return why_fail(-1, why, "rdp:%s sends no picture: is its display alive?", cfg->where);
		if (clock_now() > until)
			return why_fail(-1, why, "no patch on the display of rdp:%s: start refecho there, in sight", cfg->where);
	}
	return 0;
}

/* GNOME Remote Desktop 43 makes a client's keyboard at its first key, which reaches no application, and 48 sends no picture for up
 * to 0.8 s after its first one. So a key that refecho does not count, and a pause, come before those of the train. */
static int wake_session(struct rdp_target *self, const struct target_cfg *cfg, struct why *why)
{
	int64_t until = clock_now() + WAKE_NS;

	limit_library(WAKE_NS);
	library->key(self->client, SCANCODE_SHIFT, true);
	library->key(self->client, SCANCODE_SHIFT, false);
	while (!proc_stop && clock_now() < until)
		if (library->handle(self->client, 20))
			return explain_end(self, cfg, why);
	return 0;
}

static void shut_socket(void *p)
{
	limit_library(0);
	shutdown(((struct rdp_target *)p)->fd, SHUT_RDWR);
}

static void rdp_close(void *p)
{
	struct rdp_target *self = p;

	shut_socket(self);
	if (self->client)
		library->close(self->client);
	limit_library(INT64_MAX);
	close(self->fd);
	picture_free(&self->picture);
	free(self->act);
	free(self);
}

static void set_stack_size(void)
{
	pthread_attr_t attr;

	if (pthread_attr_init(&attr))
		return;
	if (!pthread_attr_setstacksize(&attr, STACK_BYTES))
		pthread_setattr_default_np(&attr);
	pthread_attr_destroy(&attr);
}

/* --- keys and pointer --- */

/* False: no key has the keysym, and it is no character. */
static bool add_stroke(struct rdp_act *out, uint32_t keysym, bool shifted)
{
	bool shift;
	unsigned code = scancode_find(keysym, &shift);
	uint16_t character = code ? 0 : scancode_find_character(keysym);

	if (shift && !shifted)
		out->stroke[out->strokes++] = (struct rdp_stroke){ .code = SCANCODE_SHIFT };
	out->stroke[out->strokes++] = (struct rdp_stroke){ .code = code ? (uint16_t)code : character, .character = !code };
	return code || character;
}

static int add_rdp_act(void *p, const struct input_act *act, struct why *why)
{
	struct rdp_target *self = p;
	struct rdp_act out = { .act = *act };
	uint32_t keysym[ACT_KEYSYMS];
	int n = act->kind == ACT_KEY ? act_list_keysyms(act, keysym) : 0;

	for (int i = 0; i < n; i++)
		if (!add_stroke(&out, keysym[i], act->held & ACT_SHIFT) ||
		    (out.stroke[out.strokes - 1].character && !library->takes_characters(self->client)))
			return why_fail(-1, why, "this RDP server has no key for the symbol 0x%x: use another",
					(unsigned)keysym[i]);
	if (act->kind == ACT_MOVE && (act->x >= self->picture.width || act->y >= self->picture.height))
		return why_fail(-1, why, "move %d,%d: the screen of the RDP server is %dx%d", act->x, act->y, self->picture.width,
				self->picture.height);
	if (act->kind == ACT_BUTTON && act->button > 7)
		return why_fail(-1, why, "RDP has no button %d", act->button);
	memory_more(self->act, (size_t)self->acts);
	self->act[self->acts] = out;
	return self->acts++;
}

static bool send_strokes(const struct rdp_target *self, const struct rdp_act *act, bool down)
{
	bool sent = true;

	for (int i = 0; i < act->strokes; i++) {
		const struct rdp_stroke *s = &act->stroke[down ? i : act->strokes - 1 - i];

		sent &= (s->character ? library->character : library->key)(self->client, s->code, down);
	}
	return sent;
}

static bool send_pointer(struct rdp_target *self, const struct input_act *act, bool down)
{
	/* of TS_POINTER_EVENT (MS-RDPBCGR 2.2.8.1.1.3.1.1.3): left, middle, right; the wheel turns up, down, left, right by 120 */
	static const unsigned flags[] = { 0x1000, 0x4000, 0x2000, 0x278, 0x388, 0x588, 0x478 };
	bool press = act->way == ACT_CLICK ? down : act->way == ACT_DOWN, wheel = act->button > 3;
	unsigned flag = act->kind == ACT_MOVE ? 0x800 : flags[act->button - 1] | (press && !wheel ? 0x8000 : 0);

	if (act->kind == ACT_MOVE && down) {
		self->x = act->x;
		self->y = act->y;
	}
	if ((!down && (act->kind == ACT_MOVE || act->way != ACT_CLICK || wheel)) || (wheel && act->way == ACT_UP))
		return true;
	return library->pointer(self->client, flag, self->x, self->y);
}

static int send_act(void *p, int number, bool down)
{
	struct rdp_target *self = p;
	const struct rdp_act *act = &self->act[number];

	return (act->act.kind == ACT_KEY ? send_strokes(self, act, down) : send_pointer(self, &act->act, down)) ? 0 : -EPIPE;
}

/* --- opening --- */

static bool read_screen(void *p, uint32_t *pixels, int w, int h)
{
	struct rdp_target *self = p;
	int64_t until = clock_now() + DRAW_NS;
	size_t drawn;
	bool read;

	limit_library(DRAW_NS); /* until the next reading */
	do {			/* the library takes a few messages at a time: a whole picture would come over many readings */
		drawn = self->drawn;
		self->dropped = self->dropped || library->handle(self->client, 0);
	} while (!self->dropped && self->drawn != drawn && clock_now() < until);
	pthread_mutex_lock(&self->lock);
	read = !self->dropped && picture_copy(&self->picture, pixels, w, h);
	pthread_mutex_unlock(&self->lock);
	return read;
}

static bool type_key(void *p, int key, bool down)
{
	return !((struct rdp_target *)p)->dropped && !send_act(p, key, down);
}

/* Types a few keys and sets the region to where their echo appears. 0, or -1 with a line in `why`. */
static int find_region(struct rdp_target *self, const struct target_cfg *cfg, struct why *why)
{
	struct region_search search = { .target = cfg,
					.self = self,
					.hint = self->doubted ? "; after a wrong password, the session may not be logged in" : NULL,
					.act = add_rdp_act,
					.read = read_screen,
					.type = type_key };
	int err;

	err = region_search_picture(&search, &self->picture, why);
	return err == -EPIPE || self->dropped ? why_fail(-1, why, "rdp:%s closed the connection", cfg->where) : err;
}

static void *rdp_open(const struct target_cfg *cfg, struct why *why)
{
	struct rdp_target *self = memory_new(1, sizeof(*self));
	bool wakes = cfg->keys && cfg->watch == WATCH_PATCH;
	struct pixel_area in;

	*self = (struct rdp_target){
		.fd = -1,
		.trust.ignore = cfg->cert_ignore,
		.login = cfg->login,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.picture = { .red = 2, .patch = cfg->watch == WATCH_PATCH, .region = cfg->region, .seen = cfg->seen },
	};
	rdp_server_parse(cfg->where, &self->server);
	snprintf(self->user, sizeof(self->user), "%s", rdp_choose_user(cfg->user, self->server.user));
	set_stack_size();
	if (!self->user[0] && cfg->keys && cfg->watch != WATCH_PATCH)
		why_say(why, "rdp:%s would show its login dialog: name the user, as in rdp:USER@HOST", cfg->where);
	else if (!connect_server(self, cfg, why)) {
		in = picture_watched(&self->picture);
		if (area_is_empty(&in))
			why_say(why, "nothing of the region is inside the screen of rdp:%s, %dx%d", cfg->where, self->picture.width,
				self->picture.height);
		else if (!await_picture(self, cfg, why) && (!wakes || !wake_session(self, cfg, why)) &&
			 (!cfg->find_region || !find_region(self, cfg, why))) {
			limit_library(INT64_MAX);
			return self;
		}
	}
	rdp_close(self);
	return NULL;
}

/* --- watching --- */

static int socket_fd(void *p)
{
	return ((struct rdp_target *)p)->fd;
}

static int handle_events(void *p)
{
	return library->handle(((struct rdp_target *)p)->client, -1) ? -EPIPE : 0;
}

static void rdp_describe(void *p, char *text, size_t size)
{
	struct rdp_target *self = p;
	char address[300];
	int n;

	rdp_server_format(&self->server, address, sizeof(address));
	n = snprintf(text, size, "RDP %s, certificate %s, ", address,
		     self->trust.ignore	   ? "not checked (--cert-ignore)"
		     : self->trust.trusted ? "known"
					   : "of an authority of the system");
	if (n > 0 && (size_t)n < size)
		library->describe(self->client, text + n, size - (size_t)n);
}

static void write_receiver(void *p, char *text, size_t size)
{
	snprintf(text, size, "the session of %s", ((struct rdp_target *)p)->user);
}

static void get_watched_region(void *p, struct pixel_area *out, const char **from)
{
	*out = picture_watched(&((struct rdp_target *)p)->picture);
	*from = picture_region_from(&((struct rdp_target *)p)->picture);
}

const struct target_ops target_rdp = {
	.scheme = "rdp",
	.check = check_address,
	.load = load_plugin,
	.open = rdp_open,
	.act = add_rdp_act,
	.send_fd = socket_fd,
	.send = send_act,
	.watch_fd = socket_fd,
	.handle = handle_events,
	.interrupt = shut_socket,
	.close = rdp_close,
	.describe = rdp_describe,
	.receiver = write_receiver,
	.region = get_watched_region,
	.crashes = true,
	.tells_steps = true,
	.tells_stamps = true,
};
