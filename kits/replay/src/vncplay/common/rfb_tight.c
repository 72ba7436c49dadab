// SPDX-License-Identifier: GPL-3.0-or-later
/* rfb_tight - Tight: one colour, JPEG, or pixels through a filter (none, a palette, a gradient) and one of four zlib streams.
 * The community's RFB specification, section "Tight Encoding"; NoZlib as in libvncserver. */
#include "rfb_inside.h"

#include <errno.h>
#include <setjmp.h>
#include <stdio.h> /* for jpeglib.h */
#include <stdlib.h>

#include <jpeglib.h>

enum { EXPLICIT_FILTER = 4, FILL = 8, JPEG = 9, NO_ZLIB = 10 };
enum { COPY, PALETTE, GRADIENT };
#define COMPRESSED_LEAST 12 /* bytes: a shorter body is not compressed */

/* Skips a compact length: 1 to 3 bytes, of which the first two have a bit that says whether another one follows. */
static struct byte_range skip_compact_length(struct byte_range body)
{
	return rfb_skip_bytes(body, !(body.at[0] & 128) ? 1 : !(body.at[1] & 128) ? 2 : 3);
}

static int paint_palette_indices(struct rfb_decoder *r, const uint8_t *in, const uint32_t *palette, int colours)
{
	struct pixel_area b = r->box;

	for (int y = b.y; y < b.y + b.h; y++) {
		uint32_t *to = rfb_pixel_at(r, b.x, y);

		for (int x = 0; x < b.w; x++, to++) {
			int index = colours == 2 ? in[x / 8] >> (7 - x % 8) & 1 : in[x];

			if (index >= colours)
				return rfb_fail(r, "the server sent a colour outside of the palette");
			*to = palette[index];
		}
		in += colours == 2 ? (b.w + 7) / 8 : b.w; /* (each row begins with a new byte) */
	}
	return 0;
}

/* Each colour is the difference from left + above - above left. */
static int paint_gradient(struct rfb_decoder *r, const uint8_t *in)
{
	const struct pixel_layout *p = &r->pixels.tight;
	struct pixel_area b = r->box;
	/* the present row before x, and the row above from x on: red, green, blue */
	unsigned(*above)[3] = calloc((size_t)b.w, sizeof(*above));

	if (!above)
		return -ENOMEM;
	for (int y = b.y; y < b.y + b.h; y++) {
		unsigned left[3] = { 0 }, corner[3] = { 0 }, parts[3];

		for (int x = 0; x < b.w; x++, in += p->bytes) {
			pixel_get_parts(p, in, parts);
			for (int i = 0; i < 3; i++) {
				int guess = (int)left[i] + (int)above[x][i] - (int)corner[i];

				guess = guess < 0 ? 0 : guess > p->max[i] ? p->max[i] : guess;
				corner[i] = above[x][i];
				left[i] = above[x][i] = (parts[i] + (unsigned)guess) & p->max[i];
			}
			*rfb_pixel_at(r, b.x + x, y) = pixel_parts_to_rgb(p, left);
		}
	}
	free(above);
	return 0;
}

struct jpeg_decoder {
	struct jpeg_error_mgr errors; /* first member: libjpeg passes a pointer to it */
	struct jpeg_decompress_struct jpeg;
	jmp_buf out;
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

static void decode_jpeg(struct jpeg_decoder *d, struct rfb_decoder *r, struct byte_range body)
{
	struct jpeg_decompress_struct *jpeg = &d->jpeg;
	struct pixel_area b = r->box;

	jpeg_create_decompress(jpeg);
	jpeg_mem_src(jpeg, (uint8_t *)(uintptr_t)body.at, (unsigned long)body.n);
	jpeg_read_header(jpeg, TRUE);
	/* (a progressive picture would cost the work of a whole picture for a few bytes) */
	if (jpeg->image_width != (unsigned)b.w || jpeg->image_height != (unsigned)b.h || jpeg_has_multiple_scans(jpeg))
		give_up_jpeg((j_common_ptr)jpeg);
	jpeg->out_color_space = JCS_EXT_BGRX;
	jpeg_start_decompress(jpeg);
	for (int y = b.y; y < b.y + b.h; y++) {
		uint32_t *to = rfb_pixel_at(r, b.x, y);

		if (jpeg_read_scanlines(jpeg, &(JSAMPROW){ (JSAMPROW)to }, 1) != 1)
			give_up_jpeg((j_common_ptr)jpeg);
		pixel_mask_row(to, (size_t)b.w);
	}
	jpeg_finish_decompress(jpeg);
	d->whole = true;
}

static int paint_jpeg(struct rfb_decoder *r, struct byte_range body)
{
	struct jpeg_decoder *const d = calloc(1, sizeof(*d)); /* on the heap: longjmp does not restore it */
	bool whole;

	if (!d)
		return -ENOMEM;
	d->jpeg.err = jpeg_std_error(&d->errors);
	d->errors.error_exit = give_up_jpeg;
	d->errors.emit_message = on_jpeg_message;
	d->errors.output_message = ignore_jpeg_message;
	if (!setjmp(d->out))
		decode_jpeg(d, r, body);
	whole = d->whole;
	jpeg_destroy_decompress(&d->jpeg);
	free(d);
	return whole ? 0 : rfb_fail(r, "the server sent a JPEG picture that is damaged or of another size");
}

int rfb_paint_tight(struct rfb_decoder *r, struct byte_range body)
{
	const struct pixel_layout *pixel = &r->pixels.tight;
	size_t w = (size_t)r->box.w, row = w * pixel->bytes, size;
	int kind = *body.at >> 4, filter = COPY, colours = 0, err = 0;
	uint32_t palette[256];

	for (int i = 0; i < TIGHT_STREAMS; i++)
		if (*body.at >> i & 1 && r->streams[i].state)
			inflateReset(&r->streams[i]);
	body = rfb_skip_bytes(body, 1);
	if (kind == FILL) {
		rfb_fill_box(r, r->box, pixel_decode(pixel, body.at));
		return 0;
	}
	if (kind == JPEG)
		return paint_jpeg(r, skip_compact_length(body));
	if (kind & EXPLICIT_FILTER) {
		filter = *body.at;
		body = rfb_skip_bytes(body, 1);
	}
	if (filter == GRADIENT && (!r->pixels.format.true_colour || pixel->bytes == 1))
		return rfb_fail(r, "the server sent a Tight gradient for a format without gradients");
	if (filter == PALETTE) {
		colours = *body.at + 1;
		pixel_decode_row(pixel, palette, body.at + 1, (size_t)colours);
		body = rfb_skip_bytes(body, 1 + (size_t)colours * pixel->bytes);
		row = colours == 2 ? (w + 7) / 8 : w;
	}
	size = row * (size_t)r->box.h;
	if (size >= COMPRESSED_LEAST) {
		body = skip_compact_length(body);
		if ((kind & NO_ZLIB) != NO_ZLIB)
			err = rfb_inflate(r, kind & 3, body, size, &body);
		if (!err)
			err = rfb_check_size(r, body.n, size);
	}
	if (err)
		return err;
	if (filter == PALETTE)
		return paint_palette_indices(r, body.at, palette, colours);
	if (filter == GRADIENT)
		return paint_gradient(r, body.at);
	rfb_paint_pixels(r, r->box, pixel, body.at);
	return 0;
}
