// SPDX-License-Identifier: GPL-3.0-or-later
#include "rfb.h"
#include "rfb/bytes.h"

#define VERSION_BYTES 12

enum { SECURITY_NONE = 1, SECURITY_VNC = 2 };
enum client_state { CLIENT_VERSION, CLIENT_CHOICE, CLIENT_ANSWER, CLIENT_INIT, CLIENT_MESSAGES };
enum server_state {
	SERVER_VERSION,
	SERVER_SECURITY,
	SERVER_TYPE,
	SERVER_TYPES,
	SERVER_CHOSEN,
	SERVER_RESULT,
	SERVER_INIT,
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
	uint8_t minor;

	if (memcmp(text, "RFB 003.00", 10) != 0 || text[11] != '\n')
		return 0;
	minor = (uint8_t)(text[10] - '0');
	return minor == 7 || minor == 8 ? minor : 3; /* all other versions count as 3.3 (RFC 6143, 7.1.1) */
}

/* False: the security type is not known, or encrypts. */
static bool accept_security(const struct rfb_stream *r, struct skip_parser *w)
{
	if (r->security == SECURITY_NONE || r->security == SECURITY_VNC)
		return true;
	skip_parser_stop(w,
			 r->security ? "RFB: a security type that encrypts or is unknown" : "RFB: the security type was not seen");
	return false;
}

/* --- client --- */

/* The pixel format of updates that were requested before it is not known. */
static void set_pixel_format(struct rfb_stream *r, struct skip_parser *w, struct rfb_pixel_sizes format)
{
	const struct rfb_pixel_sizes *before = &r->server_walk.format;

	if (format.pixel != 1 && format.pixel != 2 && format.pixel != 4)
		skip_parser_stop(w, "RFB: an impossible pixel format");
	if (r->requested && (format.pixel != before->pixel || format.compact != before->compact))
		r->server_walk.unsure = true;
	r->server_walk.format = format;
}

static void count_message(struct rfb_stream *r, struct skip_parser *w, const uint8_t *piece, uint32_t n)
{
	uint8_t kind;

	switch (rfb_walk_step(&r->client_walk, w, piece, n)) {
	case RFB_WALK_MESSAGE:
		kind = r->client_walk.kind;
		r->requested |= kind == RFB_CLIENT_REQUEST || kind == RFB_CLIENT_CONTINUOUS;
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
		if (accept_security(r, w))
			skip_parser_expect(w, r->security == SECURITY_VNC ? 16 : 0, 1);
		r->client_state = CLIENT_INIT;
		break;
	case CLIENT_INIT: r->client_state = CLIENT_MESSAGES; break;
	default: count_message(r, w, piece, n);
	}
}

/* --- server --- */

static void parse_handshake(struct rfb_stream *r, struct skip_parser *w, const uint8_t *piece)
{
	bool result;

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
		r->security = rfb_get_u32(piece);
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
		result = r->security == SECURITY_VNC || r->version == 8;
		if (accept_security(r, w))
			skip_parser_expect(w, r->security == SECURITY_VNC ? 16 : 0, result ? 4 : 24);
		r->server_state = result ? SERVER_RESULT : SERVER_INIT;
		break;
	case SERVER_RESULT:
		if (rfb_get_u32(piece))
			skip_parser_stop(w, "RFB: the server refused");
		r->server_state = SERVER_INIT;
		skip_parser_expect(w, 0, 24);
		break;
	default: /* SERVER_INIT; a pixel format that the client has set before stays */
		if (!r->server_walk.format.pixel)
			r->server_walk.format = rfb_read_pixel_sizes(piece + 4);
		r->server_state = SERVER_MESSAGES;
		skip_parser_expect(w, rfb_get_u32(piece + 20), 0);
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
