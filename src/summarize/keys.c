// SPDX-License-Identifier: GPL-3.0-or-later
#include "keys.h"
#include "room.h"
#include "rows_in.h"

#include <errno.h>
#include <stdlib.h>

enum column { DUE, SENT, ANSWER, ANSWER_HIGH, CENSORED, SKIPPED, NEEDED, KEY = NEEDED };
static const char *const names[] = { "due_ns", "sent_ns", "answer_ns", "answer_high_ns", "censored_ns", "skipped", "key", NULL };

static int row(void *context, char *const *cell)
{
	struct keys *out = context;
	struct key k, *grown;
	int64_t skipped;

	if (!rows_in_count(cell[KEY], &k.number) || !rows_in_count(cell[DUE], &k.due) || k.due == KEY_NONE ||
	    !rows_in_count(cell[SENT], &k.sent) || !rows_in_count(cell[ANSWER], &k.answer) ||
	    !rows_in_count(cell[ANSWER_HIGH], &k.answer_high) || !rows_in_count(cell[CENSORED], &k.censored) ||
	    !rows_in_int(cell[SKIPPED], &skipped))
		return -EPROTO;
	if (skipped != KEY_NONE && skipped != 0) {
		out->skipped++;
		return 0;
	}
	/* No clock of ours lets an echo come before its key was due. */
	if (k.answer != KEY_NONE && k.answer < k.due)
		return -EPROTO;
	grown = room_for(out->key, out->n, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	out->key = grown;
	if (k.answer != KEY_NONE && k.answer_high != KEY_NONE && k.answer_high != k.answer)
		out->ranged = true;
	/* Answered, but who knows when: the range has no late end. */
	if (k.answer != KEY_NONE && k.answer_high == KEY_NONE && k.censored != KEY_NONE)
		out->ranged = true;
	out->key[out->n++] = k;
	return 0;
}

int keys_read(FILE *in, struct keys *out, unsigned long *line)
{
	int err;

	*out = (struct keys){ 0 };
	err = rows_in_read(in, "keys/1", names, NEEDED, row, out, line);
	if (err)
		keys_free(out);
	return err;
}

void keys_free(struct keys *k)
{
	free(k->key);
	*k = (struct keys){ 0 };
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
