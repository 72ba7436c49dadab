// SPDX-License-Identifier: GPL-3.0-or-later
/* The only file that uses libcurl: its multi interface on the epoll descriptor of the crowd.
 *
 * libcurl shares connections among all transfers to one host; users must not share. So each user connects to a host of its
 * own name (CURLOPT_CONNECT_TO), which resolves to the address of the server (CURLOPT_RESOLVE). The bytes sent, the Host
 * header included, are those for the URL. */
#include "protocols.h"
#include "clock.h"
#include "random.h"

#include <curl/curl.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define OTHER_DESCRIPTORS 1024 /* most that are open besides users' connections */
#define RELEASED 0x80	       /* flag beside EPOLLIN and EPOLLOUT: libcurl does not use the socket at present */

struct http_lane { /* one connection of a user; fetches one object after the other */
	CURL *easy;
	uint32_t user;
	bool busy; /* a transfer is running: the handle is in the multi handle */
};

struct http_user {
	struct curl_slist *connect_to, *resolve;
	uint64_t random;
	int page, object; /* the next object to fetch, an index within its page; page -1: none yet */
	int until;	  /* end of the request: index after its last object */
	int under_way;	  /* running transfers */
	uint32_t bytes;	  /* received for the request so far */
	uint16_t code;	  /* HTTP status: the first error of the request, else of the last answer */
};

struct http_users {
	struct http_users_cfg cfg;
	struct crowd *crowd;
	struct http_user *user;
	struct http_lane *lane; /* those of user u begin at lane[u * lanes] */
	int lanes;		/* per user */
	CURLM *multi;
	uint8_t *watched; /* index: descriptor; the events that epoll reports of it, and the flag RELEASED */
	size_t watched_room;
	int64_t wake_ns;
};

static size_t discard_body(char *data, size_t size, size_t n, void *context)
{
	(void)data;
	(void)context;
	return size * n;
}

static int on_timer(CURLM *multi, long ms, void *context)
{
	struct http_users *h = context;

	(void)multi;
	h->wake_ns = ms < 0 ? INT64_MAX : clock_now() + ms * NS_PER_MS;
	return 0;
}

/* libcurl releases a socket after each answer and registers it again for the next request. The socket stays in the epoll meanwhile:
 * only changes of its events are passed to the kernel. */
static int on_socket_events(CURL *easy, curl_socket_t fd, int what, void *context, void *known)
{
	struct http_users *h = context;
	struct epoll_event want = { .data.u64 = (uint64_t)fd };

	(void)easy;
	(void)known;
	if ((size_t)fd >= h->watched_room)
		return -1;
	if (what == CURL_POLL_REMOVE) {
		h->watched[fd] |= RELEASED;
		return 0;
	}
	want.events = (what & CURL_POLL_IN ? (uint32_t)EPOLLIN : 0) | (what & CURL_POLL_OUT ? (uint32_t)EPOLLOUT : 0);
	if ((h->watched[fd] & ~RELEASED) != want.events && epoll_ctl(h->crowd->epoll, EPOLL_CTL_MOD, fd, &want))
		epoll_ctl(h->crowd->epoll, EPOLL_CTL_ADD, fd, &want);
	h->watched[fd] = (uint8_t)want.events;
	return 0;
}

/* Forgets the events of a descriptor that is closed: the kernel removes it from the epoll, and its number may be reused. */
static int on_close_socket(void *context, curl_socket_t fd)
{
	struct http_users *h = context;

	if ((size_t)fd < h->watched_room)
		h->watched[fd] = 0;
	return close(fd);
}

static bool is_error_status(long code)
{
	return code < 200 || code >= 400;
}

static bool make_connection(struct http_users *h, struct http_lane *l, uint32_t user)
{
	l->user = user;
	l->easy = curl_easy_init();
	if (!l->easy)
		return false;
	curl_easy_setopt(l->easy, CURLOPT_CONNECT_TO, h->user[user].connect_to);
	curl_easy_setopt(l->easy, CURLOPT_RESOLVE, h->user[user].resolve);
	curl_easy_setopt(l->easy, CURLOPT_WRITEFUNCTION, discard_body);
	curl_easy_setopt(l->easy, CURLOPT_CLOSESOCKETFUNCTION, on_close_socket);
	curl_easy_setopt(l->easy, CURLOPT_CLOSESOCKETDATA, h);
	curl_easy_setopt(l->easy, CURLOPT_PRIVATE, (char *)l);
	curl_easy_setopt(l->easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(l->easy, CURLOPT_NOPROXY, "*");
	curl_easy_setopt(l->easy, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(l->easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(l->easy, CURLOPT_USERAGENT, "thinprobe-vusers");
	return true;
}

static struct http_lane *user_lanes(const struct http_users *h, uint32_t user)
{
	return &h->lane[(size_t)user * (size_t)h->lanes];
}

static bool make_user(struct http_users *h, uint32_t n)
{
	const struct target *t = h->cfg.target;
	struct http_user *u = &h->user[n];
	char text[512], number[64];

	target_address_text(t, number, sizeof(number));
	snprintf(text, sizeof(text), "::user%u.invalid:%u", (unsigned)n, (unsigned)t->port[0]);
	u->connect_to = curl_slist_append(NULL, text);
	snprintf(text, sizeof(text), "user%u.invalid:%u:%s%s%s", (unsigned)n, (unsigned)t->port[0], strchr(number, ':') ? "[" : "",
		 number, strchr(number, ':') ? "]" : "");
	u->resolve = curl_slist_append(NULL, text);
	if (!u->connect_to || !u->resolve)
		return false;
	u->random = h->cfg.seed + n;
	random_bits(&u->random);
	u->page = -1;
	for (int i = 0; i < h->lanes; i++)
		if (!make_connection(h, &user_lanes(h, n)[i], n))
			return false;
	return true;
}

int http_connections_per_user(const struct http_users_cfg *cfg)
{
	int most = 1;

	for (int i = 0; cfg->whole_pages && i < cfg->workload->pages; i++)
		most = cfg->workload->page[i].n > most ? cfg->workload->page[i].n : most;
	return most < cfg->parallel ? most : cfg->parallel;
}

struct http_users *http_users_open(const struct http_users_cfg *cfg, struct crowd *crowd)
{
	struct http_users *h = calloc(1, sizeof(*h));
	int64_t n = crowd->cfg.users;

	if (!h || curl_global_init(CURL_GLOBAL_DEFAULT)) {
		free(h);
		return NULL;
	}
	h->cfg = *cfg;
	h->crowd = crowd;
	h->wake_ns = INT64_MAX;
	h->lanes = http_connections_per_user(cfg);
	h->user = calloc((size_t)n, sizeof(*h->user));
	h->lane = calloc((size_t)n * (size_t)h->lanes, sizeof(*h->lane));
	h->watched_room = (size_t)n * (size_t)h->lanes + OTHER_DESCRIPTORS;
	h->watched = calloc(h->watched_room, 1);
	h->multi = curl_multi_init();
	if (!h->user || !h->lane || !h->watched || !h->multi) {
		http_users_close(h);
		return NULL;
	}
	curl_multi_setopt(h->multi, CURLMOPT_SOCKETFUNCTION, on_socket_events);
	curl_multi_setopt(h->multi, CURLMOPT_SOCKETDATA, h);
	curl_multi_setopt(h->multi, CURLMOPT_TIMERFUNCTION, on_timer);
	curl_multi_setopt(h->multi, CURLMOPT_TIMERDATA, h);
	curl_multi_setopt(h->multi, CURLMOPT_MAXCONNECTS, (long)(n * h->lanes < INT_MAX ? n * h->lanes : INT_MAX));
	curl_multi_setopt(h->multi, CURLMOPT_PIPELINING, (long)CURLPIPE_NOTHING);
	return h;
}

static void cancel_transfers(void *self, uint32_t user)
{
	struct http_users *h = self;
	struct http_lane *l = user_lanes(h, user);

	for (int i = 0; i < h->lanes; i++) {
		if (l[i].busy) /* removing a running transfer closes its connection */
			curl_multi_remove_handle(h->multi, l[i].easy);
		l[i].busy = false;
	}
	h->user[user].under_way = 0;
}

void http_users_close(struct http_users *h)
{
	for (int64_t i = 0; h->user && h->lane && i < h->crowd->cfg.users; i++) {
		cancel_transfers(h, (uint32_t)i);
		for (int k = 0; k < h->lanes; k++)
			curl_easy_cleanup(user_lanes(h, (uint32_t)i)[k].easy);
		curl_slist_free_all(h->user[i].connect_to);
		curl_slist_free_all(h->user[i].resolve);
	}
	if (h->multi)
		curl_multi_cleanup(h->multi);
	free(h->watched);
	free(h->lane);
	free(h->user);
	free(h);
	curl_global_cleanup();
}

const char *http_library_name(void)
{
	static char name[32];

	snprintf(name, sizeof(name), "libcurl/%s", curl_version_info(CURLVERSION_NOW)->version);
	return name;
}

/* Prepares a user; libcurl connects at the first request. */
static void prepare_user(void *self, uint32_t user)
{
	struct http_users *h = self;

	if (!user_lanes(h, user)->easy && !make_user(h, user)) {
		crowd_lost(h->crowd, user, -ENOMEM, NULL);
		return;
	}
	h->user[user].page = -1;
	crowd_connected(h->crowd, user);
}

/* Starts the transfer of the next object of the user's request, if there is one left. 0 or -ENOMEM. */
static int start_transfer(struct http_users *h, struct http_lane *l)
{
	const struct workload *w = h->cfg.workload;
	struct http_user *u = &h->user[l->user];
	char url[sizeof(h->cfg.target->origin) + WORKLOAD_PATH];

	if (u->object == u->until)
		return 0;
	snprintf(url, sizeof(url), "%s%s", h->cfg.target->origin, w->object[w->page[u->page].first + u->object].path);
	if (curl_easy_setopt(l->easy, CURLOPT_URL, url) || curl_multi_add_handle(h->multi, l->easy))
		return -ENOMEM;
	l->busy = true;
	u->object++;
	u->under_way++;
	return 0;
}

/* Sends the next request. After a lost connection the user starts a new page. */
static int ask_server(void *self, uint32_t user, struct crowd_request *what)
{
	struct http_users *h = self;
	const struct workload *w = h->cfg.workload;
	struct http_user *u = &h->user[user];
	int err = 0;

	if (u->page < 0 || h->cfg.whole_pages || u->object == w->page[u->page].n) {
		u->page = workload_draw_page(w, &u->random);
		u->object = 0;
	}
	*what = (struct crowd_request){ (uint16_t)(h->cfg.whole_pages ? u->page : w->page[u->page].first + u->object),
					u->object == 0 };
	u->until = h->cfg.whole_pages ? w->page[u->page].n : u->object + 1;
	u->bytes = 0;
	u->code = 200;
	for (int i = 0; !err && i < h->lanes; i++)
		err = start_transfer(h, &user_lanes(h, user)[i]);
	return err;
}

static void end_transfer(struct http_users *h, CURL *easy, CURLcode result)
{
	char *private;
	struct http_lane *l;
	struct http_user *u;
	curl_off_t size = 0;
	long code = 0, made = 0, head = 0;
	int64_t now = clock_now();

	curl_easy_getinfo(easy, CURLINFO_PRIVATE, &private);
	l = (void *)private;
	u = &h->user[l->user];
	curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &code);
	curl_easy_getinfo(easy, CURLINFO_SIZE_DOWNLOAD_T, &size);
	curl_easy_getinfo(easy, CURLINFO_HEADER_SIZE, &head);
	curl_easy_getinfo(easy, CURLINFO_NUM_CONNECTS, &made);
	curl_multi_remove_handle(h->multi, easy);
	l->busy = false;
	u->under_way--;
	h->crowd->sums.bytes += size + head;
	h->crowd->sums.connections += made;
	u->bytes += (uint32_t)(size + head);
	if (!is_error_status(u->code))
		u->code = (uint16_t)code;
	if (result || start_transfer(h, l)) {
		cancel_transfers(h, l->user);
		crowd_lost(h->crowd, l->user, result ? -EIO : -ENOMEM, result ? curl_easy_strerror(result) : NULL);
	} else if (!u->under_way) {
		crowd_answered(h->crowd, l->user, now, u->bytes, u->code, !is_error_status(u->code));
	}
}

static void end_transfers(struct http_users *h)
{
	CURLMsg *message;
	int left;

	while ((message = curl_multi_info_read(h->multi, &left)))
		if (message->msg == CURLMSG_DONE)
			end_transfer(h, message->easy_handle, message->data.result);
}

static void on_event(void *self, uint64_t data, uint32_t events)
{
	struct http_users *h = self;
	int running, what = (events & EPOLLIN ? CURL_CSELECT_IN : 0) | (events & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
			    (events & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0);

	/* the server closed an idle connection: libcurl notices before the next request */
	if (h->watched[data] & RELEASED) {
		epoll_ctl(h->crowd->epoll, EPOLL_CTL_DEL, (int)data, NULL);
		h->watched[data] = 0;
		return;
	}
	curl_multi_socket_action(h->multi, (curl_socket_t)data, what, &running);
	end_transfers(h);
}

static int64_t timer_due_ns(void *self)
{
	return ((struct http_users *)self)->wake_ns;
}

static void handle_timer(void *self)
{
	struct http_users *h = self;
	int running;

	h->wake_ns = INT64_MAX;
	curl_multi_socket_action(h->multi, CURL_SOCKET_TIMEOUT, 0, &running);
	end_transfers(h);
}

const struct crowd_hooks by_http_protocol = { .connect = prepare_user,
					      .send = ask_server,
					      .drop = cancel_transfers,
					      .event = on_event,
					      .wake_ns = timer_due_ns,
					      .tick = handle_timer };
