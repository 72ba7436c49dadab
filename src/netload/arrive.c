// SPDX-License-Identifier: GPL-3.0-or-later
#include "arrive.h"

#include <stdbool.h>

static uint64_t *seen_word(struct arrive *a, int64_t n)
{
	return &a->seen[n % ARRIVE_WINDOW / 64];
}

static void forget_up_to(struct arrive *a, int64_t n)
{
	if (n - a->next >= ARRIVE_WINDOW)
		a->next = n - ARRIVE_WINDOW + 1;
	for (; a->next <= n; a->next++)
		*seen_word(a, a->next) &= ~(1ULL << (a->next % 64));
}

enum arrive_kind arrive_add(struct arrive *a, uint64_t number)
{
	int64_t n = (int64_t)number;
	bool late;

	if (n < 0 || n - a->next > ARRIVE_JUMP)
		return ARRIVE_STRANGER;
	late = n < a->next;
	if (!late)
		forget_up_to(a, n);
	if (late && a->next - n <= ARRIVE_WINDOW && (*seen_word(a, n) >> (n % 64) & 1)) {
		a->duplicate++;
		return ARRIVE_AGAIN;
	}
	if (a->next - n <= ARRIVE_WINDOW)
		*seen_word(a, n) |= 1ULL << (n % 64);
	a->reordered += late;
	a->got++;
	return ARRIVE_NEW;
}
