// SPDX-License-Identifier: GPL-3.0-or-later
#include "lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int lines_open(struct lines *l, FILE *in)
{
	*l = (struct lines){ .in = in, .text = malloc(LINES_LONGEST), .why = "" };
	return l->text ? 0 : -ENOMEM;
}

void lines_close(struct lines *l)
{
	free(l->text);
	*l = (struct lines){ 0 };
}

/* The first bytes of a file that is no text. */
static const char *no_text(const char *text)
{
	static const struct {
		const char *magic, *why;
	} of[] = {
		{ "\x1f\x8b", "compressed with gzip: zcat FILE, and - in place of its name" },
		{ "\x28\xb5\x2f\xfd", "compressed with zstd: zstdcat FILE, and - in place of its name" },
		{ "\xfd" "7zXZ", "compressed with xz: xzcat FILE, and - in place of its name" },
		{ "BZh", "compressed with bzip2: bzcat FILE, and - in place of its name" },
		{ "\xff\xfe", "UTF-16: iconv -f UTF-16 -t UTF-8 makes it readable" },
		{ "\xfe\xff", "UTF-16: iconv -f UTF-16 -t UTF-8 makes it readable" },
		{ "<?xml", "XML: tables are read with tabs or commas, and the log formats of web servers" },
	};

	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++)
		if (!strncmp(text, of[i].magic, strlen(of[i].magic)))
			return of[i].why;
	return NULL;
}

/* One line of the file to `at`, its end taken off: 1, 0, or an error. */
static int one(struct lines *l, char *at)
{
	size_t room = LINES_LONGEST - (size_t)(at - l->text), n;

	if (room < 2 || !fgets(at, (int)room, l->in)) {
		l->why = "a line too long, or a quote that nothing ends";
		return room < 2 ? -EPROTO : ferror(l->in) ? -EIO : 0;
	}
	l->read++;
	n = strlen(at);
	if (l->read == 1) {
		l->why = no_text(at);
		if (l->why)
			return -EPROTO;
		if (!strncmp(at, "\xef\xbb\xbf", 3)) {
			n -= 3;
			memmove(at, at + 3, n + 1);
		}
	}
	if ((!n || at[n - 1] != '\n') && !feof(l->in)) {
		l->why = n + 4 < room ? "a byte of 0: no text" : "a line too long, or a quote that nothing ends";
		return -EPROTO;
	}
	while (n && (at[n - 1] == '\n' || at[n - 1] == '\r'))
		at[--n] = '\0';
	return 1;
}

static bool odd(const char *text)
{
	bool is = false;

	for (text = strchr(text, '"'); text; text = strchr(text + 1, '"'))
		is = !is;
	return is;
}

int lines_next(struct lines *l, bool quotes)
{
	int got;

	do {
		l->line = l->read + 1;
		got = one(l, l->text);
	} while (got == 1 && !*l->text);
	while (got == 1 && quotes && odd(l->text)) {
		size_t n = strlen(l->text);

		l->text[n++] = ' ';
		l->text[n] = '\0';
		got = n + 1 < LINES_LONGEST ? one(l, l->text + n) : -EPROTO;
		l->why = "a quote that nothing ends";
		if (!got)
			got = -EPROTO;
	}
	return got;
}

int lines_each(FILE *in, const bool *quotes, lines_take *head, lines_take *body, void *context, unsigned long *line,
	       const char **why)
{
	struct lines l;
	lines_take *take = head;
	int err = lines_open(&l, in), got = 0;

	for (; !err && (got = lines_next(&l, *quotes)) == 1; take = body)
		err = take(context, l.text, why);
	*line = l.line;
	if (!err && got < 0) {
		err = got;
		*why = l.why;
	}
	lines_close(&l);
	return err;
}
