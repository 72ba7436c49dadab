// SPDX-License-Identifier: GPL-3.0-or-later
/* blocks_extract - the series `wire`: keys in blocks, as the wire alone tells them (wire.tsv), held against
 * the pixels of the same train (truth.h).
 *
 * Figures: trains, keys (told by the wire), truth (percent of truth_keys whose true update lies in
 * the key's range, with its exact interval), truth_keys, exact (percent of them told as exact), and
 * SET.p50 etc. of the keys that the wire tells (keys_extract.c). */
#include "interval.h"
#include "keys_extract.h"
#include "truth.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int blocks_read(void *state, const struct cell *c, const struct repeat *r, struct why *why)
{
	struct keys_cell *k = &((struct keys_run *)state)->cell[c->index];
	const struct repeat *wire = repeat_train(r, "wire");
	struct traces traces = { 0 };
	struct keys told;
	struct train *t;
	int err;

	if (!wire)
		return 0;
	if (!k->train)
		k->train = calloc(c->n, sizeof(*k->train));
	if (!k->train)
		return why_no_memory(why);
	t = &k->train[k->n];
	err = keys_train(wire, t, why);
	k->n += !err;
	if (!err)
		err = repeat_rows(wire, "wire.tsv", false, traces_read_wire, &traces, why);
	if (!err) {
		truth_of(&t->keys, &traces, &t->truth);
		err = truth_wire_keys(&t->keys, &traces, &told) ? why_no_memory(why) : 0;
	}
	if (!err) {
		keys_free(&t->keys);
		t->keys = told;
	}
	traces_free(&traces);
	return err;
}

static int blocks_figure(void *state, const struct cell *c, const char *path, struct figure *out)
{
	struct keys_run *s = state;
	struct keys_cell *k = &s->cell[c->index];
	size_t keys = 0, held = 0, exact = 0, told = 0;
	struct interval i = { NAN, NAN };

	for (size_t n = 0; n < k->n; n++) {
		keys += k->train[n].truth.keys;
		held += k->train[n].truth.held;
		exact += k->train[n].truth.exact;
		told += k->train[n].keys.n;
	}
	if (!strcmp(path, "trains")) {
		out->value = (double)k->n;
	} else if (!strcmp(path, "keys")) {
		out->value = (double)told;
	} else if (!strcmp(path, "truth_keys")) {
		out->value = (double)keys;
	} else if (!strcmp(path, "exact")) {
		out->value = 100 * (double)exact / (double)keys;
	} else if (!strcmp(path, "truth")) {
		if (keys)
			interval_share(held, keys, &i);
		*out = (struct figure){ 100 * (double)held / (double)keys, 100 * i.low, 100 * i.high, false };
	} else {
		return keys_pooled(s->run, k, path, out);
	}
	return 0;
}

const struct extractor blocks_extractor = {
	.name = "blocks", .open = keys_open, .read = blocks_read, .figure = blocks_figure,
	.close = keys_close,
};
