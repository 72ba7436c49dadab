// SPDX-License-Identifier: GPL-3.0-or-later
#include "think.h"
#include "cli.h"
#include "memory.h"
#include "random.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = { "exp", "uniform", "const", "lognormal", "file" };

int think_parse(const char *text, struct think_times *out, const char **path)
{
	*path = NULL;
	out->variation = 1;
	if (!strncmp(text, "file:", 5) && text[5]) {
		out->kind = THINK_FILE;
		*path = text + 5;
		return 0;
	}
	if (!strncmp(text, "lognormal:", 10)) {
		out->kind = THINK_LOGNORMAL;
		return cli_parse_real(text + 10, &out->variation) || !(out->variation > 0 && out->variation <= 100) ? -EINVAL : 0;
	}
	for (int k = THINK_EXP; k < THINK_FILE; k++) {
		if (strcmp(text, names[k]) != 0)
			continue;
		out->kind = (enum think_kind)k;
		return 0;
	}
	return -EINVAL;
}

int think_read_values(FILE *in, struct think_times *out, unsigned long *line)
{
	char text[128];
	double s, sum = 0;

	out->n = 0;
	for (*line = 1; fgets(text, sizeof(text), in); (*line)++) {
		char *word = text + strspn(text, " \t");

		for (int c = strchr(text, '\n') ? '\n' : ' '; c != '\n' && c != EOF;) /* the rest of a long line */
			c = getc(in);
		word[strcspn(word, "#\r\n")] = '\0';
		for (size_t n = strlen(word); n && strchr(" \t", word[n - 1]); n--)
			word[n - 1] = '\0';
		if (!*word)
			continue;
		if (cli_parse_real(word, &s) || !(s >= 0 && s * 1e9 <= THINK_MOST_NS))
			return -EPROTO;
		if (out->n == THINK_VALUES_MOST)
			return -E2BIG;
		memory_more(out->value, out->n);
		out->value[out->n++] = s * 1e9;
		sum += s * 1e9;
	}
	if (ferror(in))
		return -EIO;
	if (!out->n)
		return -ENODATA;
	out->mean_ns = sum / (double)out->n;
	out->scale = 1;
	return 0;
}

void think_set_mean(struct think_times *t, double mean_ns)
{
	if (t->kind == THINK_FILE && t->mean_ns > 0)
		t->scale *= mean_ns / t->mean_ns;
	t->mean_ns = mean_ns;
}

int64_t think_draw_ns(const struct think_times *t, uint64_t *state)
{
	double ns = t->mean_ns, variance = log1p(t->variation * t->variation);

	switch (t->kind) {
	case THINK_EXP: ns *= -log(1 - random_fraction(state)); break;
	case THINK_UNIFORM: ns *= 2 * random_fraction(state); break;
	case THINK_CONST: break;
	case THINK_LOGNORMAL: /* of mean 1: exp(s z - s^2 / 2) */
		ns *= exp(sqrt(variance) * random_normal(state) - variance / 2);
		break;
	case THINK_FILE: ns = t->n ? t->scale * t->value[(size_t)(random_fraction(state) * (double)t->n)] : 0; break;
	}
	return llround(fmin(ns, THINK_MOST_NS));
}

void think_free(struct think_times *t)
{
	free(t->value);
	t->value = NULL;
	t->n = 0;
}
