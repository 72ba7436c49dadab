// SPDX-License-Identifier: GPL-3.0-or-later
#include "kin.h"
#include "unrest.h"

#include <errno.h>
#include <stdlib.h>

#define EDGE 3			/* tiles, or an eighth of all: more is an answer that lies over a restless place */
#define EDGE_SHARE 8
#define FEW 4			/* tiles that a letter and the caret beside it may touch */

struct kin {
	int columns, rows;
	uint32_t *of;		/* of each tile: 1 + the change of it that this update has; 0: none */
	uint32_t *stack, *group;	/* tiles */
};

struct kin *kin_new(int columns, int rows)
{
	size_t n = (size_t)columns * (size_t)rows + 1;
	struct kin *k = calloc(1, sizeof(*k));

	if (!k)
		return NULL;
	*k = (struct kin){ columns, rows, calloc(n, sizeof(*k->of)), malloc(n * sizeof(*k->stack)), malloc(n * sizeof(*k->group)) };
	if (!k->of || !k->stack || !k->group) {
		kin_free(k);
		return NULL;
	}
	return k;
}

void kin_free(struct kin *k)
{
	if (!k)
		return;
	free(k->of);
	free(k->stack);
	free(k->group);
	free(k);
}

static uint32_t kin_place(const struct kin *k, uint32_t tile)
{
	return tile / TILE_COLUMNS * (uint32_t)k->columns + tile % TILE_COLUMNS;
}

/* Takes the tiles that touch this one, directly or by others, out of the update. */
static void mask_group(struct kin *k, uint32_t start, uint8_t *masked)	/* masked: by change */
{
	size_t n = 0, waiting = 0, restless = 0, back = 0;

	k->stack[waiting++] = start;
	k->group[n++] = k->of[start] - 1;
	restless += masked[k->of[start] - 1] != 0;
	back += masked[k->of[start] - 1] == UNREST_BACK;
	k->of[start] = 0;
	while (waiting) {
		uint32_t t = k->stack[--waiting];
		int x = (int)(t % (uint32_t)k->columns), y = (int)(t / (uint32_t)k->columns);

		for (int i = 0; i < 9; i++) {
			int nx = x + i % 3 - 1, ny = y + i / 3 - 1;
			uint32_t next = (uint32_t)(ny * k->columns + nx);

			if (nx < 0 || ny < 0 || nx >= k->columns || ny >= k->rows || !k->of[next])
				continue;
			k->group[n++] = k->of[next] - 1;
			restless += masked[k->of[next] - 1] != 0;
			back += masked[k->of[next] - 1] == UNREST_BACK;
			k->of[next] = 0;
			k->stack[waiting++] = next;
		}
	}
	if (2 * restless < n || (n - restless > EDGE && EDGE_SHARE * (n - restless) > n))
		return;
	if (n <= FEW && back == restless)	/* what is typed takes the caret along */
		return;
	while (n) {
		n--;
		if (!masked[k->group[n]])
			masked[k->group[n]] = UNREST_NEW;
	}
}

int mask_neighbours(struct kin *k, const struct tilelog *tiles, const uint32_t *order, uint8_t *masked)
{
	uint8_t *by_change = calloc(tiles->n + 1, 1);

	if (!by_change)
		return -ENOMEM;
	for (size_t p = 0; p < tiles->n; p++)
		by_change[order[p]] = masked[p];
	for (size_t u = 0; u < tiles->n_updates; u++) {
		size_t end = u + 1 < tiles->n_updates ? tiles->update[u + 1].first : tiles->n;

		for (size_t i = tiles->update[u].first; i < end; i++)
			k->of[kin_place(k, tiles->changed[i])] = (uint32_t)i + 1;
		for (size_t i = tiles->update[u].first; i < end; i++)
			if (k->of[kin_place(k, tiles->changed[i])])
				mask_group(k, kin_place(k, tiles->changed[i]), by_change);
	}
	for (size_t p = 0; p < tiles->n; p++)
		masked[p] = by_change[order[p]];
	free(by_change);
	return 0;
}
