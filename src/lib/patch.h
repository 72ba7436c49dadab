/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch - a number drawn as black and white cells, which can be read back from pixels after a (lossy) display protocol.
 *
 * PATCH_COLUMNS x PATCH_ROWS cells of `cell` pixels: a marker row for position, threshold and scale, then a 24-bit number
 * and its CRC-16, whitened so that rows seldom look like the marker. Readable after lossy coding and at half scale.
 * Surrounded by a quiet zone: a margin of one cell in one colour, except at the edges of the image. */
#pragma once

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

/* An image in memory: `luminance` returns 0 (black) to 255 (white) for a pixel. */
struct patch_image {
	int width, height;
	int (*luminance)(const void *pixels, int x, int y);
	const void *pixels;
};

struct patch_place {
	int x, y;    /* upper left pixel */
	double cell; /* pixels per cell, need not be whole (half scale) */
};

/* Searches for a patch with cells of min_cell (at least 3) to max_cell pixels. True: found, with a correct CRC. Copies the
 * image and tries all positions and sizes: about 0.1 s for 1024 x 768 without a patch. False also if out of memory. */
bool patch_find(const struct patch_image *image, double min_cell, double max_cell, struct patch_place *where, uint32_t *number);
/* Reads the patch at a known place. False: marker or CRC is wrong (partly drawn). Reads a third of the pixels of the patch;
 * allocates nothing. */
bool patch_read(const struct patch_image *image, const struct patch_place *where, uint32_t *number);

/* CRC-16/IBM-3740 (also "CCITT-FALSE"): polynomial 0x1021, first 0xffff, not reflected. */
uint16_t patch_crc16(const void *bytes, size_t n);
