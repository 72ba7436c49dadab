// SPDX-License-Identifier: GPL-3.0-or-later
#include "keys.h"
#include "room.h"

#include <errno.h>

static int keys_add(void *into, const struct rows_cell *cell)
{
	struct keys *out = into;
	const struct key k = { cell[0].count, cell[1].count, cell[2].count, cell[3].count, cell[4].count, cell[6].count };

	if (k.due == KEY_NONE)
		return -EPROTO;
	if (cell[5].count != KEY_NONE && cell[5].count != 0) {
		out->skipped++;
		return 0;
	}
	/* No clock of ours lets an echo come before its key was due. */
	if (k.answer != KEY_NONE && k.answer < k.due)
		return -EPROTO;
	room_more(out->key, out->n);
	out->ranged = out->ranged || (k.answer != KEY_NONE && !key_exact(&k));
	out->key[out->n++] = k;
	return 0;
}

static int keys_add_ping(void *into, const struct rows_cell *cell)
{
	struct keys *out = into;

	room_more(out->key, out->n);
	out->key[out->n++] = (struct key){ 0, 0, cell[1].count, cell[1].count, KEY_NONE, KEY_NONE };
	return 0;
}

static const struct rows_kind keys_ping_rows = { "ping/1", "number rtt_ns", keys_add_ping, NULL };
const struct rows_kind keys_rows = {
	"keys/1", "due_ns sent_ns answer_ns answer_high_ns censored_ns skipped | key", keys_add, &keys_ping_rows,
};

void keys_free(struct keys *k)
{
	free(k->key);
	*k = (struct keys){ 0 };
}

bool key_exact(const struct key *k)
{
	return k->answer != KEY_NONE && (k->answer_high == KEY_NONE ? k->censored == KEY_NONE : k->answer_high == k->answer);
}

bool key_latency(const struct key *k, bool high, int64_t *ns, bool *later)
{
	int64_t at = k->answer;

	*later = false;
	if (high && k->answer != KEY_NONE) {
		if (k->answer_high != KEY_NONE) {
			at = k->answer_high;
		} else if (k->censored != KEY_NONE) {
			at = k->censored;
			*later = true;
		}
	} else if (k->answer == KEY_NONE) {
		at = k->censored;
		*later = true;
	}
	if (at == KEY_NONE)
		return false;
	*ns = at - k->due;
	return true;
}
