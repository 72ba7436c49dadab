// SPDX-License-Identifier: GPL-3.0-or-later
#include "interval_input.h"
#include "rfb/bytes.h"
#include "rfb/walk.h"

#include <string.h>

#define X11_XI_KEY_PRESS 2
#define X11_XI_BUTTON_PRESS 4
#define X11_XI_LEAST 12 /* words beyond the first 32 bytes */
#define SOON_SHARE 0.8	/* share of a kind's messages that come soon after an update, from which on the kind is acknowledgements */
#define MIXED_SHARE 0.3 /* share from which on some messages of the kind may be acknowledgements */
#define UPDATES_SHARE 0.5  /* share of the updates that a kind of acknowledgements follows */
#define ANSWERED_SHARE 0.9 /* share of a kind's presses that an update follows, from which on the kind is responsive */

/* --- protocols that can be read --- */

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
		case RFB_CLIENT_KEY: press |= read_u8(r, at + 1) != 0; break;
		case RFB_CLIENT_POINTER: /* a pointer that moves with a button held says so each time */
			press |= read_u8(r, at + 1) & ~*buttons;
			*buttons = read_u8(r, at + 1);
			break;
		case RFB_CLIENT_QEMU: press |= !read_u8(r, at + 1) && read_be16(r, at + 2);
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

/* A press of XInput 2, whose other events (motion, focus) and those of other extensions (Present) are none. */
static bool is_generic_press(struct bounded_reader *r, size_t at)
{
	uint16_t event = read_be16(r, at + 8);

	if (!(event & 0xff))
		event >>= 8;
	return (event == X11_XI_KEY_PRESS || event == X11_XI_BUTTON_PRESS) && read_x11_length(r, at + 4) >= X11_XI_LEAST;
}

static bool find_x11_press(struct bounded_reader *r)
{
	for (size_t at = 0; at < r->n; at += 32) {
		uint8_t type = read_u8(r, at) & 0x7f;

		if (type == 2 || type == 4 || (type == 35 && is_generic_press(r, at))) /* a key, a button */
			return true;
		if (type == 1 || type == 35)
			at += 4 * (size_t)read_x11_length(r, at + 4);
	}
	return false;
}

enum client_message input_classify_payload(enum input_protocol kind, const uint8_t *bytes, size_t n, uint8_t *buttons)
{
	struct bounded_reader r = { .bytes = bytes, .n = n };
	bool replies = kind == INTERVAL_X11, press;

	if (kind == INTERVAL_OPAQUE || !n || (n > 1 && (bytes[0] == 22 || bytes[0] == 23) && bytes[1] == 3))
		return MESSAGE_OPAQUE; /* the last: a record of TLS */
	press = kind == INTERVAL_RFB ? find_rfb_press(&r, buttons, &replies) : find_x11_press(&r);
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
	*rarest = (struct opaque_kind){ .bytes = bytes, .updates_before = update ? update - 1 : 0 };
	return rarest;
}

/* Of a single kind nothing can be told: a key at a constant pace may come as regularly as an acknowledgement. */
static bool has_other_kind(const struct opaque_client *c, const struct opaque_kind *k)
{
	for (int i = 0; i < c->kinds; i++)
		if (&c->kind[i] != k && c->kind[i].n >= 3)
			return true;
	return false;
}

/* Whether at least `share` of a kind's messages come soon after an update, and after most updates. */
static bool follows_updates(const struct opaque_kind *k, uint64_t updates, double share)
{
	return k->n >= OPAQUE_LEAST && (double)k->soon >= share * (double)k->n &&
	       (double)k->soon >= UPDATES_SHARE * (double)(updates - k->updates_before);
}

static bool is_responsive(const struct opaque_kind *k)
{
	return k->answers >= OPAQUE_ANSWERS && (double)k->answered >= ANSWERED_SHARE * (double)(k->presses - k->open);
}

enum client_message opaque_add_message(struct opaque_client *c, uint64_t bytes, int64_t time_ns, uint64_t update,
				       int64_t since_update_ns, int64_t trip_ns, bool *learned)
{
	struct opaque_kind *k = ensure_kind(c, bytes, update);

	*learned = false;
	c->messages++;
	k->n++;
	k->soon += update && k->update != update && trip_ns >= 0 && since_update_ns <= trip_ns + OPAQUE_SOON_NS;
	k->update = update;
	if (!k->acknowledges && follows_updates(k, update, SOON_SHARE) && has_other_kind(c, k))
		*learned = k->acknowledges = true;
	if (k->acknowledges)
		return MESSAGE_REPLY;
	k->pressed = !k->pressed || time_ns - k->last_ns >= OPAQUE_REST_NS;
	k->last_ns = time_ns;
	if (!k->pressed)
		return MESSAGE_OPAQUE;
	k->presses++;
	if (!k->open++)
		k->open_ns = time_ns;
	return is_responsive(k) ? MESSAGE_INPUT : MESSAGE_OPAQUE;
}

void opaque_add_update(struct opaque_client *c, int64_t time_ns)
{
	for (int i = 0; i < c->kinds; i++) {
		struct opaque_kind *k = &c->kind[i];

		if (k->open && time_ns - k->open_ns <= OPAQUE_ANSWER_NS) {
			k->answered += k->open;
			k->answers++;
		} else if (k->open && time_ns - k->open_ns >= OPAQUE_STOP_NS && is_responsive(k)) {
			k->presses -= k->open - 1;
		}
		k->open = 0;
	}
}

enum opaque_state opaque_judge(const struct opaque_client *c, uint64_t updates)
{
	bool acknowledges = false, mixed = false, told = false;

	for (int i = 0; i < c->kinds; i++) {
		const struct opaque_kind *k = &c->kind[i];

		acknowledges |= k->acknowledges;
		mixed |= follows_updates(k, updates, MIXED_SHARE);
		told |= k->n >= OPAQUE_LEAST;
	}
	/* Where one kind acknowledges, no other does. */
	return acknowledges || (told && !mixed) ? OPAQUE_TOLD : mixed ? OPAQUE_MIXED : OPAQUE_LEARNING;
}
