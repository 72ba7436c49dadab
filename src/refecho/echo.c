// SPDX-License-Identifier: GPL-3.0-or-later
#include "echo.h"
#include "memory.h"

void echo_queue_init(struct echo_queue *e, const struct echo_queue_cfg *cfg)
{
	*e = (struct echo_queue){ .cfg = *cfg, .key = memory_new(cfg->room, sizeof(*e->key)) };
}

void echo_queue_free(struct echo_queue *e)
{
	free(e->key);
	e->key = NULL;
}

static struct echo_key *key_at(const struct echo_queue *e, uint64_t i)
{
	return &e->key[i % e->cfg.room];
}

uint32_t echo_add_key(struct echo_queue *e, int64_t now_ns, int64_t delay_ns, bool drop, unsigned char character)
{
	struct echo_key *k;

	e->received++;
	e->last_received_ns = now_ns;
	if (e->end - e->left == e->cfg.room) {
		e->lost++;
		return 0;
	}
	if (now_ns + delay_ns > e->last_due_ns)
		e->last_due_ns = now_ns + delay_ns;
	k = key_at(e, e->end++);
	*k = (struct echo_key){ .seq = (uint32_t)e->received,
				.character = character,
				.dropped = drop,
				.received_ns = now_ns,
				.due_ns = e->last_due_ns };
	if (drop)
		e->dropped++;
	return k->seq;
}

/* Position of the `n`th waiting key that was not dropped, or of the last one if there are fewer; `end`: none waits. *found: how
 * many were counted, at most n. */
static uint64_t find_waiting_key(const struct echo_queue *e, size_t n, size_t *found)
{
	uint64_t last = e->end;

	*found = 0;
	for (uint64_t i = e->taken; i < e->end && *found < n; i++) {
		if (!key_at(e, i)->dropped) {
			last = i;
			++*found;
		}
	}
	return last;
}

int64_t echo_next_due_ns(const struct echo_queue *e)
{
	size_t found;
	uint64_t i = find_waiting_key(e, e->cfg.batch, &found);
	int64_t drain = e->last_received_ns + ECHO_DRAIN_NS;

	if (!found)
		return INT64_MAX;
	if (found == e->cfg.batch || key_at(e, i)->due_ns > drain)
		return key_at(e, i)->due_ns;
	return drain;
}

size_t echo_begin_redraw(struct echo_queue *e, int64_t now_ns)
{
	size_t n = 0;

	if (echo_next_due_ns(e) > now_ns)
		return 0;
	for (uint64_t i = e->taken; i < e->end && key_at(e, i)->due_ns <= now_ns; i++) {
		if (key_at(e, i)->dropped)
			continue;
		if (e->cfg.per_key && n == e->cfg.batch)
			break;
		n++;
		e->taken = i + 1;
	}
	return n;
}

const struct echo_key *echo_redraw_key(const struct echo_queue *e, size_t i)
{
	return i < e->taken - e->drawn ? key_at(e, e->drawn + i) : NULL;
}

uint32_t echo_end_redraw(struct echo_queue *e, int64_t now_ns)
{
	for (; e->drawn < e->taken; e->drawn++) {
		key_at(e, e->drawn)->draw_ns = now_ns;
		e->shown = key_at(e, e->drawn)->seq;
	}
	e->redraws++;
	return e->shown;
}

void echo_mark_flushed(struct echo_queue *e, int64_t now_ns, echo_leave *leave, void *arg)
{
	if (e->flushed == e->drawn)
		return;
	e->flushes++;
	for (; e->flushed < e->drawn; e->flushed++) {
		struct echo_key *k = key_at(e, e->flushed);

		k->flushed_ns = now_ns;
		/* also true of a number that was drawn over before it was flushed */
		k->coalesced = !k->dropped && k->seq != e->shown;
		e->coalesced += k->coalesced;
		e->answered += !k->dropped;
	}
	e->cfg.presents = e->cfg.presents && (e->told || e->flushed - e->left < ECHO_UNTOLD);
	for (; e->left < e->flushed && !e->cfg.presents; e->left++)
		leave(key_at(e, e->left), arg);
}

void echo_mark_presented(struct echo_queue *e, uint32_t number, int64_t now_ns, echo_leave *leave, void *arg)
{
	e->told = true;
	for (; e->left < e->flushed && key_at(e, e->left)->seq <= number; e->left++) {
		key_at(e, e->left)->presented_ns = now_ns;
		leave(key_at(e, e->left), arg);
	}
}

void echo_drop_unshown(struct echo_queue *e, echo_leave *leave, void *arg)
{
	for (; e->left < e->end; e->left++) {
		e->waiting += e->left >= e->flushed && !key_at(e, e->left)->dropped;
		leave(key_at(e, e->left), arg);
	}
	e->flushed = e->drawn = e->taken = e->end;
}
