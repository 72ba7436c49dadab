// SPDX-License-Identifier: GPL-3.0-or-later
#include "lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int line_reader_init(struct line_reader *l, FILE *in)
{
	*l = (struct line_reader){ .in = in, .text = malloc(LINES_LONGEST), .why = "" };
	return l->text ? 0 : -ENOMEM;
}

void line_reader_free(struct line_reader *l)
{
	free(l->text);
	*l = (struct line_reader){ 0 };
}

/* Recognises files that are no text by their first bytes. Returns the reason and cure; NULL: text. */
static const char *explain_binary(const char *text)
{
	static const struct {
		const char *magic, *why;
	} of[] = {
		{ "\x1f\x8b", "compressed with gzip: pipe zcat FILE into this program, with - as the file" },
		{ "\x28\xb5\x2f\xfd", "compressed with zstd: pipe zstdcat FILE into this program, with - as the file" },
		{ "\xfd"
		  "7zXZ",
		  "compressed with xz: pipe xzcat FILE into this program, with - as the file" },
		{ "BZh", "compressed with bzip2: pipe bzcat FILE into this program, with - as the file" },
		{ "\xff\xfe", "UTF-16: convert it with iconv -f UTF-16 -t UTF-8" },
		{ "\xfe\xff", "UTF-16: convert it with iconv -f UTF-16 -t UTF-8" },
		{ "<?xml", "XML, which is not supported: give a table with tabs or commas, or a web server log" },
	};

	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++)
		if (!strncmp(text, of[i].magic, strlen(of[i].magic)))
			return of[i].why;
	return NULL;
}

/* Reads one line of the file to `at`, without its end; `long_why`: what is wrong with a line that is too long. 1, 0 at the end of
 * the file, or an error. (Not fgets(), which does not tell a byte 0 of the file from the end of what it read.) */
static int read_text_line(struct line_reader *l, char *at, const char *long_why)
{
	size_t room = LINES_LONGEST - (size_t)(at - l->text), n = 0;
	int c = 0;

	errno = 0;
	while (n + 1 < room && c != '\n' && (c = getc_unlocked(l->in)) != EOF)
		at[n++] = (char)c;
	at[n] = '\0';
	if (!n || ferror(l->in)) {
		l->why = long_why;
		return room < 2 ? -EPROTO : !ferror(l->in) ? 0 : errno ? -errno : -EIO;
	}
	l->read++;
	if (l->read == 1) {
		l->why = explain_binary(at);
		if (l->why)
			return -EPROTO;
		if (!strncmp(at, "\xef\xbb\xbf", 3)) {
			n -= 3;
			memmove(at, at + 3, n + 1);
		}
	}
	if (memchr(at, '\0', n)) {
		l->why = "a byte 0: the file is no text";
		return -EPROTO;
	}
	if (c != '\n' && c != EOF) {
		l->why = long_why;
		return -EPROTO;
	}
	while (n && (at[n - 1] == '\n' || at[n - 1] == '\r'))
		at[--n] = '\0';
	return 1;
}

/* Whether a quoted cell is open at the end of the text. */
static bool has_open_quote(const char *text)
{
	bool is = false;

	for (text = strchr(text, '"'); text; text = strchr(text + 1, '"'))
		is = !is;
	return is;
}

int line_reader_next(struct line_reader *l, bool quotes)
{
	const char *long_why = quotes ? "a line too long, or a quote that is not closed" : "a line too long: over 65534 bytes";
	int got;

	do {
		l->line = l->read + 1;
		got = read_text_line(l, l->text, long_why);
	} while (got == 1 && !*l->text);
	while (got == 1 && quotes && has_open_quote(l->text)) {
		size_t n = strlen(l->text);

		l->text[n++] = ' ';
		l->text[n] = '\0';
		got = n + 1 < LINES_LONGEST ? read_text_line(l, l->text + n, long_why) : 0;
		if (!got) { /* no room, or no more lines */
			l->why = "a quote that is not closed";
			got = -EPROTO;
		}
	}
	return got;
}

int lines_read_table(FILE *in, const bool *quotes, lines_take *head, lines_take *body, void *context, unsigned long *line,
		     const char **why)
{
	struct line_reader l;
	lines_take *take = head;
	int err = line_reader_init(&l, in), got = 0;

	for (; !err && (got = line_reader_next(&l, *quotes)) == 1; take = body) {
		*line = l.line;
		err = take(context, l.text, why);
	}
	*line = l.line;
	if (!err && got < 0) {
		err = got;
		*why = l.why;
	}
	line_reader_free(&l);
	return err;
}

size_t fields_split(char *line, char separator, char **cell, size_t most)
{
	char *from = line, ends[] = { separator, '\0' };
	size_t n = 0;

	line[strcspn(line, "\r\n")] = '\0';
	for (;;) {
		char *to, *p = from;
		bool last;

		if (n == most)
			return 0;
		cell[n++] = from;
		if (separator != '\t' && *p == '"') {
			to = from;
			for (p++; *p && (*p != '"' || p[1] == '"'); p++) {
				p += *p == '"';
				*to++ = *p;
			}
			p += *p == '"';
			p += strcspn(p, ends); /* text behind the closing quote is ignored */
		} else {
			p += strcspn(p, ends);
			to = p;
		}
		last = !*p;
		*to = '\0';
		if (last)
			return n;
		from = p + 1;
	}
}

int fields_find_name(char *const *cell, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(cell[i], name))
			return (int)i;
	return -1;
}

bool fields_is_repeated(char *const *cell, size_t n, int at, struct why *why)
{
	size_t next = (size_t)(at + 1);

	if (at < 0 || fields_find_name(cell + next, n - next, cell[at]) < 0)
		return false;
	why_say(why, "two columns are named %s; rename one", cell[at]);
	return true;
}

unsigned long fields_count_held(char *const *cell, size_t n)
{
	static const char words[] = "Number of samples in transaction : ";

	for (size_t i = 0; i < n; i++)
		if (!strncmp(cell[i], words, strlen(words)))
			return strtoul(cell[i] + strlen(words), NULL, 10);
	return 0;
}

int64_t fields_time_unit(const char *name)
{
	static const struct {
		const char *end;
		int64_t ns;
	} units[] = { { "_ns", 1 }, { "_us", 1000 }, { "_ms", 1000000 }, { "_s", 1000000000 } };
	size_t n = strlen(name);

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		size_t m = strlen(units[i].end);

		if (n > m && !strcmp(name + n - m, units[i].end))
			return units[i].ns;
	}
	return 0;
}
