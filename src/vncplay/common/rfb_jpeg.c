// SPDX-License-Identifier: GPL-3.0-or-later
/* Tight's JPEG pictures: libjpeg, with its errors as an answer instead of an exit. */
#include "rfb_inside.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

struct decoder {
	struct jpeg_error_mgr errors;	/* first: libjpeg gives it back as its own */
	struct jpeg_decompress_struct jpeg;
	jmp_buf out;
	uint8_t *row;
	bool whole;
};

static void give_up_jpeg(j_common_ptr jpeg)
{
	longjmp(((struct decoder *)jpeg->err)->out, 1);
}

/* A warning is damage that libjpeg would paint over: half a picture would look like a change of the screen. */
static void on_jpeg_message(j_common_ptr jpeg, int level)
{
	if (level < 0)
		give_up_jpeg(jpeg);
}

static void silence(j_common_ptr jpeg)
{
	(void)jpeg;
}

static void decode_jpeg(struct decoder *d, struct screen *s, struct box box, const uint8_t *bytes, size_t n)
{
	jpeg_create_decompress(&d->jpeg);
	jpeg_mem_src(&d->jpeg, (uint8_t *)(uintptr_t)bytes, (unsigned long)n);
	jpeg_read_header(&d->jpeg, TRUE);
	/* (each further scan would be the whole picture's work for a few bytes) */
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

bool rfb_jpeg(struct screen *s, struct box box, const uint8_t *bytes, size_t n)
{
	struct decoder *const d = calloc(1, sizeof(*d));	/* on the heap: a jump leaves it as it was */
	bool whole;

	if (!d)
		return false;
	d->jpeg.err = jpeg_std_error(&d->errors);
	d->errors.error_exit = give_up_jpeg;
	d->errors.emit_message = on_jpeg_message;
	d->errors.output_message = silence;
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
