/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch - a number that survives a display protocol: drawn as black and white cells, read back from pixels.
 *
 * PATCH_COLUMNS x PATCH_ROWS cells of `cell` pixels: a marker row for finding, thresholding and scale, then a
 * 24-bit number and its CRC-16, whitened, so that rows seldom look like the marker. Readable after lossy coding
 * (threshold from the marker row itself) and at half scale. It stands in a quiet zone: one cell of one colour all round,
 * but for what the edge of the picture cuts off. */
#ifndef THINPROBE_PATCH_H
#define THINPROBE_PATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PATCH_COLUMNS 8
#define PATCH_ROWS 6
#define PATCH_NUMBER_MAX 0xffffffu

/* cells[row][column]: true is white. */
struct patch_cells {
	bool white[PATCH_ROWS][PATCH_COLUMNS];
};

void patch_encode(uint32_t number, struct patch_cells *out);

/* A picture in memory as luminance can be had from it: `get` gives 0 (black) to 255 (white) of a pixel. */
struct patch_image {
	int width, height;
	int (*luminance)(const void *pixels, int x, int y);
	const void *pixels;
};

struct patch_place {
	int x, y;	/* upper left pixel */
	double cell;	/* pixels per cell, need not be whole (half scale) */
};

/* Looks for a patch with cells of between min_cell (at least 3) and max_cell pixels. True when one was found whose CRC is
 * right. Copies the picture once and looks at every place and size: some 0.1 s for 1024 x 768 without a patch. False also
 * when memory is short. */
bool patch_find(const struct patch_image *image, double min_cell, double max_cell, struct patch_place *where, uint32_t *number);
/* Reads the patch at a known place. False when the marker or the CRC is wrong (torn, or half drawn). Looks at a third of
 * the patch's pixels, allocates nothing. */
bool patch_read(const struct patch_image *image, const struct patch_place *where, uint32_t *number);

/* CRC-16/IBM-3740 (also "CCITT-FALSE"): polynomial 0x1021, first 0xffff, not reflected. */
uint16_t patch_crc16(const void *bytes, size_t n);

#endif
