// SPDX-License-Identifier: GPL-3.0-or-later
/* A viewer of RDP, through the plug-in on libfreerdp (rdp/client.h). Pictures come from the thread that handles what the server
 * sends, or, with the graphics pipeline, from one of the library's; input leaves from the thread that takes it from the caller. */
#include "account.h"
#include "cli.h"
#include "clock.h"
#include "memory.h"
#include "rdp/client.h"
#include "rdp/server.h"
#include "viewer.h"
#include "viewing.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define LOOK_NS (200 * NS_PER_MS) /* between two searches of the patch */
#define HANDLE_MS 20		  /* how often the first picture is looked at */
#define MOVE 0x800		  /* a flag of TS_POINTER_EVENT (MS-RDPBCGR 2.2.8.1.1.3.1.1.3) */

struct rdp_viewer {
	struct rdp_server server;
	struct rdp_trust trust;
	char user[RDP_USER];	   /* of this viewer */
	pthread_mutex_t lock;	   /* of the picture */
	_Atomic size_t drawn;	   /* how often the library has drawn */
	pthread_mutex_t input;	   /* of `client`, which ends while input is sent */
	_Atomic uint32_t received; /* bytes received when the last input left */
	struct rdp_client *client; /* NULL: none is connected */
};

/* Puts the number in the place of %. */
static void name_user(const char *name, int64_t number, char *out, size_t size)
{
	const char *mark = strchr(name, '%');

	if (mark)
		snprintf(out, size, "%.*s%lld%s", (int)(mark - name), name, (long long)number, mark + 1);
	else
		snprintf(out, size, "%s", name);
}

static void prepare(struct viewer *v)
{
	const struct rdp_viewer_cfg *cfg = v->cfg.rdp;
	struct rdp_viewer *own = v->own = memory_new(1, sizeof(*own));

	pthread_mutex_init(&own->lock, NULL);
	pthread_mutex_init(&own->input, NULL);
	snprintf(own->server.host, sizeof(own->server.host), "%s", cfg->host);
	own->server.port = v->cfg.port;
	name_user(cfg->user, v->cfg.number, own->user, sizeof(own->user));
	own->trust.ignore = cfg->cert_ignore;
	rdp_trust_read(&own->trust, &own->server, cfg->known_servers, &v->seen->why); /* (the caller has read it once) */
}

/* --- called by the library's threads --- */

static bool trust_certificate(void *p, const char *fingerprint)
{
	return rdp_trust_check(&((struct rdp_viewer *)((struct viewer *)p)->own)->trust, fingerprint);
}

static uint8_t *resize_picture(void *p, int width, int height)
{
	struct viewer *v = p;
	struct rdp_viewer *own = v->own;
	uint8_t *pixels;

	pthread_mutex_lock(&own->lock);
	pixels = viewing_make_picture(v, width, height);
	pthread_mutex_unlock(&own->lock);
	return pixels;
}

static void record_drawing(void *p, int64_t at_ns, const struct pixel_area *in)
{
	struct viewer *v = p;
	struct rdp_viewer *own = v->own;
	struct pixel_area at;

	pthread_mutex_lock(&own->lock);
	at = area_clip(*in, v->width, v->height);
	if (v->found || !v->cfg.patch) {
		viewing_note_pixels(v, at.x, at.y, at.w, at.h);
		/* what had come before the input left, such as the rest of the answer before, is no answer */
		if (!v->cfg.patch && v->seen->asked && viewing_count_received(v->server_fd) == own->received)
			v->changed = false;
		viewing_end_update(v, at_ns);
	}
	pthread_mutex_unlock(&own->lock);
	atomic_fetch_add(&own->drawn, 1);
}

/* --- the connection --- */

static void explain_refusal(struct viewer *v, enum rdp_refusal refused, const char *reason)
{
	const struct rdp_viewer *own = v->own;
	struct why *why = &v->seen->why;

	v->seen->err = refused == RDP_REFUSED ? EACCES : EPROTO;
	if (own->trust.other[0])
		rdp_trust_explain(&own->trust, &own->server, why);
	else if (refused && !v->cfg.password)
		why_say(why, "the server wants a password: --password-file FILE");
	else if (refused)
		why_say(why, "the server refused user %s with that password (%s)", own->user, reason);
	else
		why_say(why, "no RDP session (%s): is that an RDP server?", reason);
}

/* Handles what comes until there is a picture and, with cfg.patch, the patch in it, which is searched again as long as more of the
 * picture comes. False: the connection has ended. */
static bool await_picture(struct viewer *v, struct rdp_client *client)
{
	struct rdp_viewer *own = v->own;
	int64_t looked_ns = 0;
	size_t looked = 0;

	while (!v->seen->ready) {
		if (v->cfg.rdp->library->handle(client, HANDLE_MS))
			return false;
		if (!v->cfg.patch || own->drawn == looked || clock_now() - looked_ns < LOOK_NS)
			continue;
		looked = own->drawn;
		pthread_mutex_lock(&own->lock);
		viewing_note_pixels(v, 0, 0, v->width, v->height);
		viewing_end_update(v, clock_now());
		pthread_mutex_unlock(&own->lock);
		looked_ns = clock_now();
	}
	return true;
}

static void set_client(struct rdp_viewer *own, struct rdp_client *client)
{
	pthread_mutex_lock(&own->input);
	own->client = client;
	pthread_mutex_unlock(&own->input);
}

static bool view(struct viewer *v, int fd, int port)
{
	const struct rdp_viewer_cfg *cfg = v->cfg.rdp;
	struct rdp_viewer *own = v->own;
	struct rdp_client_cfg wanted = { .fd = fd,
					 .host = own->server.host,
					 .user = own->user,
					 .password = v->cfg.password,
					 .width = cfg->width,
					 .height = cfg->height,
					 .unchecked = own->trust.ignore,
					 .blind = v->cfg.blind,
					 .self = v,
					 .trust = trust_certificate,
					 .resize = resize_picture,
					 .drawn = record_drawing };
	struct why reason = { "" };
	struct rdp_client *client;
	enum rdp_refusal refused = RDP_REFUSED_NOT;

	(void)port;
	own->drawn = 0;
	client = cfg->library->connect(&wanted, &refused, &reason);
	if (!client)
		explain_refusal(v, refused, reason.text);
	set_client(own, client);
	viewing_notify(v, client ? NOTICE_GREETED : NOTICE_REFUSED);
	if (!client)
		return false;
	if (await_picture(v, client)) {
		cfg->library->describe(client, v->seen->server, sizeof(v->seen->server));
		v->seen->memory_bytes = account_read_number("/proc/self", "smaps_rollup", "Pss:");
		cfg->library->handle(client, -1);
	}
	set_client(own, NULL);
	cfg->library->close(client);
	return true;
}

/* A key, letters in turn, or a move between two positions. */
static void input(struct viewer *v, uint32_t number)
{
	const struct rdp_client_ops *library = v->cfg.rdp->library;
	struct rdp_viewer *own = v->own;
	bool shift;
	uint16_t code = (uint16_t)scancode_find('a' + number % 26, &shift);

	pthread_mutex_lock(&own->input);
	own->received = viewing_count_received(v->server_fd);
	v->seen->sent_ns = clock_now();
	v->seen->asked = true;
	if (own->client && v->cfg.move)
		library->pointer(own->client, MOVE, number % 2 ? v->seen->width / 3 : v->seen->width / 2, v->seen->height / 2);
	else if (own->client && library->key(own->client, code, true))
		library->key(own->client, code, false);
	pthread_mutex_unlock(&own->input);
}

const struct viewer_kind viewer_rdp = { .prepare = prepare, .view = view, .input = input };
