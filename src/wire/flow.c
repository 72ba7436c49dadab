// SPDX-License-Identifier: GPL-3.0-or-later
#include "flow.h"
#include "memory.h"

#include <arpa/inet.h>
#include <errno.h>

void counters_add(void *to, const void *from, size_t bytes)
{
	for (size_t i = 0; i < bytes / sizeof(uint64_t); i++)
		((uint64_t *)to)[i] += ((const uint64_t *)from)[i];
}

bool flow_has_ended(const struct flow *f)
{
	return f->reset || (f->finished[INPUT] && f->finished[DISPLAY]);
}

uint64_t flow_bytes(const struct flow *f)
{
	return f->count[INPUT].wire_bytes + f->count[DISPLAY].wire_bytes;
}

uint64_t flow_missing_bytes(const struct flow *f)
{
	uint64_t bytes = 0;

	for (int c = 0; c < CHANNELS; c++)
		bytes += f->count[c].missing_bytes + stream_unseen_bytes(&f->stream[c]);
	return bytes;
}

int flow_table_init(struct flow_table *t, uint32_t size, uint64_t seed)
{
	uint32_t buckets = 1;

	while (buckets < size * 2)
		buckets *= 2;
	*t = (struct flow_table){ .size = size, .mask = buckets - 1, .fresh = 1, .seed = seed };
	t->flow = calloc((size_t)size + 1, sizeof(*t->flow));
	t->bucket = calloc(buckets, sizeof(*t->bucket));
	if (t->flow && t->bucket)
		return 0;
	flow_table_free(t);
	return -ENOMEM;
}

void flow_table_free(struct flow_table *t)
{
	free(t->flow);
	free(t->bucket);
	*t = (struct flow_table){ 0 };
}

const char *flow_address(const struct flow_key *key, int end, char text[static FLOW_ADDRESS])
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	const uint8_t *address = key->address[end];
	bool ipv4 = !memcmp(address, mapped, sizeof(mapped));

	return inet_ntop(ipv4 ? AF_INET : AF_INET6, ipv4 ? address + 12 : address, text, FLOW_ADDRESS);
}

int flow_make_key(const struct segment *s, struct flow_key *key)
{
	int order = memcmp(s->address[0], s->address[1], 16), swapped = order > 0 || (!order && s->port[0] > s->port[1]);

	memcpy(key->address[swapped], s->address[0], 16);
	memcpy(key->address[1 - swapped], s->address[1], 16);
	key->port[swapped] = s->port[0];
	key->port[1 - swapped] = s->port[1];
	key->transport = s->transport;
	return swapped;
}

static uint64_t mix_hash(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9fb21c651e98df25;
	return h ^ h >> 32;
}

uint32_t flow_hash(const struct flow_table *t, const struct flow_key *key)
{
	uint64_t word[4], h = t->seed;

	memcpy(word, key->address, sizeof(word));
	h = mix_hash(h, word[0]);
	h = mix_hash(h, word[1]);
	h = mix_hash(h, word[2]);
	h = mix_hash(h, word[3]);
	return (uint32_t)mix_hash(h, (uint64_t)key->transport << 32 | (uint64_t)key->port[0] << 16 | key->port[1]);
}

struct flow *flow_find(struct flow_table *t, const struct flow_key *key, uint32_t hash)
{
	for (uint32_t i = t->bucket[hash & t->mask]; i; i = t->flow[i].next)
		if (t->flow[i].hash == hash && flow_keys_equal(&t->flow[i].key, key))
			return &t->flow[i];
	return NULL;
}

struct flow *flow_find_victim(struct flow_table *t)
{
	struct flow *victim = NULL;

	if (t->used < t->size)
		return NULL;
	for (int i = 0; i < FLOW_LOOK; i++) {
		struct flow *f = &t->flow[1 + t->hand];

		t->hand = (t->hand + 1) % t->size;
		if (flow_has_ended(f))
			return f;
		if (!victim || f->last_ns < victim->last_ns)
			victim = f;
	}
	return victim;
}

struct flow *flow_new(struct flow_table *t, const struct flow_key *key, uint32_t hash)
{
	uint32_t i = t->free;
	struct flow *f;

	if (i)
		t->free = t->flow[i].next;
	else if (t->fresh <= t->size)
		i = t->fresh++;
	else
		return NULL;
	f = &t->flow[i];
	memset(f, 0, sizeof(*f));
	f->key = *key;
	f->hash = hash;
	f->used = true;
	f->next = t->bucket[hash & t->mask];
	t->bucket[hash & t->mask] = i;
	t->used++;
	message_reset(&f->run);
	acks_init(f->ack);
	return f;
}

void flow_remove(struct flow_table *t, struct flow *f)
{
	uint32_t at = (uint32_t)(f - t->flow), *link = &t->bucket[f->hash & t->mask];

	while (*link && *link != at)
		link = &t->flow[*link].next;
	if (*link)
		*link = f->next;
	f->used = false;
	f->next = t->free;
	t->free = at;
	t->used--;
}

void ranking_init(struct flow_ranking *r, uint32_t size)
{
	*r = (struct flow_ranking){ .size = size, .flow = memory_new(size, sizeof(*r->flow)) };
}

void ranking_free(struct flow_ranking *r)
{
	free(r->flow);
	*r = (struct flow_ranking){ 0 };
}

/* Most bytes first, then the earliest. */
static int compare_bytes(const void *a, const void *b)
{
	const struct flow *x = a, *y = b;
	uint64_t m = flow_bytes(x), n = flow_bytes(y);

	if (m != n)
		return m < n ? 1 : -1;
	return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

static void sift(struct flow_ranking *r, uint32_t at)
{
	for (;;) {
		uint32_t least = at;

		for (uint32_t child = 2 * at + 1; child <= 2 * at + 2 && child < r->n; child++)
			if (compare_bytes(&r->flow[child], &r->flow[least]) > 0)
				least = child;
		if (least == at)
			return;

		struct flow swap = r->flow[at];

		r->flow[at] = r->flow[least];
		r->flow[least] = swap;
		at = least;
	}
}

void ranking_offer(struct flow_ranking *r, const struct flow *f)
{
	if (r->n < r->size) {
		r->flow[r->n++] = *f;
		if (r->n == r->size)
			for (uint32_t i = r->n / 2; i-- > 0;)
				sift(r, i);
	} else if (r->size && compare_bytes(f, &r->flow[0]) < 0) {
		r->flow[0] = *f;
		sift(r, 0);
	}
}

void ranking_sort(struct flow_ranking *r)
{
	qsort(r->flow, r->n, sizeof(*r->flow), compare_bytes);
}
