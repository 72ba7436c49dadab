// SPDX-License-Identifier: GPL-3.0-or-later
#include "write.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool write_frame(const struct picture *picture, uint32_t frame, uint32_t *rgb, unsigned char *bytes, FILE *out)
{
	size_t pixels = (size_t)picture->width * (size_t)picture->height;

	picture_draw(picture, frame, rgb);
	for (size_t i = 0; i < pixels; i++) {
		bytes[4 * i] = rgb[i] & 0xff;
		bytes[4 * i + 1] = rgb[i] >> 8 & 0xff;
		bytes[4 * i + 2] = rgb[i] >> 16 & 0xff;
		bytes[4 * i + 3] = 0;
	}
	return fwrite(bytes, 4, pixels, out) == pixels;
}

int write_run(const struct picture *picture, int64_t frames, const char *path, char *why, size_t size)
{
	size_t pixels = (size_t)picture->width * (size_t)picture->height;
	uint32_t *rgb = malloc(pixels * sizeof(*rgb));
	unsigned char *bytes = malloc(pixels * 4);
	FILE *out = strcmp(path, "-") ? fopen(path, "we") : stdout;
	bool good = rgb && bytes && out;
	int err = good ? 0 : errno;

	for (int64_t n = 0; n < frames && good; n++)
		good = write_frame(picture, (uint32_t)n, rgb, bytes, out);
	if (out && (fflush(out) || (out != stdout && fclose(out))))
		good = false;
	if (!good) {
		err = err ? err : errno;
		snprintf(why, size, "cannot write %s: %s", path, strerror(err));
	}
	free(bytes);
	free(rgb);
	return -err;
}
