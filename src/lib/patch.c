// SPDX-License-Identifier: GPL-3.0-or-later
#include "patch.h"

#include <math.h>
#include <stdlib.h>

/* The marker row: dark at both ends, since the background is usually light; differs from itself at any shift. */
#define MARKER 0x4e

/* XORed with the rows, so that small numbers give no uniform rows and none equal to the marker. */
static const uint8_t whitening[PATCH_ROWS] = { MARKER, 0xa6, 0x59, 0xc5, 0x3a, 0x95 };

#define CELLS (PATCH_ROWS * PATCH_COLUMNS)
#define CONTRAST_MIN 16.0 /* grey levels between the marker's light and dark cells */
#define WITHIN_MAX 0.5	  /* standard deviation of pixels within cells, relative to the contrast; noise of +-63: 0.29 */
#define BETWEEN_MAX 0.3	  /* standard deviation of cells of one colour, relative to the contrast */
#define EXPLAINED_MIN 0.3 /* part of the variance of the pixels explained by the pattern; noisy JPEG: 0.4 */
#define QUIET_MAX 0.25	  /* standard deviation of the quiet zone, relative to the contrast */
#define CELL_MIN 3.0
#define SCALE_STEP 1.04 /* ratio of cell sizes tried: an error of a sixth of a cell at most, 8 cells away */

uint16_t patch_crc16(const void *bytes, size_t n)
{
	const uint8_t *p = bytes;
	uint16_t crc = 0xffff;

	for (; n; n--, p++) {
		crc = (uint16_t)(crc ^ (*p << 8));
		for (int bit = 0; bit < 8; bit++)
			crc = (uint16_t)(crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1);
	}
	return crc;
}

void patch_encode(uint32_t number, struct patch_cells *out)
{
	uint8_t row[PATCH_ROWS] = { 0, (uint8_t)(number >> 16), (uint8_t)(number >> 8), (uint8_t)number, 0, 0 };
	uint16_t crc = patch_crc16(row + 1, 3);

	row[4] = (uint8_t)(crc >> 8);
	row[5] = (uint8_t)crc;
	for (int r = 0; r < PATCH_ROWS; r++)
		for (int c = 0; c < PATCH_COLUMNS; c++)
			out->white[r][c] = (row[r] ^ whitening[r]) >> (PATCH_COLUMNS - 1 - c) & 1;
}

static bool marker_is_white(int column)
{
	return MARKER >> (PATCH_COLUMNS - 1 - column) & 1;
}

/* The range of pixels of cell `i` that is read, relative to cell 0: the inner 60 %, which blur does not reach, but at least
 * two pixels, so that noise can be distinguished from cells. */
static void inner_pixels(double cell, int i, int *low, int *high)
{
	int width = (int)lround(cell * 0.6);

	if (width < 2)
		width = 2;
	*low = (int)lround(i * cell + (cell - width) / 2);
	*high = *low + width;
}

/* Computes threshold and contrast from the marker row. False: not all its light cells are lighter than its dark ones. */
static bool read_marker(const double mean[static CELLS], double *threshold, double *contrast)
{
	double white = 0, black = 0, white_min = 256, black_max = -1;

	for (int c = 0; c < PATCH_COLUMNS; c++) {
		if (marker_is_white(c)) {
			white += mean[c] / 4;
			white_min = fmin(white_min, mean[c]);
		} else {
			black += mean[c] / 4;
			black_max = fmax(black_max, mean[c]);
		}
	}
	*threshold = (white + black) / 2;
	*contrast = white - black;
	return white_min > *threshold && black_max < *threshold && *contrast >= CONTRAST_MIN;
}

bool patch_read(const struct patch_image *image, const struct patch_place *where, uint32_t *number)
{
	double mean[CELLS], within = 0, between = 0, threshold, contrast;
	uint8_t row[PATCH_ROWS] = { 0 };
	int x0, x1, y0, y1, pixels = 0;

	inner_pixels(where->cell, PATCH_COLUMNS - 1, &x0, &x1);
	inner_pixels(where->cell, PATCH_ROWS - 1, &y0, &y1);
	if (!(where->cell >= CELL_MIN * 0.9) || where->x < 0 || where->y < 0 || where->x > image->width - x1 ||
	    where->y > image->height - y1)
		return false;
	for (int i = 0; i < CELLS; i++) {
		int64_t sum = 0, squares = 0;
		int n;

		inner_pixels(where->cell, i % PATCH_COLUMNS, &x0, &x1);
		inner_pixels(where->cell, i / PATCH_COLUMNS, &y0, &y1);
		n = (x1 - x0) * (y1 - y0);
		for (int y = y0; y < y1; y++) {
			for (int x = x0; x < x1; x++) {
				int v = image->luminance(image->pixels, where->x + x, where->y + y);

				sum += v;
				squares += (int64_t)v * v;
			}
		}
		mean[i] = (double)sum / n;
		within += (double)squares - mean[i] * (double)sum;
		pixels += n;
		if (i == PATCH_COLUMNS - 1 && !read_marker(mean, &threshold, &contrast))
			return false;
	}
	within = sqrt(fmax(within, 0) / (pixels - CELLS));
	for (int i = 0; i < CELLS; i++) {
		bool white = mean[i] > threshold;
		double off = mean[i] - threshold + (white ? -contrast : contrast) / 2;

		between += off * off / CELLS;
		row[i / PATCH_COLUMNS] = (uint8_t)(row[i / PATCH_COLUMNS] << 1 | white);
	}
	if (within > WITHIN_MAX * contrast || sqrt(between) > BETWEEN_MAX * contrast)
		return false;
	for (int r = 1; r < PATCH_ROWS; r++)
		row[r] ^= whitening[r];
	if (patch_crc16(row + 1, 3) != (row[4] << 8 | row[5]))
		return false;
	*number = (uint32_t)row[1] << 16 | (uint32_t)row[2] << 8 | row[3];
	return true;
}

/* A grey copy of the image with its summed-area table (Crow 1984): the mean of a box needs four look-ups. Sums may overflow;
 * differences are right for boxes below 2^24 pixels. */
struct grey_image {
	int width, height;
	uint8_t *pixel;
	uint32_t *sum; /* (width + 1) x (height + 1) */
};

static int grey_luminance(const void *pixels, int x, int y)
{
	const struct grey_image *g = pixels;

	return g->pixel[(size_t)y * (size_t)g->width + (size_t)x];
}

static bool make_grey(struct grey_image *g, const struct patch_image *image)
{
	size_t w = (size_t)image->width, h = (size_t)image->height;

	*g = (struct grey_image){ image->width, image->height, malloc(w * h), calloc((w + 1) * (h + 1), sizeof(uint32_t)) };
	if (!g->pixel || !g->sum)
		return false;
	for (size_t y = 0; y < h; y++) {
		uint32_t *above = g->sum + y * (w + 1), *here = above + w + 1, line = 0;

		for (size_t x = 0; x < w; x++) {
			uint8_t v = (uint8_t)image->luminance(image->pixels, (int)x, (int)y);

			g->pixel[y * w + x] = v;
			line += v;
			here[x + 1] = above[x + 1] + line;
		}
	}
	return true;
}

static double mean_box(const struct grey_image *g, int x0, int y0, int x1, int y1)
{
	size_t stride = (size_t)g->width + 1;
	const uint32_t *top = g->sum + (size_t)y0 * stride, *bottom = g->sum + (size_t)y1 * stride;

	return (double)(bottom[x1] - bottom[x0] - (top[x1] - top[x0])) / ((x1 - x0) * (y1 - y0));
}

/* Mean grey of each whole cell of a patch with this centre and cell size. False: not within the image. */
static bool mean_cells(const struct grey_image *g, double middle_x, double middle_y, double cell, double mean[static CELLS])
{
	double x = middle_x - cell * PATCH_COLUMNS / 2, y = middle_y - cell * PATCH_ROWS / 2;

	/* half a pixel beyond the edge is tolerated */
	if (!(cell > 2 && x >= -0.5 && y >= -0.5 && x + PATCH_COLUMNS * cell < g->width + 0.5 &&
	      y + PATCH_ROWS * cell < g->height + 0.5))
		return false;
	for (int i = 0; i < CELLS; i++) {
		double left = x + (i % PATCH_COLUMNS) * cell, top = y + (i / PATCH_COLUMNS) * cell;

		mean[i] = mean_box(g, (int)round(fmax(left, 0)), (int)round(fmax(top, 0)), (int)round(left + cell),
				   (int)round(top + cell));
	}
	return true;
}

/* How well the cells separate: the sum of their distances from the threshold, signed by the pattern if `known`. Below 0: no
 * marker. */
static double measure_separation(const struct grey_image *g, const double at[static 3], const struct patch_cells *known)
{
	double mean[CELLS], threshold, contrast, sum = 0;

	if (!mean_cells(g, at[0], at[1], at[2], mean) || !read_marker(mean, &threshold, &contrast))
		return -1;
	for (int i = 0; i < CELLS; i++) {
		double off = mean[i] - threshold;

		sum += !known ? fabs(off) : known->white[i / PATCH_COLUMNS][i % PATCH_COLUMNS] ? off : -off;
	}
	return sum;
}

/* Hill climbing from a rough position to the best nearby: at[] is the centre and the cell size. Scaling about the centre
 * keeps size and position independent. Returns the fit. */
static double climb_to_fit(const struct grey_image *g, double at[static 3], const struct patch_cells *known)
{
	double best = measure_separation(g, at, known), step = at[2] / 4;

	for (int turn = 0; best >= 0 && turn < 40 && step >= 0.2;) {
		double from[3] = { at[0], at[1], at[2] };
		bool better = false;

		for (int i = 0; i < 6; i++) {
			double to[3] = { from[0], from[1], from[2] }, value;

			to[i / 2] += (i % 2 ? -step : step) * (i / 2 == 2 ? 0.16 : 1);
			value = measure_separation(g, to, known);
			if (value > best) {
				best = value;
				at[0] = to[0];
				at[1] = to[1];
				at[2] = to[2];
				better = true;
			}
		}
		if (better)
			turn++;
		else
			step /= 2;
	}
	return best;
}

static struct patch_place centre_place(const double at[static 3], int right, int down)
{
	return (struct patch_place){ (int)lround(at[0] - at[2] * PATCH_COLUMNS / 2) + right,
				     (int)lround(at[1] - at[2] * PATCH_ROWS / 2) + down, at[2] };
}

/* Rejects false matches in images full of squares: the pattern must explain enough of the variance over the whole area of the
 * patch, and the quiet zone, a quarter to three quarters of a cell outside, must be uniform (as far as it is within the image). */
static bool pattern_fills_area(const struct grey_image *g, const struct patch_place *p, const struct patch_cells *cells)
{
	double n[2] = { 0 }, sum[2] = { 0 }, squares = 0, spread = 0, all, mean, between, quiet_sum = 0, quiet_squares = 0;
	int right = (int)lround(p->x + PATCH_COLUMNS * p->cell), bottom = (int)lround(p->y + PATCH_ROWS * p->cell);
	int near = (int)lround(p->cell / 4), far = (int)lround(p->cell * 3 / 4), zones = 0;

	for (int y = p->y; y < bottom && y < g->height; y++) {
		for (int x = p->x; x < right && x < g->width; x++) {
			int r = (int)((y + 0.5 - p->y) / p->cell), c = (int)((x + 0.5 - p->x) / p->cell);
			bool white = cells->white[r < PATCH_ROWS ? r : PATCH_ROWS - 1][c < PATCH_COLUMNS ? c : PATCH_COLUMNS - 1];
			double v = grey_luminance(g, x, y);

			n[white]++;
			sum[white] += v;
			squares += v * v;
		}
	}
	all = sum[0] + sum[1];
	mean = all / (n[0] + n[1]);
	between = sum[0] * sum[0] / n[0] + sum[1] * sum[1] / n[1] - all * mean;
	if (between < EXPLAINED_MIN * (squares - all * mean))
		return false;
	for (int i = 0; i < 2 * (PATCH_COLUMNS + PATCH_ROWS); i++) {
		int side = i < 2 * PATCH_COLUMNS ? i % 2 : 2 + i % 2;
		int along = (int)lround((side < 2 ? i / 2 : i / 2 - PATCH_COLUMNS) * p->cell), next = along + (int)p->cell;
		int box[4][4] = { { p->x + along, p->y - far, p->x + next, p->y - near },
				  { p->x + along, bottom + near, p->x + next, bottom + far },
				  { p->x - far, p->y + along, p->x - near, p->y + next },
				  { right + near, p->y + along, right + far, p->y + next } };
		const int *b = box[side];

		if (b[0] < 0 || b[1] < 0 || b[2] > g->width || b[3] > g->height)
			continue;
		mean = mean_box(g, b[0], b[1], b[2], b[3]);
		quiet_sum += mean;
		quiet_squares += mean * mean;
		zones++;
	}
	if (zones)
		spread = sqrt(fmax(0, quiet_squares / zones - quiet_sum / zones * (quiet_sum / zones)));
	return spread <= QUIET_MAX * (sum[1] / n[1] - sum[0] / n[0]);
}

/* Finds the best position near a rough one and reads the patch there, or up to a pixel beside it. */
static bool refine_and_read(const struct grey_image *g, double left, double top, double cell, struct patch_place *where,
			    uint32_t *number)
{
	struct patch_image copy = { g->width, g->height, grey_luminance, g };
	double at[3] = { left + cell * PATCH_COLUMNS / 2, top + cell * PATCH_ROWS / 2, cell };

	if (climb_to_fit(g, at, NULL) < 0)
		return false;
	for (int i = 0; i < 9; i++) {
		static const int around[9][2] = { { 0, 0 }, { 1, 0 },	{ -1, 0 }, { 0, 1 }, { 0, -1 },
						  { 1, 1 }, { -1, -1 }, { 1, -1 }, { -1, 1 } };
		struct patch_place place = centre_place(at, around[i][0], around[i][1]);
		struct patch_cells cells;
		uint32_t again;

		if (!patch_read(&copy, &place, number))
			continue;
		patch_encode(*number, &cells);
		climb_to_fit(g, at, &cells);
		*where = centre_place(at, 0, 0);
		return patch_read(&copy, where, &again) && again == *number && pattern_fills_area(g, where, &cells);
	}
	return false;
}

/* Searches for the marker row with cells of about `cell` pixels, in steps of a quarter cell; refines each candidate. */
static bool scan_cell_size(const struct grey_image *g, double cell, struct patch_place *where, uint32_t *number)
{
	int size = (int)lround(cell / 2) < 2 ? 2 : (int)lround(cell / 2), low[PATCH_COLUMNS];
	int step = cell < 8 ? 1 : (int)(cell / 4), inset = (int)lround((cell - size) / 2);
	int wide = (int)ceil(PATCH_COLUMNS * cell), high = (int)ceil(PATCH_ROWS * cell);
	int32_t least = (int32_t)(CONTRAST_MIN / 2) * size * size;
	size_t stride = (size_t)g->width + 1;

	for (int c = 0; c < PATCH_COLUMNS; c++)
		low[c] = (int)lround(c * cell + (cell - size) / 2);
	for (int y = 0; y + high <= g->height + step; y += step) {
		if (y + inset + size > g->height)
			break;
		const uint32_t *top = g->sum + (size_t)(y + inset) * stride, *bottom = top + (size_t)size * stride;

		for (int x = 0; x + wide <= g->width + step && x + low[PATCH_COLUMNS - 1] + size <= g->width; x += step) {
			int32_t white = INT32_MAX, black = -least;
			int c;

			for (c = 0; c < PATCH_COLUMNS; c++) {
				const uint32_t *b = bottom + x + low[c], *t = top + x + low[c];
				int32_t sum = (int32_t)(b[size] - b[0] - (t[size] - t[0]));

				if (marker_is_white(c))
					white = sum < white ? sum : white;
				else
					black = sum > black ? sum : black;
				if (white - black < least)
					break;
			}
			if (c == PATCH_COLUMNS && refine_and_read(g, x, y, cell, where, number))
				return true;
		}
	}
	return false;
}

bool patch_find(const struct patch_image *image, double min_cell, double max_cell, struct patch_place *where, uint32_t *number)
{
	struct grey_image g = { 0 };
	bool found = false;

	if (image->width < 1 || image->height < 1)
		return false;
	min_cell = fmax(min_cell, CELL_MIN);
	max_cell = fmin(max_cell, fmin((double)image->width / PATCH_COLUMNS, (double)image->height / PATCH_ROWS));
	if (make_grey(&g, image))
		/* large cells first: they have fewer positions to try */
		for (double cell = max_cell; !found && cell > min_cell / SCALE_STEP; cell /= SCALE_STEP)
			found = scan_cell_size(&g, fmax(cell, min_cell), where, number);
	free(g.pixel);
	free(g.sum);
	return found;
}
