// SPDX-License-Identifier: GPL-3.0-or-later
#include "merge.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int merge_init(struct packet_merger *m, int rows)
{
	*m = (struct packet_merger){ .head = calloc((size_t)rows, sizeof(*m->head)) };
	return m->head ? 0 : -ENOMEM;
}

void merge_free(struct packet_merger *m)
{
	free(m->head);
	*m = (struct packet_merger){ 0 };
}

static bool is_merge_head_earlier(const struct next_packet_of_merged_file *a, const struct next_packet_of_merged_file *b)
{
	return a->time_ns < b->time_ns || (a->time_ns == b->time_ns && a->row < b->row);
}

/* Moves head[at] to its place among the others, which are sorted. */
static void merge_move_into_order(struct packet_merger *m, int at)
{
	struct next_packet_of_merged_file moved = m->head[at];

	for (; at + 1 < m->n && is_merge_head_earlier(&m->head[at + 1], &moved); at++)
		m->head[at] = m->head[at + 1];
	for (; at > 0 && is_merge_head_earlier(&moved, &m->head[at - 1]); at--)
		m->head[at] = m->head[at - 1];
	m->head[at] = moved;
}

void merge_add_file(struct packet_merger *m, int row, int64_t time_ns)
{
	m->head[m->n++] = (struct next_packet_of_merged_file){ time_ns, row };
	merge_move_into_order(m, m->n - 1);
}

void merge_set_next_packet_time(struct packet_merger *m, int64_t time_ns)
{
	m->head[0].time_ns = time_ns;
	merge_move_into_order(m, 0);
}

void merge_remove_ended_file(struct packet_merger *m)
{
	m->n--;
	memmove(m->head, m->head + 1, (size_t)m->n * sizeof(*m->head));
}
