// SPDX-License-Identifier: GPL-3.0-or-later
#include "settings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct setting *add(struct settings *s, const char *name, size_t n, int runs)
{
	struct setting *grown = reallocarray(s->setting, (size_t)s->n + 1, sizeof(*grown));

	if (!grown)
		return NULL;
	s->setting = grown;
	grown = &s->setting[s->n];
	*grown = (struct setting){ .name = strndup(name, n), .run = calloc((size_t)runs, sizeof(*grown->run)) };
	s->n++;
	return grown->name && grown->run ? grown : NULL;
}

static bool has(const struct setting *s, int run)
{
	for (int i = 0; i < s->runs; i++)
		if (s->run[i] == run)
			return true;
	return false;
}

static int by_label(const struct latencies *l, struct settings *out)
{
	for (int r = 0; r < l->runs; r++) {
		struct setting *s = NULL;

		for (int i = 0; i < out->n && !s; i++)
			if (!strcmp(out->setting[i].name, l->run[r].label))
				s = &out->setting[i];
		if (!s)
			s = add(out, l->run[r].label, strlen(l->run[r].label), l->runs);
		if (!s)
			return -1;
		s->run[s->runs++] = r;
	}
	return 0;
}

static int one_setting(const struct latencies *l, char *text, struct settings *out, char *why, size_t size)
{
	char *runs = strchr(text, '='), *word;
	struct setting *s;

	if (!runs || runs == text) {
		snprintf(why, size, "\"%.60s\": a setting is NAME=RUN,RUN", text);
		return -1;
	}
	s = add(out, text, (size_t)(runs - text), l->runs);
	if (!s) {
		snprintf(why, size, "out of memory");
		return -1;
	}
	runs++;
	while ((word = strsep(&runs, ",")) != NULL) {
		bool found = false;

		for (int r = 0; r < l->runs; r++) {	/* several may bear a label */
			if (strcmp(l->run[r].label, word) != 0 && r != latencies_run(l, word))
				continue;
			found = true;
			if (!has(s, r))
				s->run[s->runs++] = r;
		}
		if (!found) {
			snprintf(why, size, "there is no run \"%.60s\": use labels, or numbers from 0 to %d", word, l->runs - 1);
			return -1;
		}
	}
	return 0;
}

int settings_make(const struct latencies *l, const char *text, struct settings *out, char *why, size_t size)
{
	char *copy, *rest, *word;
	int err = 0;

	*out = (struct settings){ 0 };
	snprintf(why, size, "out of memory");
	if (!text) {
		err = by_label(l, out);
	} else {
		copy = rest = strdup(text);
		err = copy ? 0 : -1;
		while (!err && (word = strsep(&rest, ";")) != NULL)
			err = one_setting(l, word, out, why, size);
		free(copy);
	}
	if (err)
		settings_free(out);
	return err;
}

void settings_free(struct settings *s)
{
	for (int i = 0; i < s->n; i++) {
		free(s->setting[i].name);
		free(s->setting[i].run);
	}
	free(s->setting);
	*s = (struct settings){ 0 };
}

void settings_sample(const struct latencies *l, const struct setting *s, struct sample *out)
{
	for (size_t i = 0; i < l->n; i++)
		for (int r = 0; r < s->runs; r++)
			if (!isnan(l->ms[i * (size_t)l->runs + (size_t)s->run[r]]))
				sample_add(out, llround(1000 * l->ms[i * (size_t)l->runs + (size_t)s->run[r]]));
}

double settings_total_s(const struct latencies *l, const struct setting *s)
{
	double sum = 0;

	for (int r = 0; r < s->runs; r++)
		sum += l->run[s->run[r]].total_s;
	return s->runs ? sum / s->runs : NAN;
}

static double mean(const struct latencies *l, const struct setting *s, size_t i)
{
	double sum = 0;
	int n = 0;

	for (int r = 0; r < s->runs; r++) {
		double ms = l->ms[i * (size_t)l->runs + (size_t)s->run[r]];

		if (isnan(ms))
			continue;
		sum += ms;
		n++;
	}
	return n ? sum / n : NAN;
}

void settings_ratio(const struct latencies *l, const struct setting *a, const struct setting *b,
		    double width, uint32_t *bin, int bins, struct sample *all)
{
	for (size_t i = 0; i < l->n; i++) {
		double x = mean(l, a, i), y = mean(l, b, i), ratio = x / y;
		int at;

		if (!(x >= 0) || !(y > 0))	/* missing, or before the release */
			continue;
		at = ratio / width >= bins - 1 ? bins - 1 : (int)floor(ratio / width + 1e-9);
		bin[at]++;
		sample_add(all, llround(1000 * ratio));
	}
}
