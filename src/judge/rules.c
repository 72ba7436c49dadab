// SPDX-License-Identifier: GPL-3.0-or-later
#include "rules.h"

#include <stdbool.h>

static bool condition_holds(struct claim *c, size_t n)
{
	size_t held = 0;

	for (size_t i = 0; i < n; i++) {
		for (int k = 0; k < 2; k++)
			claim_widen(&c[i].figure[k], c->some ? (int64_t)n : 1);
		held += !claim_judge(&c[i]) && c[i].word == CLAIM_HOLDS;
	}
	return c->some ? held > 0 : held == n;
}

enum rule_word rules_decide(struct claim *c, size_t n, enum rule_word *by)
{
	bool said[RULE_UNTOLD] = { false }, fails[RULE_UNTOLD] = { false };
	enum rule_word word = RULE_UNTOLD;

	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && c[end].rule == c[i].rule && c[end].part == c[i].part;)
			end++;
		said[c[i].says] = true;
		if (!condition_holds(c + i, end - i))
			fails[c[i].says] = true;
	}
	for (word = RULE_SAME; word < RULE_UNTOLD && (!said[word] || fails[word]);)
		word++;
	*by = word;
	if (word < RULE_CONTRARY && said[RULE_CONTRARY] && !fails[RULE_CONTRARY])
		return *by = RULE_UNTOLD;
	if (n && !c->whole)
		return word == RULE_SAME ? RULE_LESS : word == RULE_CONTRARY ? (*by = RULE_UNTOLD) : word;
	return word;
}
