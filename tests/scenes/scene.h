/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scene - proves a decider: runs it in virtual time on made-up scenes of which the truth is known, and counts what it says.
 *
 * A decider is a file NAME.c with scene_draw(), and a table NAME.tsv beside it with a scene a line:
 *	scene	name, unique in the table
 *	happens	what happens, as KEY=VALUE words that only NAME.c reads; KEY=A|B: a scene for each value, named "A: NAME"
 *	say	words of which one must be said, as "a|b"; empty: none must
 *	never	words of which none may be said
 *	least	share of the draws, in percent, that must say one of `say`
 *	most	share of the draws, in percent, that may say one of `never`
 *	draws	most draws of a short run, which ends as soon as a sequential test accepts both rates
 * A rate fails where chance would do as badly in fewer than one of ten thousand runs, if the share that is allowed were the true
 * one. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define SCENE_SAID 4096

struct scene {
	const char *name, *happens;
};

/* The value of KEY in `happens`; `otherwise` where it is not there. Times are in ms, shares in percent: plain numbers. A word is
 * valid until the next call. Each ends the program with status 2 for a value that is none. */
double scene_number(const struct scene *s, const char *key, double otherwise);
const char *scene_word(const struct scene *s, const char *key, const char *otherwise);

/* One draw of the scene: what the decider says of it, as words with blanks between. By NAME.c. */
void scene_draw(const struct scene *s, uint64_t *rng, char said[static SCENE_SAID]);
