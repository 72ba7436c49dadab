// SPDX-License-Identifier: GPL-3.0-or-later
#include "rfb.h"
#include "reader.h"

#define VERSION_BYTES 12

enum { SECURITY_NONE = 1, SECURITY_VNC = 2 };
enum client_state { CLIENT_VERSION, CLIENT_SECURITY, CLIENT_CHOICE, CLIENT_ANSWER, CLIENT_INIT, CLIENT_MESSAGE, CLIENT_BODY };
enum server_state { SERVER_VERSION, SERVER_SECURITY, SERVER_TYPE, SERVER_TYPES, SERVER_CHOSEN, SERVER_RESULT, SERVER_INIT,
		    SERVER_MESSAGE, SERVER_BODY, SERVER_RECTANGLE, SERVER_PIXELS };
enum { HANDSHAKE };	/* first entry of both tables */

const struct rfb_message_or_rectangle_kind rfb_client_kinds[RFB_CLIENT_KINDS] = {
	{ "handshake", -1, 0, 0 }, { "SetPixelFormat", 0, 19, 0 }, { "SetEncodings", 2, 3, 0 }, { "FramebufferUpdateRequest", 3, 0, 9 },
	{ "KeyEvent", 4, 0, 7 }, { "PointerEvent", 5, 0, 5 }, { "ClientCutText", 6, 7, 0 }, { "EnableContinuousUpdates", 150, 0, 9 },
	{ "ClientFence", 248, 8, 0 }, { "xvp", 250, 0, 3 }, { "SetDesktopSize", 251, 7, 0 }, { "gii", 253, 3, 0 }, { "QEMU", 255, 3, 0 },
};
enum { SET_PIXEL_FORMAT = 1, SET_ENCODINGS, UPDATE_REQUEST, KEY_EVENT, POINTER_EVENT, CLIENT_CUT,
       CONTINUOUS, CLIENT_FENCE, CLIENT_XVP, DESKTOP_SIZE, CLIENT_GII, CLIENT_QEMU };

const struct rfb_message_or_rectangle_kind rfb_server_kinds[RFB_SERVER_KINDS] = {
	{ "handshake", -1, 0, 0 }, { "FramebufferUpdate", 0, 3, 0 }, { "SetColourMapEntries", 1, 5, 0 }, { "Bell", 2, 0, 0 },
	{ "ServerCutText", 3, 7, 0 }, { "ResizeFrameBuffer", 4, 0, 5 }, { "EndOfContinuousUpdates", 150, 0, 0 },
	{ "ServerFence", 248, 8, 0 }, { "xvp", 250, 0, 3 }, { "gii", 253, 3, 0 }, { "QEMU", 255, 3, 0 },
};
enum { SERVER_UPDATE = 1, SERVER_COLOURS, SERVER_BELL, SERVER_CUT, SERVER_RESIZE, SERVER_END_OF_CONTINUOUS, SERVER_FENCE,
       SERVER_XVP, SERVER_GII, SERVER_QEMU };

void rfb_stream_decoder_init(struct rfb_stream_decoder *r, struct rfb_message_counts *sum)
{
	*r = (struct rfb_stream_decoder){ .sum = sum, .client = { .want = VERSION_BYTES }, .server = { .want = VERSION_BYTES } };
	r->client.to = &sum->client[HANDSHAKE].bytes;
	r->server.to = &sum->server[HANDSHAKE].bytes;
	sum->client[HANDSHAKE].count++;
	sum->server[HANDSHAKE].count++;
}

/* Finds and counts a message's kind, and expects the bytes after its type. 0: unknown; the parser stops. */
static uint8_t rfb_begin_message(struct skip_parser *w, const struct rfb_message_or_rectangle_kind *kinds, uint8_t n,
				 struct message_tally *tally,
				 uint8_t type)
{
	for (uint8_t kind = 1; kind < n; kind++) {
		if (kinds[kind].type != type)
			continue;
		tally[kind].count++;
		skip_parser_set_counter(w, &tally[kind].bytes);
		skip_parser_expect(w, kinds[kind].rest, kinds[kind].look);
		return kind;
	}
	skip_parser_stop(w, kinds == rfb_client_kinds ? "RFB: a client message of unknown type" : "RFB: a server message of unknown type");
	return 0;
}

/* Length of a clipboard text; negative for the extended clipboard, with the same absolute value. */
static uint64_t rfb_clipboard_length(const uint8_t *at)
{
	struct bounded_reader r = { .bytes = at, .n = 4 };
	int64_t n = (int32_t)read_be32(&r, 0);

	return (uint64_t)(n < 0 ? -n : n);
}

/* The highest bit of the first byte tells the byte order of the next two. */
static uint64_t rfb_gii_length(const uint8_t *p)
{
	return p[0] & 0x80 ? (uint64_t)p[1] << 8 | p[2] : (uint64_t)p[2] << 8 | p[1];
}

static struct rfb_pixel_sizes rfb_pixel_sizes_of(const uint8_t *at)
{
	struct bounded_reader r = { .bytes = at, .n = 16 };
	uint8_t bytes = (uint8_t)(read_u8(&r, 0) / 8);
	bool packs = bytes == 4 && read_u8(&r, 1) == 24 && read_u8(&r, 3) && read_be16(&r, 4) == 255 &&
		read_be16(&r, 6) == 255 && read_be16(&r, 8) == 255;

	return (struct rfb_pixel_sizes){ bytes, packs ? 3 : bytes };
}

static uint8_t rfb_version_of(const uint8_t *text)
{
	uint8_t minor;

	if (memcmp(text, "RFB 003.00", 10) != 0 || text[11] != '\n')
		return 0;
	minor = (uint8_t)(text[10] - '0');
	return minor == 7 || minor == 8 ? minor : 3;	/* all other versions count as 3.3 (RFC 6143, 7.1.1) */
}

/* --- client --- */

static uint64_t rfb_client_message_rest_bytes(struct rfb_stream_decoder *r, struct skip_parser *w, const uint8_t *p)
{
	struct bounded_reader in = { .bytes = p, .n = 19 };
	struct rfb_pixel_sizes format;

	switch (r->client_kind) {
	case SET_PIXEL_FORMAT:
		format = rfb_pixel_sizes_of(p + 3);
		if (format.pixel != 1 && format.pixel != 2 && format.pixel != 4)
			skip_parser_stop(w, "RFB: an impossible pixel format");
		/* The pixel format of updates that were requested earlier is not known. */
		if (r->requested && (format.pixel != r->format.pixel || format.compact != r->format.compact))
			r->unsure = true;
		r->format = format;
		return 0;
	case SET_ENCODINGS: return 4ull * read_be16(&in, 1);
	case CLIENT_CUT: return rfb_clipboard_length(p + 3);
	case CLIENT_FENCE: return p[7];
	case DESKTOP_SIZE: return 16ull * p[5];
	case CLIENT_GII: return rfb_gii_length(p);
	default:	/* QEMU: a key with its scan code, or an audio format */
		return p[0] == 0 ? 8 : p[0] == 1 && p[2] == 2 ? 6 : 0;
	}
}

static void rfb_begin_client_message(struct rfb_stream_decoder *r, struct skip_parser *w, uint8_t type)
{
	uint8_t kind = rfb_begin_message(w, rfb_client_kinds, RFB_CLIENT_KINDS, r->sum->client, type);

	r->requested |= kind == UPDATE_REQUEST || kind == CONTINUOUS;
	r->client_kind = kind;
	r->client_state = rfb_client_kinds[kind].look ? CLIENT_BODY : CLIENT_MESSAGE;
}

static void rfb_expect_client_auth_response(struct rfb_stream_decoder *r, struct skip_parser *w)
{
	if (r->security != SECURITY_NONE && r->security != SECURITY_VNC)
		skip_parser_stop(w, r->security ? "RFB: a security type that encrypts or is unknown" : "RFB: the security type was not seen");
	else if (r->security == SECURITY_NONE)
		skip_parser_expect(w, 0, 1);
	else
		skip_parser_expect(w, 16, 1);
	r->client_state = CLIENT_INIT;
}

void rfb_parse_client_piece(void *context, struct skip_parser *w, const uint8_t *piece, uint32_t n)
{
	struct rfb_stream_decoder *r = context;

	switch (r->client_state) {
	case CLIENT_VERSION:
		r->version = rfb_version_of(piece);
		if (!r->version)
			skip_parser_stop(w, "RFB: not a protocol version");
		r->client_state = r->version == 3 ? CLIENT_ANSWER : CLIENT_CHOICE;
		skip_parser_expect(w, 0, r->version == 3 ? 0 : 1);
		break;
	case CLIENT_CHOICE:
		r->security = piece[0];
		r->client_state = CLIENT_ANSWER;
		break;
	case CLIENT_ANSWER: rfb_expect_client_auth_response(r, w); break;
	case CLIENT_INIT: r->client_state = CLIENT_MESSAGE; break;
	case CLIENT_BODY:
		r->client_state = CLIENT_MESSAGE;
		skip_parser_expect(w, rfb_client_message_rest_bytes(r, w, piece), 0);
		break;
	default:
		if (n) {
			rfb_begin_client_message(r, w, piece[0]);
			break;
		}
		skip_parser_set_counter(w, NULL);
		skip_parser_expect(w, 0, 1);
	}
}

/* --- server --- */

static void rfb_begin_server_message(struct rfb_stream_decoder *r, struct skip_parser *w, uint8_t type)
{
	r->server_kind = rfb_begin_message(w, rfb_server_kinds, RFB_SERVER_KINDS, r->sum->server, type);
	r->server_state = rfb_server_kinds[r->server_kind].look ? SERVER_BODY : SERVER_MESSAGE;
}

static void rfb_parse_server_message_body(struct rfb_stream_decoder *r, struct skip_parser *w, const uint8_t *p)
{
	struct bounded_reader in = { .bytes = p, .n = 8 };

	r->server_state = SERVER_MESSAGE;
	switch (r->server_kind) {
	case SERVER_UPDATE:
		r->rectangles = read_be16(&in, 1);
		r->server_state = SERVER_RECTANGLE;
		skip_parser_expect(w, 0, 0);
		break;
	case SERVER_COLOURS: skip_parser_expect(w, 6ull * read_be16(&in, 3), 0); break;
	case SERVER_CUT: skip_parser_expect(w, rfb_clipboard_length(p + 3), 0); break;
	case SERVER_FENCE: skip_parser_expect(w, p[7], 0); break;
	case SERVER_GII: skip_parser_expect(w, rfb_gii_length(p), 0); break;
	default:	/* QEMU */
		if (p[0] != 1 || p[2] > 1)
			skip_parser_stop(w, "RFB: QEMU audio");
	}
}

/* Expects what follows a rectangle or an update's header: a rectangle, or the next message. */
static void rfb_expect_next_server_item(struct rfb_stream_decoder *r, struct skip_parser *w)
{
	w->part = NULL;
	if (r->server_state == SERVER_RECTANGLE && r->rectangles) {
		r->rectangles--;
		skip_parser_expect(w, 0, RFB_HEADER);
		return;
	}
	r->server_state = SERVER_MESSAGE;
	skip_parser_set_counter(w, NULL);
	skip_parser_expect(w, 0, 1);
}

static void rfb_parse_server_rectangle(struct rfb_stream_decoder *r, struct skip_parser *w, const uint8_t *piece)
{
	bool over = r->server_state == SERVER_RECTANGLE ? rfb_rectangle_parse_header(r, w, piece) : rfb_rectangle_parse_piece(r, w, piece);

	r->server_state = over ? SERVER_RECTANGLE : SERVER_PIXELS;
	if (over && !w->skip && !w->stopped)
		rfb_expect_next_server_item(r, w);
}

static void rfb_expect_security_types(struct rfb_stream_decoder *r, struct skip_parser *w)
{
	if (!r->version)
		skip_parser_stop(w, "RFB: the client's version was not seen");
	r->server_state = r->version == 3 ? SERVER_TYPE : SERVER_TYPES;
	skip_parser_expect(w, 0, r->version == 3 ? 4 : 1);
}

static void rfb_expect_after_security_choice(struct rfb_stream_decoder *r, struct skip_parser *w)
{
	bool vnc = r->security == SECURITY_VNC, result = vnc || r->version == 8;

	if (!vnc && r->security != SECURITY_NONE)
		skip_parser_stop(w, r->security ? "RFB: a security type that encrypts or is unknown" : "RFB: the security type was not seen");
	r->server_state = result ? SERVER_RESULT : SERVER_INIT;
	skip_parser_expect(w, vnc ? 16 : 0, result ? 4 : 24);
}

static void rfb_parse_server_handshake(struct rfb_stream_decoder *r, struct skip_parser *w, const uint8_t *piece)
{
	struct bounded_reader in = { .bytes = piece, .n = 24 };

	switch (r->server_state) {
	case SERVER_VERSION:
		if (!rfb_version_of(piece) && memcmp(piece, "RFB ", 4) != 0)
			skip_parser_stop(w, "RFB: not a protocol version");
		r->server_state = SERVER_SECURITY;
		break;
	case SERVER_SECURITY:
		rfb_expect_security_types(r, w);
		break;
	case SERVER_TYPE:
		r->security = read_be32(&in, 0);
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
		rfb_expect_after_security_choice(r, w);
		break;
	case SERVER_RESULT:
		if (read_be32(&in, 0))
			skip_parser_stop(w, "RFB: the server refused");
		r->server_state = SERVER_INIT;
		skip_parser_expect(w, 0, 24);
		break;
	default:	/* SERVER_INIT; a pixel format that the client has set before stays */
		if (!r->format.pixel)
			r->format = rfb_pixel_sizes_of(piece + 4);
		r->server_state = SERVER_MESSAGE;
		skip_parser_expect(w, read_be32(&in, 20), 0);
	}
}

void rfb_parse_server_piece(void *context, struct skip_parser *w, const uint8_t *piece, uint32_t n)
{
	struct rfb_stream_decoder *r = context;

	if (r->server_state <= SERVER_INIT)
		rfb_parse_server_handshake(r, w, piece);
	else if (r->server_state == SERVER_BODY)
		rfb_parse_server_message_body(r, w, piece);
	else if (r->server_state == SERVER_PIXELS || (r->server_state == SERVER_RECTANGLE && n))
		rfb_parse_server_rectangle(r, w, piece);
	else if (n)
		rfb_begin_server_message(r, w, piece[0]);
	else
		rfb_expect_next_server_item(r, w);
}
