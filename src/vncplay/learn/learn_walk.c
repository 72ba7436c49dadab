// SPDX-License-Identifier: GPL-3.0-or-later
/* learn_walk - a log, tile by tile. */
#include "learn_walk.h"
#include "why.h"

#include "vncplay/common/deps.h"
#include "vncplay/common/fbs.h"
#include "learn_core.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct learn_walker {
	const struct learn_walk *w;
	struct rfb *rfb;
	int width, height, across, tiles;
	uint64_t *hash;
	uint8_t *touched;
	int *list, n_list;
	int err;
	bool resized;
};

static struct box tile_box(const struct learn_walker *k, int tile)
{
	struct box b = { tile % k->across * LEARN_TILE, tile / k->across * LEARN_TILE, LEARN_TILE, LEARN_TILE };

	return box_clip(b, k->width, k->height);
}

static void on_resized(void *whose, int width, int height)
{
	struct learn_walker *k = whose;

	if (k->tiles) {
		k->resized |= width != k->width || height != k->height;
		return;
	}
	k->width = width;
	k->height = height;
	k->across = (width + LEARN_TILE - 1) / LEARN_TILE;
	k->tiles = k->across * ((height + LEARN_TILE - 1) / LEARN_TILE);
	k->hash = calloc((size_t)k->tiles + 1, sizeof(*k->hash));
	k->touched = calloc((size_t)k->tiles + 1, 1);
	k->list = calloc((size_t)k->tiles + 1, sizeof(*k->list));
	k->err = !k->hash || !k->touched || !k->list ? -ENOMEM : k->w->sized(k->w->whose, width, height);
}

static void on_painted(void *whose, struct box b)
{
	struct learn_walker *k = whose;

	if (k->err || k->resized || b.w <= 0 || b.h <= 0)
		return;
	for (int y = b.y / LEARN_TILE; y <= (b.y + b.h - 1) / LEARN_TILE; y++) {
		for (int x = b.x / LEARN_TILE; x <= (b.x + b.w - 1) / LEARN_TILE; x++) {
			int tile = y * k->across + x;

			if (x < k->across && tile < k->tiles && !k->touched[tile]) {
				k->touched[tile] = 1;
				k->list[k->n_list++] = tile;
			}
		}
	}
}

static void tell_changes(struct learn_walker *k, int64_t at_us)
{
	for (int i = 0; i < k->n_list; i++) {
		int tile = k->list[i];
		uint64_t hash = deps_hash(rfb_screen(k->rfb), tile_box(k, tile));

		k->touched[tile] = 0;
		if (hash != k->hash[tile])
			k->w->changed(k->w->whose, tile, at_us);
		k->hash[tile] = hash;
	}
	k->n_list = 0;
}

static int take_blocks(struct learn_walker *k, struct fbs *log, const int64_t *sent_us, int inputs, char *why, size_t size)
{
	struct fbs_block block;
	int sent = 0, more, err;

	while ((more = fbs_next(log, &block)) == 1) {
		while (sent < inputs && sent_us[sent] < ((int64_t)block.ms + 1) * 1000)
			k->w->sent(k->w->whose, sent++, rfb_screen(k->rfb));
		err = rfb_take(k->rfb, block.bytes, block.n);
		if (err == -EPROTO)
			snprintf(why, size, "%s", rfb_why(k->rfb));
		if (err || k->err)
			return err ? err : k->err;
		if (k->resized)
			return why_write(-EPROTO, why, size, "its screen changes its size");
		tell_changes(k, (int64_t)block.ms * 1000);
	}
	if (more < 0)
		return why_write(more, why, size, "the log is cut");
	while (sent < inputs)
		k->w->sent(k->w->whose, sent++, rfb_screen(k->rfb));
	return 0;
}

int learn_walk(const struct learn_walk *w, const char *path, const int64_t *sent_us, int inputs, char *why, size_t size)
{
	static const struct rfb_events events = { .resized = on_resized, .painted = on_painted };
	struct learn_walker k = { .w = w };
	const char *what = NULL;
	struct fbs *log;
	int err;

	errno = 0;
	log = fbs_open(path, &what);
	if (!log) {
		err = errno;
		snprintf(why, size, "%s", err ? strerror(err) : what);
		return err ? -err : -EPROTO;
	}
	k.rfb = rfb_open(&events, &k, NULL, 0, 0);
	err = k.rfb ? take_blocks(&k, log, sent_us, inputs, why, size) : -ENOMEM;
	if (!err && !k.tiles) {
		snprintf(why, size, "nothing in it");
		err = -EPROTO;
	}
	rfb_free(k.rfb);
	fbs_close(log);
	free(k.hash);
	free(k.touched);
	free(k.list);
	return err;
}
