// SPDX-License-Identifier: GPL-3.0-or-later
/* rfb_tight - Tight: one colour, JPEG, or pixels through a filter (none, a palette, a gradient) and one of four zlib streams.
 * The community's RFB specification, section "Tight Encoding"; NoZlib as in libvncserver. */
#include "rfb_inside.h"

#include <errno.h>
#include <setjmp.h>
#include <stdio.h> /* for jpeglib.h */
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

enum { EXPLICIT_FILTER = 4, FILL = 8, JPEG = 9, NO_ZLIB = 10 };
enum { COPY, PALETTE, GRADIENT };
#define COMPRESSED_LEAST 12 /* bytes: a shorter body is not compressed */

static ssize_t decode_tight_fill(struct rfb_decoder *r, const uint8_t *in, size_t n UNUSED)
{
	rfb_fill_box(r, r->box, pixel_decode(r->pixel, in));
	rfb_end_rectangle(r);
	return (ssize_t)r->pixel->bytes;
}

/* Reads a compact length: 1 to 3 bytes of 7, 7 and 8 bits, lowest first. Returns the bytes consumed; 0: incomplete. */
static size_t read_compact_length(const uint8_t *in, size_t n, uint32_t *length)
{
	*length = 0;
	for (size_t i = 0; i < n && i < 3; i++) {
		*length |= (uint32_t)(i < 2 ? in[i] & 127 : in[i]) << 7 * i;
		if (i == 2 || !(in[i] & 128))
			return i + 1;
	}
	return 0;
}

static ssize_t decode_palette_indices(struct rfb_decoder *r, const uint8_t *in, size_t n)
{
	size_t used = 0;

	for (; used < n && !rfb_area_is_full(r); used++) {
		if (in[used] >= r->colours)
			return rfb_fail(r, "the server sent a colour outside of the palette");
		rfb_paint_run(r, r->palette[in[used]], 1);
	}
	if (rfb_area_is_full(r))
		rfb_end_body(r);
	return (ssize_t)used;
}

static ssize_t decode_two_colour_bits(struct rfb_decoder *r, const uint8_t *in, size_t n)
{
	size_t used = 0;

	for (; used < n && !rfb_area_is_full(r); used++)
		for (int bit = 7, left = r->area.w - r->x; bit >= 0 && left; bit--, left--) /* (each row begins with a new byte) */
			rfb_paint_run(r, r->palette[in[used] >> bit & 1], 1);
	if (rfb_area_is_full(r))
		rfb_end_body(r);
	return (ssize_t)used;
}

/* Each colour is the difference from left + above - above left. r->above has the present row before x, and the row above from
 * x on. */
static ssize_t decode_gradient_pixels(struct rfb_decoder *r, const uint8_t *in, size_t n)
{
	const struct pixel_layout *p = r->pixel;
	size_t used = 0;

	for (; !rfb_area_is_full(r) && n - used >= p->bytes; used += p->bytes) {
		unsigned parts[3], *above = r->above[r->x];
		const unsigned *left = r->x ? r->above[r->x - 1] : (const unsigned[3]){ 0 };

		if (!r->x)
			memset(r->corner, 0, sizeof(r->corner));
		pixel_get_parts(p, in + used, parts);
		for (int i = 0; i < 3; i++) {
			int guess = (int)left[i] + (int)above[i] - (int)r->corner[i];

			guess = guess < 0 ? 0 : guess > p->max[i] ? p->max[i] : guess;
			parts[i] = (parts[i] + (unsigned)guess) & p->max[i];
			r->corner[i] = above[i];
			above[i] = parts[i];
		}
		rfb_paint_run(r, pixel_join_parts(p, parts), 1);
	}
	if (rfb_area_is_full(r))
		rfb_end_body(r);
	return (ssize_t)used;
}

static ssize_t decode_tight_body_length(struct rfb_decoder *r, const uint8_t *in, size_t n)
{
	uint32_t bytes;
	size_t used = read_compact_length(in, n, &bytes);
	int err;

	if (!used) {
		r->wire.need = n + 1;
		return 0;
	}
	err = rfb_begin_body(r, bytes, (r->mask & NO_ZLIB) == NO_ZLIB ? STREAM_NONE : r->mask & 3);
	return err ? err : (ssize_t)used;
}

static int begin_tight_body(struct rfb_decoder *r, rfb_step *step, size_t need, size_t row)
{
	uint64_t bytes = (uint64_t)row * (uint64_t)r->box.h;

	rfb_set_next_step(&r->body, rfb_area_is_full(r) ? NULL : step, need);
	if (bytes < COMPRESSED_LEAST)
		return rfb_begin_body(r, bytes, STREAM_NONE);
	rfb_set_next_step(&r->wire, decode_tight_body_length, 1);
	return 0;
}

static ssize_t decode_palette_colours(struct rfb_decoder *r, const uint8_t *in, size_t n UNUSED)
{
	size_t bytes = r->pixel->bytes, w = (size_t)r->box.w;
	int err;

	for (int i = 0; i < r->colours; i++)
		r->palette[i] = pixel_decode(r->pixel, in + (size_t)i * bytes);
	err = r->colours == 2 ? begin_tight_body(r, decode_two_colour_bits, 1, (w + 7) / 8)
			      : begin_tight_body(r, decode_palette_indices, 1, w);
	return err ? err : (ssize_t)((size_t)r->colours * bytes);
}

static ssize_t decode_tight_palette_size(struct rfb_decoder *r, const uint8_t *in, size_t n UNUSED)
{
	r->colours = in[0] + 1;
	rfb_set_next_step(&r->wire, decode_palette_colours, (size_t)r->colours * r->pixel->bytes);
	return 1;
}

static int begin_tight_gradient(struct rfb_decoder *r)
{
	if (!r->pixels.format.true_colour || r->pixel->kind == PIXEL_BYTE)
		return rfb_fail(r, "the server sent a Tight gradient for a format without gradients");
	if (r->box.w > r->above_room) {
		free(r->above);
		r->above = calloc((size_t)r->box.w, sizeof(*r->above));
		r->above_room = r->above ? r->box.w : 0;
		if (!r->above)
			return -ENOMEM;
	} else if (r->box.w) {
		memset(r->above, 0, (size_t)r->box.w * sizeof(*r->above));
	}
	return begin_tight_body(r, decode_gradient_pixels, r->pixel->bytes, (size_t)r->box.w * r->pixel->bytes);
}

static ssize_t decode_tight_filter_type(struct rfb_decoder *r, const uint8_t *in, size_t n UNUSED)
{
	int err = 0;

	switch (in[0]) {
	case COPY: err = begin_tight_body(r, rfb_decode_raw_body, r->pixel->bytes, (size_t)r->box.w * r->pixel->bytes); break;
	case PALETTE: rfb_set_next_step(&r->wire, decode_tight_palette_size, 1); break;
	case GRADIENT: err = begin_tight_gradient(r); break;
	default: err = rfb_fail(r, "the server sent an unknown Tight filter");
	}
	return err ? err : 1;
}

struct jpeg_decoder {
	struct jpeg_error_mgr errors; /* first member: libjpeg passes a pointer to it */
	struct jpeg_decompress_struct jpeg;
	jmp_buf out;
	uint8_t *row;
	bool whole;
};

static void give_up_jpeg(j_common_ptr jpeg)
{
	longjmp(((struct jpeg_decoder *)jpeg->err)->out, 1);
}

/* A warning means damaged data, for which libjpeg would paint a guess: that would look like a change of the screen. */
static void on_jpeg_message(j_common_ptr jpeg, int level)
{
	if (level < 0)
		give_up_jpeg(jpeg);
}

static void ignore_jpeg_message(j_common_ptr jpeg)
{
	(void)jpeg;
}

static void decode_jpeg(struct jpeg_decoder *d, struct screen *s, struct box box, const uint8_t *bytes, size_t n)
{
	jpeg_create_decompress(&d->jpeg);
	jpeg_mem_src(&d->jpeg, (uint8_t *)(uintptr_t)bytes, (unsigned long)n);
	jpeg_read_header(&d->jpeg, TRUE);
	/* (a progressive picture would cost the work of a whole picture for a few bytes) */
	if (d->jpeg.image_width != (unsigned)box.w || d->jpeg.image_height != (unsigned)box.h || jpeg_has_multiple_scans(&d->jpeg))
		give_up_jpeg((j_common_ptr)&d->jpeg);
	d->jpeg.out_color_space = JCS_RGB;
	jpeg_start_decompress(&d->jpeg);
	if (d->jpeg.output_components != 3)
		give_up_jpeg((j_common_ptr)&d->jpeg);
	d->row = malloc((size_t)box.w * 3);
	if (!d->row)
		give_up_jpeg((j_common_ptr)&d->jpeg);
	for (int y = 0; y < box.h; y++) {
		uint32_t *to = s->pixels + (size_t)(box.y + y) * (size_t)s->width + (size_t)box.x;
		const uint8_t *from = d->row;

		if (jpeg_read_scanlines(&d->jpeg, &d->row, 1) != 1)
			give_up_jpeg((j_common_ptr)&d->jpeg);
		for (int x = 0; x < box.w; x++, from += 3)
			to[x] = (uint32_t)from[0] << 16 | (uint32_t)from[1] << 8 | from[2];
	}
	jpeg_finish_decompress(&d->jpeg);
}

static bool paint_jpeg(struct screen *s, struct box box, const uint8_t *bytes, size_t n)
{
	struct jpeg_decoder *const d = calloc(1, sizeof(*d)); /* on the heap: longjmp does not restore it */
	bool whole;

	if (!d)
		return false;
	d->jpeg.err = jpeg_std_error(&d->errors);
	d->errors.error_exit = give_up_jpeg;
	d->errors.emit_message = on_jpeg_message;
	d->errors.output_message = ignore_jpeg_message;
	if (!setjmp(d->out)) {
		decode_jpeg(d, s, box, bytes, n);
		d->whole = true;
	}
	whole = d->whole;
	jpeg_destroy_decompress(&d->jpeg);
	free(d->row);
	free(d);
	return whole;
}

/* Memory grows with the bytes received, not with the length announced. */
static int append_jpeg_bytes(struct rfb_decoder *r, const uint8_t *in, size_t n)
{
	if (r->jpeg_n + n > r->jpeg_room) {
		size_t room = 2 * (r->jpeg_n + n);
		uint8_t *more = realloc(r->jpeg, room);

		if (!more)
			return -ENOMEM;
		r->jpeg = more;
		r->jpeg_room = room;
	}
	memcpy(r->jpeg + r->jpeg_n, in, n);
	r->jpeg_n += n;
	return 0;
}

static ssize_t decode_tight_jpeg_bytes(struct rfb_decoder *r, const uint8_t *in, size_t n)
{
	size_t now = n < r->left ? n : (size_t)r->left;
	const uint8_t *whole = in;
	size_t whole_n = now;

	if (r->jpeg_n || now < r->left) {
		int err = append_jpeg_bytes(r, in, now);

		if (err)
			return err;
		whole = r->jpeg;
		whole_n = r->jpeg_n;
	}
	r->left -= now;
	if (r->left)
		return (ssize_t)now;
	if (!paint_jpeg(&r->screen, r->box, whole, whole_n))
		return rfb_fail(r, "the server sent a JPEG picture that is damaged or of another size");
	r->jpeg_n = 0;
	rfb_end_rectangle(r);
	return (ssize_t)now;
}

static ssize_t decode_tight_jpeg_length(struct rfb_decoder *r, const uint8_t *in, size_t n)
{
	uint32_t bytes;
	size_t used = read_compact_length(in, n, &bytes);

	if (!used) {
		r->wire.need = n + 1;
		return 0;
	}
	if (!bytes || !r->box.w || !r->box.h)
		return rfb_fail(r, "the server sent a JPEG picture without pixels");
	r->left = bytes;
	rfb_set_next_step(&r->wire, decode_tight_jpeg_bytes, 1);
	return (ssize_t)used;
}

ssize_t rfb_begin_tight_rectangle(struct rfb_decoder *r, const uint8_t *in, size_t n UNUSED)
{
	int err;

	r->pixel = &r->pixels.tight;
	r->mask = in[0] >> 4;
	for (int i = 0; i < 4; i++)
		if (in[0] >> i & 1)
			rfb_zlib_reset(r, i);
	if (r->mask == FILL) {
		rfb_set_next_step(&r->wire, decode_tight_fill, r->pixel->bytes);
	} else if (r->mask == JPEG) {
		rfb_set_next_step(&r->wire, decode_tight_jpeg_length, 1);
	} else if (r->mask > JPEG && (r->mask & NO_ZLIB) != NO_ZLIB) {
		return rfb_fail(r, "the server sent a Tight rectangle of an unknown kind");
	} else if (r->mask & EXPLICIT_FILTER) {
		rfb_set_next_step(&r->wire, decode_tight_filter_type, 1);
	} else {
		err = begin_tight_body(r, rfb_decode_raw_body, r->pixel->bytes, (size_t)r->box.w * r->pixel->bytes);
		if (err)
			return err;
	}
	return 1;
}
