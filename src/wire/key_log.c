// SPDX-License-Identifier: GPL-3.0-or-later
#include "key_log.h"
#include "memory.h"
#include "rows_in.h"
#include "clock.h"

#include <errno.h>

/* Of a key only what was known before any answer is read. */
enum key_log_column { LOG_KEY, LOG_DUE, LOG_SENT, LOG_SKIPPED, LOG_OFFSET, LOG_BLOCK };
static const char *const names[] = { "key", "due_ns", "sent_ns", "skipped", "realtime_offset_ns", "block", NULL };
#define NEEDED 4 /* columns that every log has; older logs lack the others */

static int key_log_add(void *context, char *const *cell)
{
	char *const own[KEY_COLUMNS] = { [KEY_NUMBER] = cell[LOG_KEY],
					 [KEY_DUE] = cell[LOG_DUE],
					 [KEY_SENT] = cell[LOG_SENT],
					 [KEY_SKIPPED] = cell[LOG_SKIPPED] };
	struct key_log *t = context;
	struct key_times key;
	int64_t offset, block, last;

	if (!key_read_cells(own, &key) || !rows_in_count(cell[LOG_OFFSET], &offset) || !rows_in_count(cell[LOG_BLOCK], &block) ||
	    !key.due_ns || (key.sent_ns && key.sent_ns < key.due_ns))
		return -EPROTO;
	if (t->n == KEY_LOG_MAX)
		return -E2BIG;
	memory_more(t->key, t->n);
	memory_more(t->block, t->n);
	memory_more(t->wall, t->n);
	block = block == ROWS_IN_NONE ? 0 : block;
	if (block > UINT32_MAX || (t->n && (block < t->block[t->n - 1] || key.due_ns < t->key[t->n - 1].due_ns)))
		return -EPROTO;
	if (key.sent_ns) {
		if (offset == ROWS_IN_NONE)
			return -ENOTSUP;
		last = t->walls ? t->wall[t->walls - 1].at_ns : 0;
		if (!offset || key.sent_ns < last)
			return -EPROTO;
		if (key.sent_ns > last)
			t->wall[t->walls++] = (struct wall_reading){ .at_ns = key.sent_ns, .offset_ns = offset };
	} else {
		t->unsent++;
	}
	t->key[t->n] = key;
	t->block[t->n++] = (uint32_t)block;
	return 0;
}

int key_log_read(FILE *in, struct key_log *out, unsigned long *line)
{
	size_t run = 0;
	int err;

	*out = (struct key_log){ 0 };
	err = rows_in_read(in, "keys/1", names, NEEDED, key_log_add, out, line);
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
	free(t->block);
	free(t->wall);
	*t = (struct key_log){ 0 };
}

int64_t key_log_convert(const struct key_log *t, int64_t wall_ns)
{
	return wall_monotonic_ns(t->wall, t->walls, wall_ns);
}
