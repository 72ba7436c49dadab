// SPDX-License-Identifier: GPL-3.0-or-later
#include "screen.h"
#include "files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int screen_resize(struct screen *s, int width, int height)
{
	uint32_t *pixels;
	int rows, columns;

	if (width < 1 || height < 1 || width > SCREEN_SIDE_MOST || height > SCREEN_SIDE_MOST ||
	    (int64_t)width * height > SCREEN_PIXELS_MOST)
		return -EINVAL;
	if (s->pixels && width == s->width && height == s->height)
		return 0;
	/* (large blocks are zeroed by the kernel: parts that are never painted use no memory) */
	pixels = calloc((size_t)width * (size_t)height, sizeof(*pixels));
	if (!pixels)
		return -ENOMEM;
	if (s->pixels) {
		rows = height < s->height ? height : s->height;
		columns = width < s->width ? width : s->width;
		for (int y = 0; y < rows; y++)
			memcpy(pixels + (size_t)y * (size_t)width, s->pixels + (size_t)y * (size_t)s->width,
			       (size_t)columns * sizeof(*pixels));
	}
	free(s->pixels);
	*s = (struct screen){ .width = width, .height = height, .pixels = pixels };
	return 0;
}

void screen_free(struct screen *s)
{
	free(s->pixels);
	*s = (struct screen){ 0 };
}

int screen_write(const struct screen *s, const char *path)
{
	FILE *out = files_create_private(path);
	int err = 0;

	if (!out)
		return -errno;
	errno = 0;
	fprintf(out, "P6\n%d %d\n255\n", s->width, s->height);
	for (size_t i = 0; i < (size_t)s->width * (size_t)s->height && !ferror(out); i++) {
		putc((int)(s->pixels[i] >> 16 & 255), out);
		putc((int)(s->pixels[i] >> 8 & 255), out);
		putc((int)(s->pixels[i] & 255), out);
	}
	if (ferror(out))
		err = errno ? -errno : -EIO;
	if (fclose(out) && !err)
		err = errno ? -errno : -EIO;
	if (err)
		files_remove_part(path);
	return err;
}

int screen_parse_area(const char *text, struct pixel_area *b)
{
	int end = 0;

	if (sscanf(text, "%5d,%5d,%5d,%5d%n", &b->x, &b->y, &b->w, &b->h, &end) != 4 || text[end])
		return -EINVAL;
	return b->x < 0 || b->y < 0 || b->w < 1 || b->h < 1 ? -EINVAL : 0;
}
