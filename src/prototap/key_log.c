// SPDX-License-Identifier: GPL-3.0-or-later
#include "key_log.h"
#include "array.h"
#include "rows_in.h"
#include "wall.h"

#include <errno.h>
#include <stdlib.h>

enum key_log_column { LOG_KEY, LOG_DUE, LOG_SENT, LOG_SKIPPED, LOG_OFFSET, LOG_BLOCK };
static const char *const names[] = { "key", "due_ns", "sent_ns", "skipped", "realtime_offset_ns", "block", NULL };
#define NEEDED 4	/* columns that every log has; older logs lack the others */

/* Within limits that keep later arithmetic from overflowing. */
static bool is_plausible_key_time(int64_t ns)
{
	return ns > 0 && ns < INT64_MAX / 4;
}

static int key_log_add(void *context, char *const *cell)
{
	struct key_log *t = context;
	int64_t key, due, sent, skipped, offset, block, last;

	if (!parse_integer_of_table_cell(cell[LOG_KEY], &key) || !parse_integer_of_table_cell(cell[LOG_DUE], &due) ||
	    !parse_integer_of_table_cell(cell[LOG_SENT],
														     &sent) ||
	    !parse_integer_of_table_cell(cell[LOG_SKIPPED], &skipped) || !parse_integer_of_table_cell(cell[LOG_OFFSET], &offset) ||
	    !parse_integer_of_table_cell(cell[LOG_BLOCK], &block))
		return -EPROTO;
	if (key < 0 || !is_plausible_key_time(due) || (sent != ROWS_IN_NONE && (!is_plausible_key_time(sent) || sent < due)))
		return -EPROTO;
	if (t->n == KEY_LOG_MAX)
		return -E2BIG;
	if (array_room(&t->key, t->n) || array_room(&t->number, t->n) || array_room(&t->block, t->n) || array_room(&t->wall, t->n))
		return -ENOMEM;
	if (block == ROWS_IN_NONE)
		block = 0;
	if (block < 0 || block > UINT32_MAX || (t->n && (block < t->block[t->n - 1] || due < t->key[t->n - 1].due_ns)))
		return -EPROTO;
	if (sent != ROWS_IN_NONE) {
		if (offset == ROWS_IN_NONE)
			return -ENOTSUP;
		last = t->walls ? t->wall[t->walls - 1].at_ns : 0;
		if (!is_plausible_key_time(offset) || sent < last)
			return -EPROTO;
		if (sent > last)
			t->wall[t->walls++] = (struct wall_clock_offset){ .at_ns = sent, .offset_ns = offset };
	} else {
		t->unsent++;
	}
	t->key[t->n] = (struct times_of_paired_key){ .due_ns = due, .sent_ns = sent == ROWS_IN_NONE ? 0 : sent, .skipped = skipped > 0 };
	t->number[t->n] = key;
	t->block[t->n++] = (uint32_t)block;
	return 0;
}

int key_log_read(FILE *in, struct key_log *out, unsigned long *line)
{
	size_t run = 0;
	int err;

	*out = (struct key_log){ 0 };
	err = read_rows_of_table_file(in, "keys/1", names, NEEDED, key_log_add, out, line);
	if (!err && !out->walls)
		err = -ENODATA;
	if (err) {
		key_log_free(out);
		return err;
	}
	for (size_t i = 0; i < out->n; i++) {
		run = i && out->block[i] == out->block[i - 1] ? run + 1 : 1;
		if (run > out->longest)
			out->longest = run;
	}
	out->in_blocks = out->block[0] && out->longest <= KEY_LOG_BLOCK_MAX;
	return 0;
}

void key_log_free(struct key_log *t)
{
	free(t->key);
	free(t->number);
	free(t->block);
	free(t->wall);
	*t = (struct key_log){ 0 };
}

int64_t key_log_wall_to_monotonic(const struct key_log *t, int64_t wall_ns)
{
	return wall_to_monotonic(t->wall, t->walls, wall_ns);
}
