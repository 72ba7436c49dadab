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
	};

	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++)
		if (!strncmp(text, of[i].magic, strlen(of[i].magic)))
			return of[i].why;
	return NULL;
}

/* Reads one line of the file, without its end. 1, 0 at the end of the file, or an error. (Not fgets(), which does not tell a byte 0
 * of the file from the end of what it read.) */
static int read_text_line(struct line_reader *l)
{
	char *at = l->text;
	size_t n = 0;
	int c = 0;

	l->line++;
	errno = 0;
	while (n + 1 < LINES_LONGEST && c != '\n' && (c = getc_unlocked(l->in)) != EOF)
		at[n++] = (char)c;
	at[n] = '\0';
	if (!n || ferror(l->in))
		return !ferror(l->in) ? 0 : errno ? -errno : -EIO;
	if (l->line == 1) {
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
		l->why = "a line too long: over 65534 bytes";
		return -EPROTO;
	}
	while (n && (at[n - 1] == '\n' || at[n - 1] == '\r'))
		at[--n] = '\0';
	return 1;
}

int line_reader_next(struct line_reader *l)
{
	int got;

	do
		got = read_text_line(l);
	while (got == 1 && !*l->text);
	return got;
}

size_t fields_split(char *line, char **cell, size_t most)
{
	size_t n = 0;

	line[strcspn(line, "\r\n")] = '\0';
	while (line && n < most)
		cell[n++] = strsep(&line, "\t");
	return line ? 0 : n;
}

int fields_find_name(char *const *cell, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(cell[i], name))
			return (int)i;
	return -1;
}
