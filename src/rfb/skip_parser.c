// SPDX-License-Identifier: GPL-3.0-or-later
#include "skip_parser.h"

#include <string.h>

static void add_bytes(struct skip_parser *w, uint64_t n)
{
	if (w->to)
		*w->to += n;
	else
		w->unclaimed += n;
	if (w->part)
		*w->part += n;
}

void skip_parser_set_counter(struct skip_parser *w, uint64_t *to)
{
	w->to = to;
	w->part = NULL;
	if (!to)
		return;
	*to += w->unclaimed;
	w->unclaimed = 0;
}

void skip_parser_stop(struct skip_parser *w, const char *why)
{
	if (w->stopped)
		return;
	w->stopped = why;
	w->undecoded += w->unclaimed;
	w->unclaimed = 0;
}

void skip_parser_feed(struct skip_parser *w, const uint8_t *bytes, uint32_t captured, uint32_t length, skip_parser_step *step,
		      void *context)
{
	uint32_t at = 0, n;

	while (at < length && !w->stopped) {
		if (w->skip) {
			n = w->skip < length - at ? (uint32_t)w->skip : length - at;
			if (w->passed && at < captured)
				w->passed(context, bytes + at, n < captured - at ? n : captured - at);
			w->skip -= n;
			add_bytes(w, n);
			at += n;
			continue;
		}
		if (!w->want) {
			step(context, w, w->piece, 0);
			if (!w->skip && !w->want)
				skip_parser_stop(w, "cannot go on");
			continue;
		}
		n = w->want - w->have < length - at ? w->want - w->have : length - at;
		if (w->want > SKIP_PARSER_PIECE || at + n > captured) {
			skip_parser_stop(w, "packets were not kept whole");
			break;
		}
		memcpy(w->piece + w->have, bytes + at, n);
		w->have += n;
		at += n;
		add_bytes(w, n);
		if (w->have == w->want) {
			n = w->want;
			w->have = w->want = 0;
			step(context, w, w->piece, n);
		}
	}
	w->undecoded += length - at;
}
