// SPDX-License-Identifier: GPL-3.0-or-later
#include "delay.h"
#include "cli.h"
#include "memory.h"
#include "random.h"

#include <errno.h>

static int read_delay(const char *text, int64_t *out)
{
	int err = cli_parse_ns(text, out);

	return err ? err : *out < 0 || *out > DELAY_MAX_NS ? -ERANGE : 0;
}

int delay_parse(const char *text, struct delay_generator *out, const char **path)
{
	static const char *const kinds[] = {
		[DELAY_CONST] = "const:", [DELAY_UNIFORM] = "uniform:", [DELAY_BIMODAL] = "bimodal:", [DELAY_FILE] = "file:"
	};
	char words[128], *part[4] = { NULL }, *p = words;
	int kind = DELAY_CONST, n = 0, err;

	while (kind <= DELAY_FILE && strncmp(text, kinds[kind], strlen(kinds[kind])) != 0)
		kind++;
	if (kind > DELAY_FILE || !*(text += strlen(kinds[kind])))
		return -EINVAL;
	*out = (struct delay_generator){ .kind = (enum delay_kind)kind };
	*path = text;
	if (kind == DELAY_FILE)
		return 0;
	if (snprintf(words, sizeof(words), "%s", text) >= (int)sizeof(words))
		return -EINVAL;
	while (p && n < 4)
		part[n++] = strsep(&p, ",");
	if (n != kind + 1) /* const: 1 part, uniform: 2, bimodal: 3 */
		return -EINVAL;
	err = kind == DELAY_BIMODAL ? cli_parse_real(part[2], &out->high_share) : 0;
	if (!err && !(out->high_share >= 0 && out->high_share <= 1))
		err = -ERANGE;
	if (!err)
		err = read_delay(part[0], &out->low_ns);
	if (!err && kind != DELAY_CONST)
		err = read_delay(part[1], &out->high_ns);
	return err ? err : kind != DELAY_CONST && out->low_ns > out->high_ns ? -ERANGE : 0;
}

int delay_load_file(struct delay_generator *d, FILE *in, int *line)
{
	char text[256];

	for (*line = 1; fgets(text, sizeof(text), in); ++*line) {
		char *p = text + strspn(text, " \t\r\n"), *end;
		int64_t ns;
		int err;

		if (!strchr(text, '\n') && !feof(in))
			return -EINVAL;
		p[strcspn(p, "#\r\n")] = '\0';
		for (end = p + strlen(p); end > p && (end[-1] == ' ' || end[-1] == '\t'); end--)
			end[-1] = '\0';
		if (!*p)
			continue;
		err = read_delay(p, &ns);
		if (err)
			return err;
		if (d->n == DELAY_LINES_MAX)
			return -ERANGE;
		memory_more(d->list, d->n);
		d->list[d->n++] = ns;
	}
	if (ferror(in))
		return errno ? -errno : -EIO;
	*line = 0;
	return d->n ? 0 : -EINVAL;
}

int64_t delay_next_ns(struct delay_generator *d)
{
	switch (d->kind) {
	case DELAY_UNIFORM: return d->low_ns + (int64_t)(random_fraction(&d->random) * (double)(d->high_ns - d->low_ns + 1));
	case DELAY_BIMODAL: return random_fraction(&d->random) < d->high_share ? d->high_ns : d->low_ns;
	case DELAY_FILE: return d->list[d->next++ % d->n];
	default: return d->low_ns;
	}
}

void delay_free(struct delay_generator *d)
{
	free(d->list);
	*d = (struct delay_generator){ 0 };
}
