// SPDX-License-Identifier: GPL-3.0-or-later
#include "payload.h"
#include "memory.h"

struct flow_decoder {
	struct payload_totals *all;
	struct flow *flow;
	uint8_t kind; /* enum payload_kind */
	bool is_tls[CHANNELS];
	uint32_t seal;
	struct tls_parser tls[CHANNELS];
	uint64_t undecoded;
	const char *why;
	void *decoder;			      /* owned; struct rfb_stream or x11_stream, by `kind` */
	struct skip_parser *parser[CHANNELS]; /* of the decoder; NULL: there is none */
	skip_parser_step *step[CHANNELS];
};

static const char began_before[] = "the connection began before the capture";

void payload_totals_init(struct payload_totals *all, int decode)
{
	*all = (struct payload_totals){ .decode = decode, .rfb = memory_new(1, sizeof(*all->rfb)) };
	if (decode)
		all->x11 = x11_alloc_counts();
}

void payload_totals_free(struct payload_totals *all)
{
	free(all->rfb);
	free(all->x11);
	all->rfb = NULL;
	all->x11 = NULL;
}

/* --- which protocol --- */

/* Channel `c` has shown the protocol: with RFB it is the server's, with X11 the application's. */
static void detect_protocol(struct flow_decoder *o, int c, const uint8_t *bytes, uint32_t captured)
{
	struct payload_totals *all = o->all;
	uint32_t n = captured < 4 ? captured : 4;
	struct rfb_stream *rfb;
	struct x11_stream *x11;

	o->kind = PAYLOAD_OTHER;
	if (all->decode != DECODE_X11 && n && !memcmp(bytes, "RFB ", n)) {
		o->decoder = rfb = memory_new(1, sizeof(*rfb));
		rfb_stream_init(rfb, all->rfb);
		o->kind = PAYLOAD_RFB;
		o->parser[c] = &rfb->server;
		o->step[c] = rfb_step_server;
		o->parser[1 - c] = &rfb->client;
		o->step[1 - c] = rfb_step_client;
	} else if (all->x11 && all->decode != DECODE_RFB && n == 4 &&
		   (!memcmp(bytes, "l\0\v", 3) || !memcmp(bytes, "B\0\0\v", 4))) {
		o->decoder = x11 = all->x11_open < PAYLOAD_X11_MAX ? x11_alloc_stream(all->x11) : NULL;
		if (!x11) {
			o->why = "too many X11 connections at one time";
			return;
		}
		all->x11_open++;
		o->kind = PAYLOAD_X11;
		o->parser[c] = &x11->client;
		o->step[c] = x11_step_client;
		o->parser[1 - c] = &x11->server;
		o->step[1 - c] = x11_step_server;
	} else {
		o->why = "begins as no protocol that is decoded";
	}
}

/* --- bytes in order --- */

static void decode_messages(struct flow_decoder *o, int c, const uint8_t *bytes, uint32_t captured, uint32_t length)
{
	if (o->kind == PAYLOAD_UNDECIDED)
		detect_protocol(o, c, bytes, captured);
	if (o->parser[c])
		skip_parser_feed(o->parser[c], bytes, captured, length, o->step[c], o->decoder);
	else
		o->undecoded += length;
}

/* Whether TLS begins with this segment; the search ends after TLS_LOOK bytes. */
static bool detect_tls(struct flow *f, int c, const uint8_t *bytes, uint32_t captured)
{
	bool midway = !f->begun[INPUT] && !f->begun[DISPLAY];

	bool starts = !f->tls_sought[c] && tls_is_start(bytes, captured, midway);

	f->tls_sought[c] |= starts || f->count[c].payload_bytes > TLS_LOOK;
	return starts;
}

static void begin_tls(struct flow_decoder *o, int c, const uint8_t *bytes, uint32_t captured)
{
	uint16_t cipher = tls_server_hello_cipher(bytes, captured);
	bool least = false;

	o->is_tls[c] = true;
	o->all->tls[c].streams++;
	if (!cipher)
		return;
	o->seal = tls_cipher_overhead(cipher, &least);
	o->all->tls_least |= least;
}

static void stop_decoding(struct flow_decoder *o, int c)
{
	if (o->is_tls[c])
		tls_stop(&o->tls[c], &o->all->tls[c]);
	if (o->parser[c])
		skip_parser_stop(o->parser[c], "bytes are missing in the capture");
	else if (o->all->decode && o->kind == PAYLOAD_UNDECIDED)
		o->kind = PAYLOAD_OTHER, o->why = "bytes are missing in the capture";
}

static void decode_ordered(void *context, int c, const uint8_t *bytes, uint32_t captured, uint32_t length)
{
	struct flow_decoder *o = context;

	if (!length) {
		stop_decoding(o, c);
		return;
	}
	if (o->all->decode || o->kind != PAYLOAD_OTHER)
		decode_messages(o, c, bytes, captured, length);
	if (!o->is_tls[c] && detect_tls(o->flow, c, bytes, captured))
		begin_tls(o, c, bytes, captured);
	if (o->is_tls[c])
		tls_count_records(&o->tls[c], &o->all->tls[c], o->seal, bytes, captured, length);
}

/* --- connections --- */

static struct flow_decoder *begin_decoder(struct payload_totals *all, struct flow *f)
{
	struct flow_decoder *o = memory_new(1, sizeof(*o));

	o->all = all;
	o->flow = f;
	f->content = o;
	for (int c = 0; c < CHANNELS; c++) {
		f->stream[c].listen = decode_ordered;
		f->stream[c].listener = o;
		f->stream[c].channel = c;
	}
	return o;
}

/* RFB and X11 need the start of both directions; TLS may begin later, at the start of a segment. */
void payload_seek_protocol(struct payload_totals *all, struct flow *f, int c, const struct stream_segment *s)
{
	struct flow_decoder *o;
	uint64_t before;

	if (f->content || (f->tls_sought[INPUT] && f->tls_sought[DISPLAY]))
		return;
	before = f->count[INPUT].payload_bytes + f->count[DISPLAY].payload_bytes;
	if (f->begun[INPUT] && f->begun[DISPLAY] && !before &&
	    (all->decode || (s->captured >= 4 && !memcmp(s->payload, "RFB ", 4)))) {
		begin_decoder(all, f);
		return;
	}
	if ((f->stream[c].known && (uint32_t)f->stream[c].next != s->seq) || !detect_tls(f, c, s->payload, s->captured))
		return;
	o = begin_decoder(all, f);
	o->kind = PAYLOAD_OTHER;
	o->why = began_before;
	o->undecoded = before;
	begin_tls(o, c, s->payload, s->captured);
}

static void count_stop(struct payload_totals *all, const char *why)
{
	int i = 0;

	while (i < all->stops && strcmp(all->stop[i].why, why) != 0)
		i++;
	if (i == PAYLOAD_STOPS)
		return;
	if (i == all->stops)
		all->stop[all->stops++] = (struct decode_stop){ .why = why };
	all->stop[i].streams++;
}

static void end_decoder(struct payload_totals *all, struct flow_decoder *o)
{
	all->connections[o->kind]++;
	all->undecoded[o->kind] += o->undecoded;
	if (o->why)
		count_stop(all, o->why);
	for (int c = 0; c < CHANNELS; c++) {
		const struct skip_parser *w = o->parser[c];

		if (!w)
			continue;
		all->undecoded[o->kind] += w->undecoded + w->unclaimed;
		if (w->stopped)
			count_stop(all, w->stopped);
	}
	all->x11_open -= o->kind == PAYLOAD_X11;
	free(o->decoder);
}

void payload_end_flow(struct payload_totals *all, struct flow *f)
{
	struct flow_decoder *o = f->content;
	uint64_t payload = f->count[INPUT].payload_bytes + f->count[DISPLAY].payload_bytes;

	if (all->decode && !o && payload && f->key.transport == TRANSPORT_TCP) {
		all->connections[PAYLOAD_OTHER]++;
		all->undecoded[PAYLOAD_OTHER] += payload;
		count_stop(all, began_before);
	} else if (o && (all->decode || o->decoder)) {
		end_decoder(all, o);
	}
	free(o);
	f->content = NULL;
}

int payload_in_message(const struct flow *f, int c)
{
	const struct flow_decoder *o = f->content;
	const struct rfb_stream *rfb;

	if (o && o->kind == PAYLOAD_RFB && o->step[c] == rfb_step_server && !o->parser[c]->stopped) {
		rfb = o->decoder;
		return rfb->server_walk.format.pixel ? rfb_walk_in_message(&rfb->server_walk, &rfb->server) : -1;
	}
	return o && o->is_tls[c] && !o->tls[c].over && (o->tls[c].left || o->tls[c].have) ? 1 : -1;
}

uint64_t payload_tls_overhead(const struct payload_totals *all)
{
	uint64_t bytes = 0;

	for (int c = 0; c < CHANNELS; c++)
		bytes += all->tls[c].records * TLS_HEADER + all->tls[c].seal_bytes;
	return bytes;
}
