// SPDX-License-Identifier: GPL-3.0-or-later
#include "rfb.h"
#include "bytes.h"

#define VERSION_BYTES 12

enum { SECURITY_NONE = 1, SECURITY_VNC = 2, SECURITY_TIGHT = 16 };
enum { CAPABILITY = 16 }; /* bytes in a list of TightVNC */
enum client_state { CLIENT_VERSION, CLIENT_CHOICE, CLIENT_ANSWER, CLIENT_TIGHT, CLIENT_INIT, CLIENT_MESSAGES };
enum server_state {
	SERVER_VERSION,
	SERVER_SECURITY,
	SERVER_TYPE,
	SERVER_TYPES,
	SERVER_CHOSEN,
	SERVER_TUNNELS,
	SERVER_WAYS,
	SERVER_RESULT,
	SERVER_INIT,
	SERVER_CAPABILITIES,
	SERVER_MESSAGES
};
enum { HANDSHAKE }; /* first entry of both tables */

void rfb_stream_init(struct rfb_stream *r, struct rfb_counts *sum)
{
	*r = (struct rfb_stream){
		.sum = sum, .client_walk.client = true, .client = { .want = VERSION_BYTES }, .server = { .want = VERSION_BYTES }
	};
	r->client.to = &sum->client[HANDSHAKE].bytes;
	r->server.to = &sum->server[HANDSHAKE].bytes;
	sum->client[HANDSHAKE].count++;
	sum->server[HANDSHAKE].count++;
}

static uint8_t read_version(const uint8_t *text)
{
	int version = 0;

	if (memcmp(text, "RFB ", 4) != 0 || text[7] != '.' || text[11] != '\n')
		return 0;
	for (int i = 4; i < VERSION_BYTES - 1; i++) {
		if (i != 7 && (text[i] < '0' || text[i] > '9'))
			return 0;
		version = i == 7 ? version : 10 * version + text[i] - '0';
	}
	return version >= 3008 ? 8 : version == 3007 ? 7 : 3; /* Apple's 003.889 goes on as 3.8; others are 3.3 (RFC 6143, 7.1.1) */
}

/* False: the security type is not known, or encrypts. TightVNC's asks for one of the others. */
static bool accept_security(struct rfb_stream *r, struct skip_parser *w)
{
	if (r->security == SECURITY_TIGHT && !r->tight) {
		r->tight = true;
		r->security = SECURITY_NONE;
	}
	if (r->security == SECURITY_NONE || r->security == SECURITY_VNC)
		return true;
	skip_parser_stop(w,
			 r->security ? "RFB: a security type that encrypts or is unknown" : "RFB: the security type was not seen");
	return false;
}

/* --- client --- */

static void set_pixel_format(struct rfb_stream *r, struct skip_parser *w, struct rfb_pixel_sizes format)
{
	const struct rfb_pixel_sizes *before = &r->server_walk.format;

	if (format.pixel != 1 && format.pixel != 2 && format.pixel != 4)
		skip_parser_stop(w, "RFB: an impossible pixel format");
	if (!r->changing && format.pixel == before->pixel && format.compact == before->compact)
		return;
	r->changing = true;
	r->uncertain = r->requests;
	r->format = format;
}

/* An update begins. */
static void choose_pixel_format(struct rfb_stream *r)
{
	r->requests -= r->requests > 0;
	r->server_walk.unsure = r->changing && (r->uncertain || r->continuous);
	r->uncertain -= r->uncertain > 0;
	if (!r->changing || r->server_walk.unsure)
		return;
	r->server_walk.format = r->format;
	r->changing = false;
}

static void count_message(struct rfb_stream *r, struct skip_parser *w, const uint8_t *piece, uint32_t n)
{
	uint8_t kind;

	switch (rfb_walk_step(&r->client_walk, w, piece, n)) {
	case RFB_WALK_MESSAGE:
		kind = r->client_walk.kind;
		r->requests += kind == RFB_CLIENT_REQUEST;
		r->continuous |= kind == RFB_CLIENT_CONTINUOUS;
		r->sum->client[kind].count++;
		skip_parser_set_counter(w, &r->sum->client[kind].bytes);
		break;
	case RFB_WALK_BODY:
		if (r->client_walk.kind == RFB_CLIENT_PIXEL_FORMAT)
			set_pixel_format(r, w, rfb_read_pixel_sizes(piece + 3));
		break;
	case RFB_WALK_TO_MESSAGE: skip_parser_set_counter(w, NULL); break;
	default: break;
	}
}

void rfb_step_client(void *context, struct skip_parser *w, const uint8_t *piece, uint32_t n)
{
	struct rfb_stream *r = context;

	switch (r->client_state) {
	case CLIENT_VERSION:
		r->version = read_version(piece);
		if (!r->version)
			skip_parser_stop(w, "RFB: not a protocol version");
		r->client_state = r->version == 3 ? CLIENT_ANSWER : CLIENT_CHOICE;
		skip_parser_expect(w, 0, r->version == 3 ? 0 : 1);
		break;
	case CLIENT_CHOICE:
		r->security = piece[0];
		r->client_state = CLIENT_ANSWER;
		break;
	case CLIENT_ANSWER:
		r->client_state = CLIENT_INIT;
		if (!accept_security(r, w))
			break;
		skip_parser_expect(w, r->security == SECURITY_VNC ? 16 : 0, 1);
		if (!r->tight || !r->choices)
			break;
		skip_parser_expect(w, 0, 4);
		r->client_state = CLIENT_TIGHT;
		break;
	case CLIENT_TIGHT:
		r->security = bytes_get_u32(piece);
		r->client_state = CLIENT_INIT;
		if (accept_security(r, w))
			skip_parser_expect(w, r->security == SECURITY_VNC ? 16 : 0, 1);
		break;
	case CLIENT_INIT: r->client_state = CLIENT_MESSAGES; break;
	default: count_message(r, w, piece, n);
	}
}

/* --- server --- */

/* What the server sends next, once the client has chosen its security. */
static void expect_after_choice(struct rfb_stream *r, struct skip_parser *w)
{
	bool result = r->security == SECURITY_VNC || r->version == 8;

	if (r->tight && !r->listed) {
		r->server_state = SERVER_TUNNELS;
		skip_parser_expect(w, 0, 4);
		return;
	}
	skip_parser_expect(w, r->security == SECURITY_VNC ? 16 : 0, result ? 4 : 24);
	r->server_state = result ? SERVER_RESULT : SERVER_INIT;
}

static void parse_handshake(struct rfb_stream *r, struct skip_parser *w, const uint8_t *piece)
{
	switch (r->server_state) {
	case SERVER_VERSION:
		if (!read_version(piece) && memcmp(piece, "RFB ", 4) != 0)
			skip_parser_stop(w, "RFB: not a protocol version");
		r->server_state = SERVER_SECURITY;
		break;
	case SERVER_SECURITY:
		if (!r->version)
			skip_parser_stop(w, "RFB: the client's version was not seen");
		r->server_state = r->version == 3 ? SERVER_TYPE : SERVER_TYPES;
		skip_parser_expect(w, 0, r->version == 3 ? 4 : 1);
		break;
	case SERVER_TYPE:
		r->security = bytes_get_u32(piece);
		r->server_state = SERVER_CHOSEN;
		if (!r->security)
			skip_parser_stop(w, "RFB: the server refused");
		break;
	case SERVER_TYPES:
		if (!piece[0])
			skip_parser_stop(w, "RFB: the server refused");
		r->server_state = SERVER_CHOSEN;
		skip_parser_expect(w, piece[0], 0);
		break;
	case SERVER_CHOSEN:
		if (accept_security(r, w))
			expect_after_choice(r, w);
		break;
	case SERVER_TUNNELS:
		if (bytes_get_u32(piece))
			skip_parser_stop(w, "RFB: a tunnel of TightVNC");
		r->server_state = SERVER_WAYS;
		skip_parser_expect(w, 0, 4);
		break;
	case SERVER_WAYS:
		r->listed = true;
		r->choices = bytes_get_u32(piece);
		r->server_state = SERVER_CHOSEN;
		skip_parser_expect(w, (uint64_t)r->choices * CAPABILITY, 0);
		break;
	case SERVER_RESULT:
		if (bytes_get_u32(piece))
			skip_parser_stop(w, "RFB: the server refused");
		r->server_state = SERVER_INIT;
		skip_parser_expect(w, 0, 24);
		break;
	case SERVER_CAPABILITIES:
		r->server_state = SERVER_MESSAGES;
		skip_parser_expect(
			w, CAPABILITY * ((uint64_t)bytes_get_u16(piece) + bytes_get_u16(piece + 2) + bytes_get_u16(piece + 4)), 0);
		break;
	default: /* SERVER_INIT; a pixel format that the client has set before stays */
		if (!r->server_walk.format.pixel)
			r->server_walk.format = rfb_read_pixel_sizes(piece + 4);
		r->server_state = r->tight ? SERVER_CAPABILITIES : SERVER_MESSAGES;
		skip_parser_expect(w, bytes_get_u32(piece + 20), r->tight ? 8 : 0);
	}
}

void rfb_step_server(void *context, struct skip_parser *w, const uint8_t *piece, uint32_t n)
{
	struct rfb_stream *r = context;
	struct message_tally *tally;

	if (r->server_state != SERVER_MESSAGES) {
		parse_handshake(r, w, piece);
		return;
	}
	switch (rfb_walk_step(&r->server_walk, w, piece, n)) {
	case RFB_WALK_MESSAGE:
		tally = &r->sum->server[r->server_walk.kind];
		tally->count++;
		skip_parser_set_counter(w, &tally->bytes);
		if (r->server_walk.kind == RFB_SERVER_UPDATE)
			choose_pixel_format(r);
		break;
	case RFB_WALK_RECTANGLE:
		tally = &r->sum->rectangle[r->server_walk.r.kind];
		tally->count++;
		tally->bytes += RFB_HEADER;
		w->part = &tally->bytes;
		break;
	case RFB_WALK_TO_RECTANGLE: w->part = NULL; break;
	case RFB_WALK_TO_MESSAGE: skip_parser_set_counter(w, NULL); break;
	default: break;
	}
}
