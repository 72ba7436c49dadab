// SPDX-License-Identifier: GPL-3.0-or-later
#include "verdict.h"
#include "memory.h"
#include "pooled.h"

#define NOISY_SHARE (1.0 / 3) /* of disturbed blocks: more say nothing */

bool verdict_wanted(const struct block_series *s, const struct verdict_question *q)
{
	const char *at = q->metrics;
	size_t n = strlen(s->metric);

	for (; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (!strncmp(at, s->metric, n) && (at[n] == ',' || !at[n]))
			return true;
	}
	return !q->metrics;
}

static bool is_twin(const struct block_series *s, const struct verdict_question *q)
{
	return s->same_as && verdict_wanted(s->same_as, q);
}

/* Of two runs, and asked for: all values are the same. Of metrics that are not asked for it is no news. */
static bool is_one_value(const struct block_series *s, const struct verdict_question *q)
{
	return q->runs && q->metrics && verdict_wanted(s, q) && s->constant && !is_twin(s, q);
}

/* As before, and of so many keys of all repeats that the two hold the value. */
bool verdict_the_same(const struct block_series *s, const struct verdict_question *q)
{
	return is_one_value(s, q) && pooled_hold_share(s);
}

/* What can be decided: it is asked for, was measured, is not the same in all blocks, and is not another metric under a second
 * name. None of this depends on which blocks are of A. */
static size_t find_family(struct block_table *t, const struct verdict_question *q, struct block_series **family)
{
	size_t n = 0;

	for (struct block_series *s = t->series; s < t->series + t->n; s++)
		if (verdict_wanted(s, q) && s->figure.n && !is_twin(s, q) &&
		    (!s->constant || (is_one_value(s, q) && !verdict_the_same(s, q))))
			family[n++] = s;
	return n;
}

/* The metric of a condition that one mostly asks for: the median, or else the first one. */
static const struct block_series *find_main(struct block_series *const *family, size_t n, const char *cell)
{
	const struct block_series *first = NULL;

	for (size_t i = 0; i < n; i++) {
		if (strcmp(family[i]->cell, cell) != 0)
			continue;
		if (strstr(family[i]->metric, "_p50"))
			return family[i];
		first = first ? first : family[i];
	}
	return first;
}

/* The main metrics have half of alpha: they are decided sooner. */
static void weigh_family(struct block_series *const *family, size_t n)
{
	size_t mains = 0;

	for (size_t i = 0; i < n; i++)
		mains += find_main(family, n, family[i]->cell) == family[i];
	for (size_t i = 0; i < n; i++)
		family[i]->figure.weight = 1.0 / (double)(find_main(family, n, family[i]->cell) == family[i] ? mains : n - mains);
}

/* Is a decision told where only what speaks against this variant is? */
static bool is_told(enum decision word, enum decision against_b, enum variant only)
{
	return only == VARIANTS || ((word == DECIDE_LOWER || word == DECIDE_HIGHER) && (word == against_b) == (only == VARIANT_B));
}

static void decide_family(struct block_series *const *family, size_t n, double alpha, enum variant calmer)
{
	struct decide_figure *f = memory_new(n, sizeof(*f));

	for (size_t i = 0; i < n; i++)
		f[i] = family[i]->figure;
	decide_all(f, n, alpha);
	for (size_t i = 0; i < n; i++) {
		enum variant poorer = blocks_poorer(family[i]);
		enum decision against_b = family[i]->higher_is_better ? DECIDE_LOWER : DECIDE_HIGHER;

		family[i]->figure = f[i];
		family[i]->more = f[i].word == DECIDE_OPEN && !family[i]->constant ? decide_more(&f[i]) : DECIDE_NEVER;
		/* only what speaks against a variant of which values are missing, or which was disturbed less, is told; of equal
		 * values, nothing */
		if (family[i]->constant || !is_told(f[i].word, against_b, poorer) || !is_told(f[i].word, against_b, calmer)) {
			family[i]->figure.word = DECIDE_OPEN;
			family[i]->figure.not_less = family[i]->figure.not_more = false;
			family[i]->more = DECIDE_NEVER;
		}
	}
	free(f);
}

bool verdict_overloaded(const struct block_series *s, const struct verdict_question *q)
{
	const char *why = s->pooled[VARIANT_B].why;

	return q->runs && verdict_wanted(s, q) && why && !strcmp(why, "overloaded") && s->known[VARIANT_A] >= DECIDE_REPEATS &&
	       !s->known[VARIANT_B] && s->unknown[VARIANT_B] >= DECIDE_REPEATS;
}

bool verdict_only_in_a(const struct block_series *s, const struct verdict_question *q)
{
	return verdict_wanted(s, q) && s->known[VARIANT_A] && !s->known[VARIANT_B] && !verdict_overloaded(s, q);
}

bool verdict_only_in_b(const struct block_series *s, const struct verdict_question *q)
{
	return verdict_wanted(s, q) && s->known[VARIANT_B] && !s->known[VARIANT_A];
}

bool verdict_too_few(const struct block_series *s, const struct verdict_question *q)
{
	bool few = s->constant ? blocks_poorer(s) == VARIANT_B && !verdict_the_same(s, q) : !s->figure.n;

	return verdict_wanted(s, q) && s->known[VARIANT_A] > q->runs && s->known[VARIANT_B] && few;
}

bool verdict_aside(const struct block_series *s, const struct verdict_question *q)
{
	return q->runs && !q->metrics && s->aside && !s->figure.n;
}

bool verdict_not_compared(const struct block_series *s, const struct verdict_question *q)
{
	return verdict_wanted(s, q) && s->why && !s->figure.n && !verdict_only_in_a(s, q) && !verdict_overloaded(s, q) &&
	       !verdict_too_few(s, q) && !verdict_aside(s, q);
}

bool verdict_copied(const struct block_series *s, const struct verdict_question *q)
{
	return q->runs && s->copied;
}

static bool is_not_told(const struct block_series *s, const struct verdict_question *q)
{
	return verdict_only_in_a(s, q) || verdict_too_few(s, q) || verdict_not_compared(s, q) || verdict_copied(s, q);
}

size_t verdict_count(const struct block_table *t, const struct verdict_question *q, verdict_test *test)
{
	size_t n = 0;

	for (const struct block_series *s = t->series; s < t->series + t->n; s++)
		n += test(s, q);
	return n;
}

const char *verdict_word(const struct block_series *s, bool noisy)
{
	if (noisy)
		return "too noisy";
	switch (s->figure.word) {
	case DECIDE_SAME: return "no difference of that size";
	case DECIDE_LOWER: return s->higher_is_better ? "worse" : "better";
	case DECIDE_HIGHER: return s->higher_is_better ? "better" : "worse";
	case DECIDE_OPEN: break;
	}
	return "not decided";
}

/* May B be worse by the effect, as far as is known? */
static bool may_be_worse(const struct block_series *s)
{
	return s->figure.word == DECIDE_OPEN && !(s->higher_is_better ? s->figure.not_less : s->figure.not_more);
}

/* The verdict of all metrics together: the worst that was told. Better is B only where no other metric may be worse by the
 * effect. */
static const char *combine_words(struct block_series *const *family, size_t n, bool noisy)
{
	bool better = false, open = false, harm = false;

	if (noisy || !n)
		return noisy ? "too noisy" : "not decided";
	for (size_t i = 0; i < n; i++) {
		const char *word = verdict_word(family[i], false);

		if (!strcmp(word, "worse"))
			return word;
		better = better || !strcmp(word, "better");
		open = open || family[i]->figure.word == DECIDE_OPEN;
		harm = harm || may_be_worse(family[i]);
	}
	return better && !harm ? "better" : open ? "not decided" : "no difference of that size";
}

static size_t count_open(struct block_series *const *family, size_t n, size_t *more)
{
	size_t open = 0;

	*more = 0;
	for (size_t i = 0; i < n; i++)
		if (family[i]->figure.word == DECIDE_OPEN) {
			open++;
			*more = family[i]->more > *more ? family[i]->more : *more;
		}
	return open;
}

/* More than a third of the blocks, or all of one of two runs. */
static bool is_noisy(const struct block_table *t, const struct verdict_question *q)
{
	for (int v = 0; v < VARIANTS && q->runs; v++)
		if (t->blocks_of[v] && t->disturbed_of[v] == t->blocks_of[v])
			return true;
	return (double)t->disturbed > NOISY_SHARE * (double)(t->blocks_of[VARIANT_A] + t->blocks_of[VARIANT_B]);
}

bool verdict_reach(struct block_table *t, const struct verdict_question *q, struct verdict *out)
{
	*out = (struct verdict){ .family = memory_new(t->n, sizeof(struct block_series *)), .noisy = is_noisy(t, q) };
	out->n = find_family(t, q, out->family);
	for (struct block_series *s = t->series; s < t->series + t->n && !q->runs; s++)
		if (q->metrics && verdict_wanted(s, q) && s->constant && (!out->n || out->family[0]->constant))
			out->family[out->n++] = s; /* nothing that was asked for ever changed: it is shown, and not decided */
	if (!out->n && !out->noisy &&
	    !(q->runs && (verdict_count(t, q, verdict_the_same) || verdict_count(t, q, is_not_told) ||
			  verdict_count(t, q, verdict_overloaded) || verdict_count(t, q, verdict_aside))))
		return false;
	if (!q->runs)
		weigh_family(out->family, out->n);
	decide_family(out->family, out->n, q->alpha, blocks_calmer(t));
	out->word = out->n || out->noisy || !verdict_count(t, q, verdict_the_same) ? combine_words(out->family, out->n, out->noisy)
										   : "no difference of that size";
	if (!out->noisy && verdict_count(t, q, verdict_overloaded))
		out->word = "worse";
	if (!out->noisy && (q->doubt || (verdict_count(t, q, is_not_told) && strcmp(out->word, "worse") != 0)))
		out->word = "not decided";
	out->open = count_open(out->family, out->n, &out->more);
	return true;
}
