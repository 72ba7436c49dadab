// SPDX-License-Identifier: GPL-3.0-or-later
/* watch: says what is slow for one user and one server, as `prototap --every` does. In a scene, at most one thing changes. */
#include "scene.h"
#include "memory.h"
#include "random.h"
#include "watch/interval.h"

#include <math.h>
#include <stdio.h>

#define S 1000.0 /* times are in ms */
#define EPOCH_NS 1750000000000000000LL
#define NEVER 1e12
#define MSS 1448
#define RECORD 16384
#define WORDS_SHARE 0.25 /* share of the intervals after the change in which a word counts as said */

enum side { CLIENT, SERVER };
enum what { PRESS, RELEASE, REPLY, UPDATE };

/* A packet with payload, or (bytes 0) an acknowledgement. */
struct event {
	double ms, through; /* through: behind the tap, a slow link as well */
	enum side side;
	size_t at, bytes; /* in `arena` */
	bool push, again; /* again: lost behind the tap, and sent a second time */
	uint32_t seq;
};
struct key {
	double press, answer, end; /* end: of the update that shows it */
	size_t release;		   /* its event; joined: with a reply */
	bool joined;
};

static struct {
	const struct scene *s;
	uint64_t *rng;
	char protocol[16], change[16];
	bool x11, rfb, tls, ssh, at_server;
	bool anew, other;		   /* at the change a new connection begins; of another user */
	double seconds, from, until, size; /* of the change, in ms */
	double wait, scatter, correlation, trip, reply, ack_delay[2];
	double stall, each, share; /* freezes: length, time between two; of slow keys */
	double normal;		   /* state of the correlated waits */
	struct event *event;
	struct key *key;
	double *update, *end; /* begin and end of each at the tap */
	uint8_t *arena;
	struct interval_row *row;
	size_t events, keys, updates, used, room, rows;
} w;

static double uniform(double from, double to)
{
	return from + (to - from) * random_fraction(w.rng);
}

static bool has_changed(const char *how, double ms)
{
	return !strcmp(w.change, how) && ms >= w.from && ms < w.until;
}

/* Whether it is at most so long before that change; true where another or none is. */
static bool is_before(const char *how, double ms, double within)
{
	return strcmp(w.change, how) || (ms < w.from && ms >= w.from - within);
}

/* There and back between the tap and a host. */
static double way_to(enum side host, double ms)
{
	return w.at_server == (host == SERVER) ? 0.3 : w.trip + (has_changed("network", ms) ? w.size : 0);
}

/* --- bytes --- */

/* Appends `n` bytes to the arena, and zeros up to `all`; returns that. */
static size_t put(const void *bytes, size_t n, size_t all)
{
	if (w.used + all > w.room) {
		w.room = 2 * (w.used + all);
		w.arena = must_alloc(realloc(w.arena, w.room));
	}
	memcpy(w.arena + w.used, bytes, n);
	memset(w.arena + w.used + n, 0, all - n);
	w.used += all;
	return all;
}

/* Writes a message to the arena; returns how many bytes it has. `bytes`: of an update. */
static size_t put_message(enum what what, size_t bytes)
{
	/* bytes 1: a modifier */
	uint8_t down[8] = { 4, 1, [6] = bytes == 1 ? 0xff : 0, bytes == 1 ? 0xe3 : 97 }, up[8] = { 4, 0, [7] = 97 };
	static const uint8_t request[10] = { 3, 1, [6] = 4, 0, 3, 0 };
	uint8_t update[16] = { [3] = 1, [8] = (uint8_t)(bytes / 4 >> 8), (uint8_t)(bytes / 4), 0, 1 };
	size_t sealed = what == UPDATE ? bytes : what == REPLY ? (size_t)scene_number(w.s, "ack", w.rfb ? 50 : 61) : 40, all = 0;

	if (w.ssh)
		return put("\115\1", 2, bytes > 1 ? bytes : 36);
	for (size_t left = w.tls ? sealed : 0, n; left; left -= n) {
		n = left < RECORD ? left : RECORD;
		all += put((uint8_t[]){ 23, 3, 3, (uint8_t)(n >> 8), (uint8_t)n }, 5, 5 + n);
	}
	if (w.tls)
		return all;
	if (w.x11)
		return what == UPDATE ? put("\110", 1, bytes)
				      : put((uint8_t[]){ what == PRESS ? 2 : 3, bytes == 1 ? 37 : 38 }, 2, 32);
	if (!w.rfb) /* frames of a WebSocket */
		return put("\202", 1, what == UPDATE ? bytes : what == REPLY ? 16 : 14);
	switch (what) {
	case PRESS: return put(down, sizeof(down), sizeof(down));
	case RELEASE: return put(up, sizeof(up), sizeof(up));
	case REPLY: return put(request, sizeof(request), sizeof(request));
	default: return put(update, sizeof(update), sizeof(update) + bytes / 4 * 4);
	}
}

/* --- events --- */

static void add_event(struct event e)
{
	if (e.ms >= w.seconds * S)
		return;
	e.through = fmax(e.through, e.ms);
	memory_more(w.event, w.events);
	w.event[w.events++] = e;
}

/* Sends a message in segments; returns when the last one passes the tap, or what is slow behind that. */
static double send_message(double ms, enum side side, enum what what, size_t bytes)
{
	size_t n = put_message(what, bytes), mss = n > MSS ? MSS : n, at = w.used - n;
	double link = scene_number(w.s, "link", 100000), step = 8.0 * (MSS + 66) / link, through = ms;
	bool behind = scene_number(w.s, "behind", 0) > 0 && side == SERVER;

	if (has_changed("link", ms))
		step = 8.0 * (MSS + 66) / w.size;
	for (size_t i = 0; i < n; i += mss) {
		size_t part = n - i < mss ? n - i : mss;
		bool last = i + part == n;

		add_event((struct event){ .ms = ms,
					  .through = through,
					  .side = side,
					  .at = at + i,
					  .bytes = part,
					  .push = last || i / mss % 11 == 10 });
		if (last || i / mss % 2)
			add_event((struct event){ .ms = through + way_to((enum side)(1 - side), ms) +
							(i / mss % 2 ? 0.1 : w.ack_delay[1 - side]),
						  .side = (enum side)(1 - side) });
		through += last ? 0 : step;
		ms = behind ? ms : through;
	}
	return through;
}

/* By turns, the server first; each with its length before it. */
static void greet(double ms)
{
	static const char *const all[] = { "\14RFB 003.008\n",
					   "\14RFB 003.008\n",
					   "\2\1\1",
					   "\1\1",
					   "\4\0\0\0\0",
					   "\1\1",
					   "\30\4\0\3\0\40\30\0\1\0\377\0\377\0\377\20\10\0\0\0\0\0\0\0" };

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		size_t n = (size_t)all[i][0], at = w.used;

		put(all[i] + 1, n, n);
		add_event((struct event){
			.ms = ms + (double)i, .side = i % 2 ? CLIENT : SERVER, .at = at, .bytes = n, .push = true });
	}
}

/* --- the user, and the server's waits --- */

static double draw_wait(double ms)
{
	const char *law = scene_word(w.s, "law", "lognormal");

	w.normal = w.correlation * w.normal + sqrt(1 - w.correlation * w.correlation) * random_normal(w.rng);
	return (!strcmp(law, "uniform")	  ? w.wait * (0.5 + 0.5 * (1 + erf(w.normal / sqrt(2))))
		: !strcmp(law, "bimodal") ? w.normal < 0 ? 8 : 60
					  : w.wait * exp(w.scatter * w.normal)) *
		       pow(1 + scene_number(w.s, "drift", 0), ms / (60 * S)) + /* of a minute */
	       (has_changed("server", ms) ? w.size * uniform(0.8, 1.2) : 0) +
	       (has_changed("ramp", ms) ? w.size * (ms - w.from) / (3600 * S) : 0) + /* of an hour */
	       (has_changed("tail", ms) && random_fraction(w.rng) < w.share ? w.size : 0);
}

static void type_keys(void)
{
	double rate = scene_number(w.s, "rate", 4), rests = scene_number(w.s, "rests", 2) / 100,
	       dwell = scene_number(w.s, "dwell", 80);
	double ms = 1 * S, chaff = 0, next = w.from;
	const char *all = scene_word(w.s, "mods", "");
	bool holds = !strcmp(all, "hold"), shifts = !strcmp(all, "shift"), mods = shifts || !strcmp(all, "ctrl"),
	     rolls = !strcmp(all, "roll"), mixed = !strcmp(all, "mixed"); /* Ctrl, or a held key */

	while (ms < w.seconds * S - 1 * S) {
		bool repeats = (!strcmp(w.change, "held") && ms < w.from) || (has_changed("repeat", ms) && ms < w.from + 8 * S),
		     now = (mods || holds || mixed) && ms >= next;
		double gap = repeats ? 33 : S / rate * uniform(0.5, 1.5), mod_up = 0, up = dwell * uniform(0.8, 1.2);

		if (!strcmp(w.change, "repeat") && !repeats && ms >= w.from && ms < w.from + 17 * S)
			ms = w.from + 17 * S;
		if (now && mixed)
			mods = random_fraction(w.rng) < 0.5, holds = !mods;
		if (now)
			next = ms + scene_number(w.s, "often", 11) * uniform(0.7, 1.3) * S;
		if (now && mods) { /* held down before its letter, and longer */
			send_message(ms, CLIENT, PRESS, 1);
			ms += shifts ? uniform(30, 80) : uniform(200, 700);
			mod_up = up + uniform(20, 300);
			gap = fmax(gap, mod_up + uniform(50, 300));
		}
		if (now && holds)
			up = uniform(500, scene_number(w.s, "held", 1500)), gap = up + uniform(100, 400);
		up = rolls ? gap * uniform(1.05, 1.3) : repeats && !w.ssh ? 16 : up;

		/* the client keeps the connection alive */
		for (; !strcmp(w.change, "alive") && is_before("alive", ms, 3600 * S); ms += 15 * S) {
			send_message(ms, CLIENT, PRESS, 68);
			send_message(ms + way_to(SERVER, ms) + 0.2, SERVER, UPDATE, 44);
		}
		if (w.anew && fabs(ms - w.from) < S)
			ms = w.from + S;
		if (!strcmp(w.protocol, "chaff"))
			ms = chaff = ceil(fmax(ms, chaff) / 20) * 20;
		memory_more(w.key, w.keys);
		w.key[w.keys++] = (struct key){ .press = ms, .answer = NEVER };
		send_message(ms, CLIENT, PRESS, 0);
		if (!w.ssh)
			w.key[w.keys - 1].release = w.events, send_message(ms + up, CLIENT, repeats ? PRESS : RELEASE, 0);
		if (mod_up > 0)
			send_message(ms + mod_up, CLIENT, RELEASE, 1);
		if (random_fraction(w.rng) < rests)
			gap += uniform(2 * S, 9 * S);
		for (double end = ms + fmin(gap, 1.2 * S); !strcmp(w.protocol, "chaff") && chaff + 20 < end;) {
			chaff += 20;
			send_message(chaff, CLIENT, PRESS, 0);
			send_message(chaff + 0.4, SERVER, UPDATE, 28);
		}
		ms += fmax(gap, w.ssh || rolls || repeats ? 0 : up + 15);
	}
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* When the picture has changed by each key and by itself, in ascending order; returns how many. */
static size_t draw_dirty(double **all)
{
	double own = scene_number(w.s, "own", 0), still = w.stall, each = w.each;
	double stands = (strcmp(w.change, "freezes") ? 0 : w.from) + uniform(0, 2 * each);
	bool frozen = false;
	size_t n = 0;

	*all = NULL;
	for (size_t i = 0; i < w.keys; i++) {
		double at = w.key[i].press + way_to(SERVER, w.key[i].press) + draw_wait(w.key[i].press);

		while (still > 0 && at >= stands + still)
			stands += still + uniform(0, 2 * each);
		if (still > 0 && at >= stands)
			at = stands + still;
		if (!strcmp(w.change, "freeze") && at >= w.from && (!frozen || at < w.until)) { /* once, when a key is due */
			w.until += !frozen * (at - w.from);
			w.from = frozen ? w.from : at;
			frozen = true;
			at = w.until;
		}
		if (has_changed("dead", at))
			at = NEVER;
		if (has_changed("repeat", at) && i)
			at = fmax(at, w.key[i - 1].answer + 66);
		if (has_changed("next", w.key[i].press))
			at = i + 1 < w.keys ? w.key[i + 1].press + way_to(SERVER, w.key[i].press) + 1 : NEVER;
		w.key[i].answer = at = i && w.key[i - 1].answer > at ? w.key[i - 1].answer : at; /* one after the other */
		memory_more(*all, n);
		(*all)[n++] = at;
	}
	for (double ms = 0; own > 0 && (ms -= S / own * log(1 - random_fraction(w.rng))) < w.seconds * S;) {
		memory_more(*all, n);
		(*all)[n++] = has_changed("dead", ms) || !is_before("video", ms, 60 * S) ? NEVER : ms;
	}
	qsort(*all, n, sizeof(**all), compare_doubles);
	return n;
}

/* Whether the client writes its reply together with the release of a key. */
static bool join_release(double ms)
{
	double near = scene_number(w.s, "together", 0);

	for (size_t i = 0; i < w.keys && near > 0; i++) {
		struct event *e = &w.event[w.key[i].release];

		if (fabs(e->ms - ms) >= near || w.key[i].joined)
			continue;
		w.key[i].joined = true;
		e->ms = e->through = ms;
		e->bytes = put_message(RELEASE, 0);
		e->bytes += put_message(REPLY, 0);
		e->at = w.used - e->bytes;
		return true;
	}
	return false;
}

static void draw_updates(void)
{
	double *dirty, ready = 0, big = scene_number(w.s, "big", 0);
	size_t n = draw_dirty(&dirty), at = 0;

	while (at < n && dirty[at] < w.seconds * S) {
		double ms = fmax(dirty[at], ready), reply, end;
		size_t bytes = big > 0 ? (size_t)big : (size_t)uniform(60, 1200);

		while (at < n && dirty[at] <= ms)
			at++;
		end = send_message(ms, SERVER, UPDATE, bytes);
		memory_more(w.update, w.updates);
		memory_more(w.end, w.updates);
		w.update[w.updates] = ms;
		w.end[w.updates++] = end;
		ready = end;
		if (w.ssh || w.x11)
			continue;
		reply = end + way_to(CLIENT, end) + w.reply * uniform(0.7, 2) + (has_changed("client", ms) ? w.size : 0);
		for (int i = 0; i < (int)scene_number(w.s, "acks", 1); i++)
			if (i || !join_release(reply))
				send_message(reply + i * uniform(0.1, 9), CLIENT, REPLY, 0);
		ready = fmax(end, w.rfb ? reply + way_to(SERVER, reply) : ms + 16);
	}
	for (size_t i = 0, k = 0; i < w.keys; i++) { /* the first update from then on shows it; answers are in ascending order */
		while (k < w.updates && w.update[k] < w.key[i].answer - 1e-6)
			k++;
		w.key[i].answer = k < w.updates ? w.update[k] : NEVER;
		w.key[i].end = k < w.updates ? w.end[k] : NEVER;
	}
	free(dirty);
}

/* --- packets --- */

static int compare_events(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	return x->ms != y->ms ? (x->ms > y->ms) - (x->ms < y->ms) : (x->at > y->at) - (x->at < y->at);
}

static void put_u32(uint8_t *to, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		to[i] = (uint8_t)(v >> (24 - 8 * i));
}

static void send_packet(struct capture_meter *m, const struct event *e, uint32_t seq, uint32_t ack, uint8_t flags)
{
	static uint32_t number[2];
	uint32_t display = w.x11 ? 6000 : w.ssh ? 22 : w.rfb && !w.tls ? 5900 : 3389;
	bool second = w.anew && e->ms >= w.from;
	uint32_t port[2] = { 40000 + second, display };
	uint8_t frame[40 + MSS] = { [8] = 64, 6, [12] = 10, [16] = 10, [32] = 0x50, flags, 0xff, 0xff };
	size_t n = 40 + e->bytes;
	struct packet p = {
		.time_ns = EPOCH_NS + (int64_t)(e->ms * 1e6), .bytes = frame, .captured = (uint32_t)n, .original = (uint32_t)n
	};
	enum side from = e->side;

	if (w.x11)
		port[SERVER] = port[CLIENT], port[CLIENT] = display;
	put_u32(frame, 0x45000000 | (uint32_t)n);
	put_u32(frame + 4, ++number[from] << 16 | 0x4000);
	frame[15] = frame[19] = 2;
	if (scene_number(w.s, "relay", 0) > 0)
		frame[12] = frame[16] = 127;
	frame[from == CLIENT ? 15 : 19] = w.other && second ? 3 : 1;
	put_u32(frame + 20, port[from] << 16 | port[1 - from]);
	put_u32(frame + 24, seq);
	put_u32(frame + 28, ack);
	memcpy(frame + 40, w.arena + e->at, e->bytes);
	meter_add_packet(m, LINK_IPV4, &p);
}

/* Opens a connection, whose data is numbered from `seq` on, and closes the one before. */
static void open_connection(struct capture_meter *m, double ms, const uint32_t seq[static 2])
{
	enum side from = w.x11 ? SERVER : CLIENT, to = (enum side)(1 - from);

	if (ms > 1)
		send_packet(m, &(struct event){ .ms = ms - 2, .side = from }, seq[from], seq[to], TCP_FIN | TCP_ACK);
	send_packet(m, &(struct event){ .ms = ms, .side = from }, seq[from] - 1, 0, TCP_SYN);
	send_packet(m, &(struct event){ .ms = ms + way_to(to, ms), .side = to }, seq[to] - 1, seq[from], TCP_SYN | TCP_ACK);
}

/* What of the other side's data has reached this side: the newest of `sent` that passed the tap early enough. */
static uint32_t find_acked(const struct event *events, size_t from[static 2], const struct event *e)
{
	enum side other = (enum side)(1 - e->side);
	double passed = e->ms - way_to(e->side, e->ms) + 1e-6;

	static uint32_t acked[2];
	if (!from[other])
		acked[other] = 1;
	for (; from[other] < w.events && (events[from[other]].side != other || events[from[other]].through <= passed);
	     from[other]++)
		if (events[from[other]].side == other && events[from[other]].bytes && !events[from[other]].again)
			acked[other] = events[from[other]].seq + (uint32_t)events[from[other]].bytes;
	return acked[other];
}

static void send_packets(struct capture_meter *m)
{
	uint32_t next[2] = { 1, 1 }, told[2] = { 0, 0 }, sent[2] = { 1, 1 };
	bool opened[2] = { scene_number(w.s, "joined", 0) > 0 };
	size_t from[2] = { 0, 0 };

	qsort(w.event, w.events, sizeof(*w.event), compare_events);
	for (size_t i = 0, n = w.events; i < n; i++) { /* lost behind the tap: sent again */
		w.event[i].seq = next[w.event[i].side];
		next[w.event[i].side] += (uint32_t)w.event[i].bytes;
		if (has_changed("loss", w.event[i].ms) && w.event[i].bytes && w.event[i].side == (w.at_server ? SERVER : CLIENT) &&
		    random_fraction(w.rng) < 0.15) {
			struct event again = w.event[i];

			again.ms += uniform(200, 300);
			again.again = true;
			add_event(again);
		} else if (has_changed("early", w.event[i].ms) && w.event[i].bytes &&
			   w.event[i].side == (w.at_server ? CLIENT : SERVER) &&
			   random_fraction(w.rng) < 0.15) { /* lost before the tap */
			w.event[i].ms += uniform(200, 300);
			w.event[i].through = fmax(w.event[i].through, w.event[i].ms);
		}
	}
	qsort(w.event, w.events, sizeof(*w.event), compare_events);
	for (size_t i = 0; i < w.events; i++) {
		const struct event *e = &w.event[i];
		uint32_t acked = find_acked(w.event, from, e);
		bool second = w.anew && e->ms >= w.from;

		if (!opened[second])
			open_connection(m, second ? w.from + 1 : 1, sent);
		opened[second] = true;
		if (e->bytes && !e->again)
			sent[e->side] = e->seq + (uint32_t)e->bytes;
		if (!e->bytes && acked <= told[e->side])
			continue;
		told[e->side] = acked;
		send_packet(m, e, e->seq, acked, e->push ? TCP_ACK | TCP_PSH : TCP_ACK);
	}
}

/* --- what was said --- */

static void keep_row(void *context, const struct interval_row *row)
{
	(void)context;
	memory_more(w.row, w.rows);
	w.row[w.rows++] = *row;
}

static void end_interval(void *context, int64_t start_ns, int64_t length_ns, int64_t dropped, bool clock_set)
{
	(void)context, (void)start_ns, (void)length_ns, (void)dropped, (void)clock_set;
}

static void say(char said[static SCENE_SAID], const char *word)
{
	size_t n = strlen(said);
	char *blank;

	snprintf(said + n, SCENE_SAID - n, "%s%s", n ? " " : "", word);
	if ((blank = strchr(said + n + (n > 0), ' ')))
		*blank = '-';
}

/* Median of the true waits of keys whose answer began in the interval (`complete`: ended, to its end); -1: none. */
static double find_truth(double from, double to, bool complete)
{
	static double wait[4096];
	size_t n = 0;

	for (size_t i = 0; i < w.keys && n < 4096; i++) {
		double at = complete ? w.key[i].end : w.key[i].answer;

		if (at >= from && at < to)
			wait[n++] = at - w.key[i].press;
	}
	qsort(wait, n, sizeof(*wait), compare_doubles);
	return n ? wait[(n - 1) / 2] : -1;
}

static void judge_figures(char said[static SCENE_SAID])
{
	uint64_t updates = 0;
	size_t known = 0, exact = 0, outside = 0, ended = 0, ends = 0, latest = 0;

	for (size_t i = 0; i < w.rows; i++) {
		const struct interval_row *r = &w.row[i];
		double from = (double)(r->start_ns - EPOCH_NS) / 1e6, to = from + (double)r->length_ns / 1e6,
		       next = (double)r->next_p50 / 1e6;
		double truth = find_truth(from, to, false), end = find_truth(from, to, true),
		       complete = (double)r->complete_p50 / 1e6;
		double most = (double)r->latest_p50 / 1e6;

		updates += r->updates;
		if (from < 10 * S || truth < 0 || r->next_p50 < 0)
			continue;
		known++;
		exact += fabs(next - truth) <= 3 + 0.02 * truth;
		latest += r->latest_p50 >= 0 && fabs(most - truth) <= 3 + 0.02 * truth;
		outside += r->latest_p50 >= 0 && (most < 0.9 * truth - 3 || most > 1.1 * w.seconds * S);
		outside += next > 1.1 * truth + 3;
		ended += r->complete_p50 >= 0;
		ends += end >= 0 && fabs(complete - end) <= 30;
	}
	if (known && 10 * exact >= 9 * known)
		say(said, "waits-right");
	if (known && 10 * latest >= 9 * known)
		say(said, "latest-right");
	if (20 * outside > known)
		say(said, "outside");
	if (ended && 10 * ends >= 9 * ended)
		say(said, "ends-right");
	if (fabs((double)updates - (double)w.updates) <= 0.03 * (double)w.updates + 1)
		say(said, "updates-right");
}

static void judge_verdicts(char said[static SCENE_SAID])
{
	double told[VERDICTS] = { 0 }, why[WHYS] = { 0 }, n = 0, before = 0, blamed = 0;
	bool changes = *w.change, frames = false, once = !strcmp(w.change, "freeze");
	double judged_from = !changes ? 15 * S : w.from + (once ? -1 : 2) * S, judged_to = w.until + (once ? 1 * S : 0);

	for (size_t i = 0; i < w.rows; i++) {
		const struct interval_row *r = &w.row[i];
		double from = (double)(r->start_ns - EPOCH_NS) / 1e6, to = from + (double)r->length_ns / 1e6;
		bool blames = r->verdict.word >= VERDICT_NETWORK && r->verdict.word <= VERDICT_CLIENT;

		frames |= r->verdict.why == WHY_FRAMES;
		if (!changes || to <= w.from) {
			before++;
			blamed += blames;
		}
		if (from >= judged_from && to <= judged_to && r->verdict.word != VERDICT_IDLE) {
			n++;
			told[r->verdict.word]++;
			why[r->verdict.why]++;
		}
	}
	if (frames)
		say(said, "frames");
	say(said, blamed > 0.01 * before + (before < 400) ? "blamed" : "quiet");
	for (int v = VERDICT_LEARNING; v < VERDICTS && n > 0; v++)
		if (told[v] >= WORDS_SHARE * n)
			say(said, verdict_words[v]);
		else if (told[v] >= 0.1 * n && v >= VERDICT_NETWORK && v <= VERDICT_CLIENT)
			say(said, (const char *[]){ "some-network", "some-server", "some-client" }[v - VERDICT_NETWORK]);
	for (int y = WHY_CAUSE; y < WHYS; y++)
		if (n > 0 && why[y] >= WORDS_SHARE * n)
			say(said, verdict_whys[y]);
}

/* What was said of the intervals in which a key had waited for over 0.3 s, and of the others. */
static void judge_events(char said[static SCENE_SAID])
{
	double late = 0, told = 0, wrong = 0, others = 0, alarms = 0;
	size_t k = 0;

	for (size_t i = 0; i < w.rows; i++) {
		const struct interval_row *r = &w.row[i];
		double from = (double)(r->start_ns - EPOCH_NS) / 1e6, to = from + (double)r->length_ns / 1e6;
		bool has = false, waits = false, blames = r->verdict.word >= VERDICT_NETWORK && r->verdict.word <= VERDICT_CLIENT;

		while (k < w.keys && w.key[k].answer < from)
			k++;
		for (size_t n = k; n < w.keys && w.key[n].press < to; n++) {
			waits |= w.key[n].answer - w.key[n].press > 150;
			has |= w.key[n].answer < to && w.key[n].answer - w.key[n].press > 300;
		}
		if (from < w.from + 15 * S)
			continue;
		late += has;
		told += has && r->verdict.word == VERDICT_SERVER;
		wrong += blames && r->verdict.word != VERDICT_SERVER;
		others += !waits;
		alarms += !waits && blames;
	}
	say(said, late < 1 ? "no-events" : told >= 0.9 * late ? "told" : told >= 0.5 * late ? "half-told" : "silent");
	if (wrong > 0.01 * (late + others))
		say(said, "wrong-side");
	if (alarms > 0.01 * others)
		say(said, "alarms");
}

/* Reads what happens; lots for what the scene leaves open. */
static void read_scene(const struct scene *s, uint64_t *rng)
{
	void *const owned[] = { w.event, w.key, w.update, w.end, w.arena, w.row };

	for (size_t i = 0; i < sizeof(owned) / sizeof(*owned); i++)
		free(owned[i]);
	memset(&w, 0, sizeof(w));
	w.s = s;
	w.rng = rng;
	snprintf(w.protocol, sizeof(w.protocol), "%s", scene_word(s, "protocol", "rfb"));
	snprintf(w.change, sizeof(w.change), "%s", scene_word(s, "change", ""));
	w.x11 = !strcmp(w.protocol, "x11");
	w.ssh = !strcmp(w.protocol, "ssh") || !strcmp(w.protocol, "chaff");
	w.tls = !strcmp(w.protocol, "rdp") || !strcmp(w.protocol, "tls");
	w.rfb = !strcmp(w.protocol, "rfb") || !strcmp(w.protocol, "tls");
	w.seconds = scene_number(s, "seconds", 120);
	w.from = S * scene_number(s, "from", 60);
	w.from += w.from > 0 ? uniform(0, 15 * S) : 0;
	w.other = scene_number(s, "anew", 0) > 1;
	w.anew = scene_number(s, "anew", 0) > 0;
	w.until = fmin(w.from + scene_number(s, "lasts", NEVER), w.seconds * S);
	w.size = scene_number(s, "size", uniform(150, 400));
	w.wait = scene_number(s, "wait", 20);
	w.scatter = scene_number(s, "scatter", 0.3);
	w.correlation = scene_number(s, "correlation", 0);
	w.normal = random_normal(rng);
	w.at_server = random_fraction(rng) < 0.67;
	w.at_server = scene_number(s, "at_server", w.at_server) > 0;
	w.trip = uniform(2, 60);
	w.reply = uniform(0.5, 4);
	for (int i = 0; i < 2; i++)
		w.ack_delay[i] = random_fraction(rng) < 0.5 ? 0.1 : scene_number(s, "delay", 40);
	w.each = scene_number(s, "each", uniform(5 * S, 60 * S));
	w.stall = scene_number(s, "stall", strcmp(w.change, "freezes") ? 0 : uniform(0.3 * S, fmin(5 * S, w.each / 2)));
	w.share = scene_number(s, "share", uniform(2, 20)) / 100;
}

void scene_draw(const struct scene *s, uint64_t *rng, char said[static SCENE_SAID])
{
	static struct server_ports ports;
	struct capture_meter meter;
	struct intervals t = { .every_ns = (int64_t)(scene_number(s, "every", S) * 1e6),
			       .merge_ns = 10000000,
			       .period_ns = 50000000,
			       .ports = &ports,
			       .dropped = -1,
			       .row = keep_row,
			       .end = end_interval };
	struct meter_cfg cfg = { .ports = &ports,
				 .waits_max = 1000,
				 .period_ns = t.period_ns,
				 .merge_ns = t.merge_ns,
				 .watch = true,
				 .flows_max = 4,
				 .flows_shown = 1,
				 .taps = 1,
				 .tap = { { .context = &t, .packet = interval_add_packet, .data = interval_add_data } } };

	read_scene(s, rng);
	memset(&ports, 0, sizeof(ports));
	ports_parse_list(&ports, w.x11 ? "6000" : "1-5999");
	for (int i = 0; i <= w.anew && !strcmp(w.protocol, "rfb"); i++)
		greet((i ? w.from : 0) + 100);
	type_keys();
	draw_updates();
	if (meter_init(&meter, &cfg))
		die(EXIT_RUN, "no memory");
	send_packets(&meter);
	intervals_finish(&t, EPOCH_NS + (int64_t)(w.seconds * 1e9));
	meter_finish(&meter);
	judge_verdicts(said);
	judge_figures(said);
	if (w.stall > 0 || !strcmp(w.change, "tail") || *scene_word(s, "mods", ""))
		judge_events(said);
	intervals_free(&t);
	meter_free(&meter);
}
