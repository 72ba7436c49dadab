// SPDX-License-Identifier: GPL-3.0-or-later
/* vncplay_fuzz - whatever vncplay reads: logs through the decoder and the analyzer, what a server
 * says in pieces, side files, traces.
 *
 * Input: one byte that chooses, and what is to be read. LOG: a log, whose inputs are always the
 * same; it is analysed beside itself, by both methods. STREAM: a byte with the format of pixels
 * (bytes a pixel, less one; 128: with a colour map), and what comes after ServerInit on a screen of
 * 70 x 36: as a whole and in pieces, which must come to the same. SIDE, TRACE: such a file. With
 * 128 in the first byte a screen may be as large as the program takes: it is slow. */
#include "../unit/vncplay/rfb_between.h"
#include "vncplay/analyze/analyze.h"
#include "vncplay/common/rfb.h"
#include "vncplay/common/trace.h"
#include "why.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LOG, STREAM, SIDE, TRACE, KINDS };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool large; /* screens of any size */

int __real_screen_resize(struct screen *s, int width, int height);
int __wrap_screen_resize(struct screen *s, int width, int height);
int __wrap_screen_resize(struct screen *s, int width, int height)
{
	return !large && width > 0 && height > 0 && (int64_t)width * height > 128 * 64 ? -EINVAL
										       : __real_screen_resize(s, width, height);
}

struct file { /* in memory, with a name */
	int fd;
	char path[32];
};

/* Fills a file, which stays open from input to input. */
static void set_file(struct file *f, const void *data, size_t size)
{
	if (!*f->path) {
		f->fd = memfd_create("fuzz", 0);
		snprintf(f->path, sizeof(f->path), "/proc/self/fd/%d", f->fd);
	}
	if (ftruncate(f->fd, (off_t)size) || pwrite(f->fd, data, size, 0) != (ssize_t)size)
		abort();
}

static struct file given; /* the input */

/* What was sent is known, whatever the log says. */
static const char sent[] =
	"# vncplay-aux 1\nSync ok at 990\ninput 0 move at 500000 line=1 late_us=0 x=1 y=2\n"
	"input 1 press at 1100000 line=2 late_us=0 x=1 y=2 button=1\n"
	"input 2 release at 1200000 line=3 late_us=0 x=1 y=2 button=1\ninput 3 keydown at 1900000 line=4 late_us=0 keysym=0x61\n"
	"Sync ok at 2400\ninput 4 press at 2500000 line=2 late_us=0 x=1 y=2 button=1\nrun end at 6000000 status=complete\n";

static void fuzz_log(const uint8_t *data, size_t size)
{
	static struct file side;
	struct replay run[2] = { { .file = given.path, .aux = side.path, .label = "run" } };
	struct responses answers = { 0 };
	struct analysis_result study = { 0 };
	const struct method_2005_cfg cfg = METHOD_2005_DEFAULTS;
	struct frame_matches paper = { 0 };
	struct why why;

	set_file(&given, data, size);
	if (!*side.path)
		set_file(&side, sent, sizeof(sent) - 1);
	if (!replay_read(&run[0])) {
		run[1] = run[0];
		analyze_replays(run, 2, &study);
		for (size_t i = 0; i < study.responses.n; i++)
			if (study.responses.item[i].confidence < 0 || study.responses.item[i].confidence > 1)
				abort();
		analysis_result_free(&study);
		if (run[0].width <= 2000 && run[0].height <= 2000 && !method_2005_find(&cfg, run, 2, &paper, &why)) {
			method_2005_make_responses(run, 2, &paper, &answers);
			responses_free(&answers);
			method_2005_free(&paper);
		}
	}
	replay_free(&run[0]);
}

static void on_painted(void *whose, struct pixel_area b)
{
	const struct rfb_decoder *r = *(struct rfb_decoder **)whose;

	if (b.w < 1 || b.h < 1 || b.x < 0 || b.y < 0 || b.x + b.w > rfb_state(r)->screen.width ||
	    b.y + b.h > rfb_state(r)->screen.height)
		abort();
}

static void fuzz_stream(const uint8_t *data, size_t size)
{
	static const struct rfb_format formats[] = {
		{ .bits = 8, .depth = 8, .true_colour = 1, .max = { 7, 7, 3 }, .shift = { 0, 3, 6 } },
		{ 16, 16, .big_endian = 1, .true_colour = 1, .max = { 31, 63, 31 }, .shift = { 11, 5, 0 } },
		{ .bits = 8, .depth = 8 },
	};
	static const struct rfb_event_callbacks events = { .painted = on_painted };
	const struct rfb_format *f = data[0] & 128 ? &formats[2] : data[0] & 2 ? &rfb_xrgb : &formats[data[0] & 1];
	struct rfb_decoder *whole, *pieces;
	const struct screen *a, *b;
	size_t most = (data[0] >> 2 & 31u) * (data[0] >> 2 & 31u) + 1, now;
	int at_once, by_pieces = 0;

	data++;
	size--;
	whole = rfb_decoder_open(&events, &whole, f, 70, 36);
	pieces = rfb_decoder_open(&events, &pieces, f, 70, 36);
	if (!whole || !pieces)
		abort();
	at_once = rfb_decode_bytes(whole, data, size);
	for (size_t at = 0; at < size && !by_pieces; at += now) {
		uint8_t *piece;

		now = size - at < most ? size - at : most;
		piece = malloc(now); /* of its exact size: a read beyond is seen */
		if (!piece)
			abort();
		memcpy(piece, data + at, now);
		by_pieces = rfb_decode_bytes(pieces, piece, now);
		free(piece);
	}
	if (at_once != by_pieces)
		abort();
	/* (of two things that are wrong, pieces may show another one first) */
	a = &rfb_state(whole)->screen;
	b = &rfb_state(pieces)->screen;
	if (!at_once && (rfb_between(whole) != rfb_between(pieces) || a->width != b->width || a->height != b->height ||
			 memcmp(a->pixels, b->pixels, (size_t)a->width * (size_t)a->height * sizeof(uint32_t)) != 0))
		abort();
	rfb_decoder_free(whole);
	rfb_decoder_free(pieces);
}

static void fuzz_side(const uint8_t *data, size_t size)
{
	FILE *in = fmemopen((void *)(uintptr_t)data, size, "r");
	struct sent_inputs inputs;
	struct stimulus *stimuli;
	size_t n;

	if (!in)
		return;
	if (!sent_inputs_read(in, &inputs)) {
		stimuli = stimuli_make(&inputs, &n);
		for (size_t i = 0; stimuli && i < n; i++)
			if (stimuli[i].press_us < 0 || (i && stimuli[i].press_us < stimuli[i - 1].press_us))
				abort();
		free(stimuli);
	}
	sent_inputs_free(&inputs);
	fclose(in);
}

static void fuzz_trace(const uint8_t *data, size_t size)
{
	struct input_trace t;
	struct why why;

	set_file(&given, data, size);
	if (!trace_load(given.path, &t, &why)) {
		for (int i = 0; i < t.n; i++)
			if (t.events[i].at_ns < 0 || (i && t.events[i].at_ns < t.events[i - 1].at_ns) ||
			    (t.events[i].kind == TRACE_SNAPSHOT &&
			     (!t.events[i].pixels || t.events[i].box.w < 1 || t.events[i].box.h < 1)))
				abort();
		trace_free(&t);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 3)
		return 0;
	large = data[0] & 128;
	switch ((data[0] & 127) % KINDS) {
	case LOG: fuzz_log(data + 1, size - 1); break;
	case STREAM: fuzz_stream(data + 1, size - 1); break;
	case SIDE: fuzz_side(data + 1, size - 1); break;
	case TRACE: fuzz_trace(data + 1, size - 1); break;
	}
	return 0;
}
