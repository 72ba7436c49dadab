// SPDX-License-Identifier: GPL-3.0-or-later
#include "interval_input.h"
#include "bytes.h"
#include "rfb/walk.h"

#include <math.h>
#include <string.h>

#define X11_XI_KEY_PRESS 2
#define X11_XI_BUTTON_PRESS 4
#define X11_XI_LEAST 12	   /* words beyond the first 32 bytes */
#define SOON_SHARE 0.8	   /* share of a kind's messages that come soon after an update, from which on the kind is no input */
#define RARE_SHARE 0.5	   /* of the time, just after updates, up to which it is no chance to be there */
#define MIXED_SHARE 0.3	   /* share from which on some messages of the kind may be acknowledgements, */
#define MIXED_EACH 2.5	   /* if there are so many of them to an update: a press, its release and another one; */
#define MIXED_LEAST 48	   /* ... of so many */
#define LATE_SHARE 0.3	   /* if so large a share of acknowledgements comes later than at once, some may be input */
#define UPDATES_SHARE 0.5  /* share of the updates that a kind of acknowledgements follows */
#define ANSWERED_SHARE 0.9 /* share of a kind's presses that an update follows, from which on the kind is responsive, */
#define ANSWERS_SHARE 0.2  /* ... and updates to a press */
#define ALONE_SHARE 0.75   /* updates to a message from which on each is a press */
#define ALONE_BACK 0.15
#define ALONE_LEARNED 480 /* messages of a kind that has releases, after which no update that moves by itself makes it another */
#define UNANSWERED_MOST 4 /* messages without an update: more in a row are no sign of releases, but of a server that stands still */
#define CLOCK_SHARE 0.5	  /* share of a kind's messages at equal distances, to CLOCK_STEADY, from which on a clock sends them */
#define CLOCK_STEADY 0.02
#define CHAFF_SHARE 0.6
#define CHAFF_LEAST 64
#define LATELY 48      /* messages over which shares are of the latest; */
#define LATELY_FIRST 8 /* ... with those seen so far and so many more at first */
#define OWN_S 120      /* of rests, over which updates are counted that no message made */
#define STEADIER 1.2

/* --- protocols that can be read --- */

/* A keysym of X11 that changes nothing by itself: Shift to Hyper, locks and levels. */
static bool is_modifier(uint32_t keysym)
{
	return (keysym >= 0xffe1 && keysym <= 0xffee) || (keysym >= 0xfe01 && keysym <= 0xfe13) || keysym == 0xff7e ||
	       keysym == 0xff7f;
}

/* The same as a keycode of evdev, which X servers on Linux use. */
static bool is_modifier_code(uint32_t code)
{
	static const uint8_t codes[] = { 37, 50, 62, 64, 66, 77, 92, 105, 108, 133, 134 };

	return code && code < 256 && memchr(codes, (int)code, sizeof(codes));
}

/* Whether keys or buttons go down; *buttons: those that are down; *is_reply: set where the viewer replies to the server: it asks
 * for the next update, or answers a fence. */
static bool find_rfb_press(struct bounded_reader *r, uint8_t *buttons, bool *is_reply)
{
	const struct rfb_kind *kind;
	bool press = false;
	uint8_t look[RFB_LOOK_MAX] = { 0 }, number;

	for (size_t at = 0; at < r->n && !r->over; at += 1u + kind->look + kind->rest + (size_t)rfb_message_rest(kind, look)) {
		number = rfb_client_kind(read_u8(r, at));
		kind = &rfb_client_kinds[number];
		read_bytes(r, at + 1, look, kind->look);
		switch (number) {
		case 0: return press;
		case RFB_CLIENT_REQUEST:
		case RFB_CLIENT_CONTINUOUS:
		case RFB_CLIENT_FENCE: *is_reply = true; break;
		case RFB_CLIENT_KEY: press |= read_u8(r, at + 1) && !is_modifier(read_be32(r, at + 4)); break;
		case RFB_CLIENT_POINTER: /* a pointer that moves with a button held says so each time */
			press |= read_u8(r, at + 1) & ~*buttons;
			*buttons = read_u8(r, at + 1);
			break;
		case RFB_CLIENT_QEMU: press |= !read_u8(r, at + 1) && read_be16(r, at + 2) && !is_modifier(read_be32(r, at + 4));
		}
	}
	return press;
}

/* In either byte order, which a capture that began later does not tell: of a small number the other reading is larger. */
static uint32_t read_x11_length(struct bounded_reader *r, size_t at)
{
	uint32_t big = read_be32(r, at), little = __builtin_bswap32(big);

	return big < little ? big : little;
}

/* A press of XInput 2, whose other events (motion, focus) are none; *of_user: an event of XInput, which is longer than those of
 * other extensions (Present). */
static bool is_generic_press(struct bounded_reader *r, size_t at, bool *of_user)
{
	uint16_t event = read_be16(r, at + 8);

	*of_user = read_x11_length(r, at + 4) >= X11_XI_LEAST;
	if (!(event & 0xff))
		event >>= 8;
	return ((event == X11_XI_KEY_PRESS && !is_modifier_code(read_x11_length(r, at + 16))) || event == X11_XI_BUTTON_PRESS) &&
	       *of_user;
}

static bool find_x11_press(struct bounded_reader *r, bool *is_reply)
{
	for (size_t at = 0; at < r->n; at += 32) {
		uint8_t type = read_u8(r, at) & 0x7f;
		bool of_user = type >= 3 && type <= 10; /* released, moved; entered, left; focus */

		if ((type == 2 && !is_modifier_code(read_u8(r, at + 1))) || type == 4 ||
		    (type == 35 && is_generic_press(r, at, &of_user))) /* a key, a button */
			return true;
		*is_reply |= !of_user && type != 2;
		if (type == 1 || type == 35) {
			size_t words = read_x11_length(r, at + 4);

			if (words > (r->n - at) / 4)
				break; /* the rest of this reply is in later segments */
			at += 4 * words;
		}
	}
	return false;
}

enum client_message input_classify_payload(enum input_protocol kind, const uint8_t *bytes, size_t n, uint8_t *buttons)
{
	struct bounded_reader r = { .bytes = bytes, .n = n };
	bool replies = false, press;

	if (kind == INTERVAL_OPAQUE || !n || (n > 1 && (bytes[0] == 22 || bytes[0] == 23) && bytes[1] == 3))
		return MESSAGE_OPAQUE; /* the last: a record of TLS */
	press = kind == INTERVAL_RFB ? find_rfb_press(&r, buttons, &replies) : find_x11_press(&r, &replies);
	return press ? MESSAGE_INPUT : replies ? MESSAGE_REPLY : MESSAGE_OTHER;
}

/* --- what can only be seen by size and time --- */

static struct opaque_kind *ensure_kind(struct opaque_client *c, uint64_t bytes, uint64_t update)
{
	struct opaque_kind *rarest = c->kind;

	for (int i = 0; i < c->kinds; i++) {
		if (c->kind[i].bytes == bytes)
			return &c->kind[i];
		if (c->kind[i].n < rarest->n)
			rarest = &c->kind[i];
	}
	if (c->kinds < OPAQUE_KINDS)
		rarest = &c->kind[c->kinds++];
	else if (rarest - c->kind == c->latest)
		c->latest = -1;
	*rarest =
		(struct opaque_kind){ .bytes = bytes, .followed = 0.5, .first = update, .updates_before = update ? update - 1 : 0 };
	return rarest;
}

uint64_t opaque_find_first(struct opaque_client *c, uint64_t bytes)
{
	struct opaque_kind *k = ensure_kind(c, bytes, c->update), *a, *b;
	uint64_t least = OPAQUE_LEAST + OPAQUE_RARER * (k->n + k->joined);

	for (a = c->kind; a < c->kind + c->kinds; a++)
		for (b = c->kind; b < c->kind + c->kinds; b++)
			if (b->follows && a->bytes + b->bytes == bytes && a->n >= least && b->n >= least) {
				k->joined++;
				return a->bytes;
			}
	return bytes;
}

/* Of a single kind nothing can be told: a key at a constant pace may come as regularly as an acknowledgement. */
static bool has_other_kind(const struct opaque_client *c, const struct opaque_kind *k)
{
	for (int i = 0; i < c->kinds; i++)
		if (&c->kind[i] != k && c->kind[i].n >= 3)
			return true;
	return false;
}

/* Of a kind's messages, at least this share. One that comes soon after the same update as another goes with that: clients may send
 * two of a size in turn (noVNC: a request and a fence). */
static double count_share(const struct opaque_kind *k, double share)
{
	return share * (double)(k->n - k->more);
}

/* Whether at least `share` of a kind's messages come soon after an update, and after most updates. */
static bool follows_updates(const struct opaque_kind *k, uint64_t updates, double share)
{
	return k->n >= OPAQUE_LEAST && (double)k->soon >= count_share(k, share) &&
	       (double)k->soon >= UPDATES_SHARE * (double)(updates - k->updates_before);
}

static bool is_responsive(const struct opaque_kind *k)
{
	return k->answers >= OPAQUE_ANSWERS && (double)k->answered >= ANSWERED_SHARE * (double)(k->presses - k->open) &&
	       (double)k->answers >= ANSWERS_SHARE * (double)(k->presses - k->open);
}

/* Whether a clock of the client sends the kind, to keep the connection alive: of a single kind, nothing can be told. */
static bool is_clocked(const struct opaque_client *c, const struct opaque_kind *k)
{
	if (k->n < OPAQUE_LEAST || k->close || (double)k->steady < CLOCK_SHARE * (double)k->n)
		return false;
	for (int i = 0; i < c->kinds; i++)
		if (c->kind[i].n >= OPAQUE_LEAST && c->kind[i].close)
			return true;
	return false;
}

/* Learns from the messages before this one what it tells of them. */
static void learn_order(struct opaque_client *c, struct opaque_kind *k, int64_t time_ns, uint64_t update)
{
	int64_t apart = time_ns - k->last_ns, off = apart - OPAQUE_CHAFF_NS;

	struct opaque_kind *before = c->latest < 0 ? k : &c->kind[c->latest];
	/* less those that the picture would have had without a message */
	double rest_s = (double)(time_ns - c->last_ns - OPAQUE_ANSWER_NS) / 1e9;
	double own = c->own / (c->own_s + 1) * (rest_s + OPAQUE_ANSWER_NS / 1e9);
	double updates = fmin(fmax((double)(update - c->update) - own, 0), 2);

	if (c->messages > 1 && rest_s > 0) {
		c->own += c->own_now - c->own * fmin(rest_s / OWN_S, 1);
		c->own_s += rest_s - c->own_s * fmin(rest_s / OWN_S, 1);
	}
	c->own_now = 0;
	c->unanswered = update > c->update ? 0 : c->unanswered + 1;
	if (c->messages > 1 && c->unanswered <= UNANSWERED_MOST)
		before->followed += (updates - before->followed) / (before->n < LATELY ? (double)before->n + LATELY_FIRST : LATELY);
	k->close += k->n > 1 && apart < OPAQUE_CLOSE_NS;
	k->steady += fabs((double)(apart - k->apart_ns)) < CLOCK_STEADY * (double)apart;
	k->apart_ns = apart;
	k->regular += ((off < 0 ? -off : off) < OPAQUE_CHAFF_NS / 10 ? 1 - k->regular : -k->regular) / LATELY;
}

/* Learns how soon after an update the message comes, and how steadily. */
static void learn_delay(struct opaque_client *c, struct opaque_kind *k, int64_t time_ns, int64_t since_update_ns, int64_t soon_ns)
{
	bool behind = c->latest >= 0 && &c->kind[c->latest] != k;
	double since_other = behind ? (double)(time_ns - c->last_ns) : k->since_other;

	k->soon += since_update_ns <= soon_ns;
	k->at_once += since_update_ns <= soon_ns - OPAQUE_SOON_NS + OPAQUE_AT_ONCE_NS;
	k->behind += behind;
	k->update_scatter += fabs((double)since_update_ns - k->since_update);
	k->other_scatter += fabs(since_other - k->since_other);
	k->since_update = (double)since_update_ns;
	k->since_other = since_other;
}

/* Whether messages that follow updates are no input; a kind that updates follow in turn may be the keys of who types quickly. What
 * comes at once may answer a few updates only, unless these are so many that one was just before any message. */
static void judge_kind(const struct opaque_client *c, struct opaque_kind *k, uint64_t update, int64_t window_ns)
{
	bool at_once = (double)k->at_once >= count_share(k, SOON_SHARE);
	double covered_ns = (double)(update - k->updates_before) * (double)window_ns;
	bool rare = at_once && k->n >= OPAQUE_LEAST && covered_ns <= RARE_SHARE * (double)(k->last_ns - k->first_ns);

	if ((!rare && !follows_updates(k, update, SOON_SHARE)) || !has_other_kind(c, k) || (!at_once && k->followed >= 0.5))
		return;
	k->follows = at_once || (double)k->behind >= count_share(k, 0.5);
	k->acknowledges = at_once || (k->follows && STEADIER * k->update_scatter < k->other_scatter);
}

/* Whether the message goes with a key that is pressed; else one that is released. */
static bool take_press(struct opaque_kind *k, int64_t time_ns)
{
	if (k->n == 1 || time_ns - k->last_ns >= OPAQUE_REST_NS || k->alone)
		k->held = 0;
	k->last_ns = time_ns;
	if (k->held > 0) {
		k->held--;
		k->doubt_ns = time_ns;
		return false;
	}
	k->held++;
	k->doubt_ns = 0;
	return true;
}

static bool count_press(struct opaque_kind *k, int64_t time_ns)
{
	k->presses++;
	if (!k->open++)
		k->open_ns = time_ns;
	return is_responsive(k);
}

enum client_message opaque_add_message(struct opaque_client *c, uint64_t bytes, int64_t time_ns, uint64_t update,
				       int64_t since_update_ns, int64_t trip_ns, bool *learned)
{
	struct opaque_kind *k = ensure_kind(c, bytes, update);
	bool followed = k->follows, alone = k->alone, late = since_update_ns > trip_ns + OPAQUE_AT_ONCE_NS;

	c->messages++;
	c->released = false;
	c->rare = ++k->n < OPAQUE_LEAST;
	k->first_ns = k->first_ns ? k->first_ns : time_ns;
	k->left += k->n <= 3 && update == k->first;
	learn_order(c, k, time_ns, update);
	if (update && k->update != update && trip_ns >= 0)
		learn_delay(c, k, time_ns, since_update_ns, trip_ns + OPAQUE_SOON_NS);
	else if (update && k->update == update)
		k->more += since_update_ns <= trip_ns + OPAQUE_SOON_NS;
	k->late += (late - k->late) / (k->n < LATELY ? (double)k->n + LATELY_FIRST : LATELY);
	k->update = c->update = update;
	c->latest = (int)(k - c->kind);
	c->last_ns = time_ns;
	if (!k->follows || !k->acknowledges)
		judge_kind(c, k, update, trip_ns + OPAQUE_AT_ONCE_NS);
	if (k->once_alone || k->n < ALONE_LEARNED)
		k->alone = k->followed >= (alone ? ALONE_SHARE - ALONE_BACK : ALONE_SHARE);
	k->once_alone |= k->alone && k->n >= LATELY;
	*learned = k->follows ? !followed : k->alone != alone;
	if (k->follows) {
		k->last_ns = time_ns;
		c->doubtful |= k->late >= LATE_SHARE || !opaque_main_kind(c);
		return k->acknowledges ? MESSAGE_REPLY : MESSAGE_OTHER;
	}
	if (!take_press(k, time_ns) || is_clocked(c, k)) {
		c->released = is_responsive(k) && !is_clocked(c, k);
		return MESSAGE_OTHER;
	}
	/* while all come at once after updates, they may be the client's own */
	return count_press(k, time_ns) && k->at_once < k->n ? MESSAGE_INPUT : MESSAGE_OPAQUE;
}

int64_t opaque_add_update(struct opaque_client *c, int64_t time_ns, int64_t usual_ns, bool late)
{
	struct opaque_kind *doubtful = NULL;
	bool pressed = false;
	int64_t press_ns;

	c->own_now += time_ns - c->last_ns >= OPAQUE_ANSWER_NS;
	for (int i = 0; i < c->kinds; i++) {
		pressed |= c->kind[i].open > 0;
		if (c->kind[i].doubt_ns && time_ns - c->kind[i].doubt_ns <= usual_ns && !c->kind[i].follows)
			doubtful = &c->kind[i];
	}
	if ((pressed && !late) || !doubtful || c->latest != doubtful - c->kind)
		doubtful = NULL;
	press_ns = doubtful ? doubtful->doubt_ns : 0;
	if (doubtful) {
		doubtful->held = late ? 1 : doubtful->held + 2; /* presses and releases had been mixed up, or two keys are held */
		count_press(doubtful, press_ns);
	}
	for (int i = 0; i < c->kinds; i++) {
		struct opaque_kind *k = &c->kind[i];

		if (k->open && time_ns - k->open_ns <= OPAQUE_ANSWER_NS) {
			k->answered += k->open;
			k->answers++;
		} else if (k->open && is_responsive(k)) {
			k->presses -= k->open - 1; /* the server stopped: they count as one */
		}
		k->open = 0;
		k->doubt_ns = 0;
	}
	return press_ns;
}

const struct opaque_kind *opaque_main_kind(const struct opaque_client *c)
{
	const struct opaque_kind *most = NULL;

	for (int i = 0; i < c->kinds; i++)
		if (!c->kind[i].follows && c->kind[i].n >= OPAQUE_LEAST && (!most || c->kind[i].n > most->n))
			most = &c->kind[i];
	return most;
}

enum opaque_state opaque_judge(const struct opaque_client *c, uint64_t updates)
{
	bool acknowledges = false, mixed = false, told = false;

	for (int i = 0; i < c->kinds; i++) {
		const struct opaque_kind *k = &c->kind[i];

		if (k->n >= CHAFF_LEAST && k->regular >= CHAFF_SHARE && k->followed >= 0.5)
			return OPAQUE_CHAFF;
		acknowledges |= k->acknowledges;
		mixed |= !k->follows && k->n >= MIXED_LEAST && (double)k->at_once >= count_share(k, MIXED_SHARE) &&
			 (double)k->n >= MIXED_EACH * (double)(updates - k->updates_before);
		told |= k->n >= OPAQUE_LEAST;
	}
	/* Where one kind acknowledges, no other does. */
	return acknowledges || (told && !mixed) ? OPAQUE_TOLD : mixed ? OPAQUE_MIXED : OPAQUE_LEARNING;
}
