// SPDX-License-Identifier: GPL-3.0-or-later
#include "text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define NARROWEST 20 /* columns: a terminal that reports a smaller width is not believed, and gets TEXT_WIDTH */

int text_utf8_length(const unsigned char *p)
{
	int n = p[0] < 0x80 ? 1 : p[0] >= 0xc2 && p[0] < 0xe0 ? 2 : (p[0] & 0xf0) == 0xe0 ? 3 : p[0] >= 0xf0 && p[0] < 0xf5 ? 4 : 0;

	for (int i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) || (p[0] == 0xf0 && p[1] < 0x90) ||
	    (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return n;
}

int text_columns(const char *text, size_t bytes)
{
	int columns = 0;

	for (size_t i = 0; i < bytes; i++)
		columns += (text[i] & 0xc0) != 0x80;
	return columns;
}

int text_line_width(FILE *out)
{
	const char *text = getenv("COLUMNS");
	struct winsize size = { 0 };
	long columns = text ? strtol(text, NULL, 10) : 0;

	if (!isatty(fileno(out)))
		return TEXT_WIDTH;
	if (columns <= 0 && !ioctl(fileno(out), TIOCGWINSZ, &size))
		columns = size.ws_col;
	return columns >= NARROWEST && columns < TEXT_WIDTH ? (int)columns : TEXT_WIDTH;
}

/* Whether a character of n bytes has no picture of its own, and hides or turns what stands beside it: those of Unicode's property
 * Default_Ignorable_Code_Point (as `visible` of lab/words.sh). */
static bool is_hidden(const unsigned char *p, int n)
{
	static const unsigned range[][2] = { { 0xad, 0xad },	  { 0x34f, 0x34f },   { 0x61c, 0x61c },	    { 0x115f, 0x1160 },
					     { 0x17b4, 0x17b5 },  { 0x180b, 0x180f }, { 0x200b, 0x200f },   { 0x202a, 0x202e },
					     { 0x2060, 0x206f },  { 0x3164, 0x3164 }, { 0xfe00, 0xfe0f },   { 0xfeff, 0xfeff },
					     { 0xffa0, 0xffa0 },  { 0xfff0, 0xfff8 }, { 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a },
					     { 0xe0000, 0xe0fff } };
	unsigned code = n > 1 ? p[0] & (0x7fu >> n) : 0;

	for (int i = 1; i < n; i++)
		code = code << 6 | (p[i] & 0x3fu);
	for (size_t i = 0; i < sizeof(range) / sizeof(*range); i++)
		if (code >= range[i][0] && code <= range[i][1])
			return true;
	return false;
}

/* What is written for the character at `p`, of *n bytes: itself (0), a space or a question mark. (## begins a command of CI
 * services.) */
static char printable_instead(const unsigned char *p, int *n)
{
	*n = text_utf8_length(p);
	if (is_hidden(p, *n))
		return '?';
	if (*p == '\t' || *p == '\n' || *p == '\r')
		return ' ';
	if (!*n || *p < 0x20 || *p == 0x7f || (p[0] == 0xc2 && p[1] < 0xa0) || (p[0] == '#' && p[1] == '#')) {
		*n = *n > 1 ? *n : 1;
		return '?';
	}
	return 0;
}

void text_write_printable(FILE *out, const char *text)
{
	int n;

	for (const unsigned char *p = (const unsigned char *)text; p && *p; p += n) {
		char instead = printable_instead(p, &n);

		fwrite(instead ? (const void *)&instead : p, 1, instead ? 1 : (size_t)n, out);
	}
}

void text_make_printable(char *text)
{
	char *to = text;
	int n;

	for (const char *p = text; *p; p += n) {
		char instead = printable_instead((const unsigned char *)p, &n);

		memmove(to, instead ? &instead : p, instead ? 1 : (size_t)n);
		to += instead ? 1 : n;
	}
	*to = '\0';
}

void text_write_wrapped(FILE *out, const char *mark, const char *text, int indent)
{
	int at = (int)strlen(mark), most = text_line_width(out);
	char word[1024];

	fputs(mark, out);
	while (*text) {
		size_t gap = strspn(text, " "), n = strcspn(text + gap, " ");
		int columns = text_columns(text + gap, n);

		if (at + (int)gap + columns > most && n && at > indent) {
			fprintf(out, "\n%*s", indent, "");
			at = indent;
		} else {
			fprintf(out, "%*s", (int)gap, "");
			at += (int)gap;
		}
		snprintf(word, sizeof(word), "%.*s", (int)n, text + gap);
		text_write_printable(out, word);
		at += columns;
		text += gap + n;
	}
	fputc('\n', out);
}

/* Optimal string alignment: as Levenshtein's distance, with swaps of neighbours. */
size_t nearest_distance(const char *word, size_t n, const char *name)
{
	size_t d[NEAREST_LETTERS + 1][NEAREST_LETTERS + 1], columns = strlen(name), most = n < 4 ? 1 : 2;

	if (n > NEAREST_LETTERS || columns > NEAREST_LETTERS)
		return NEAREST_FAR;
	for (size_t i = 0; i <= n; i++)
		d[i][0] = i;
	for (size_t j = 0; j <= columns; j++)
		d[0][j] = j;
	for (size_t i = 1; i <= n; i++)
		for (size_t j = 1; j <= columns; j++) {
			size_t least = d[i - 1][j - 1] + (word[i - 1] != name[j - 1]);

			least = d[i - 1][j] + 1 < least ? d[i - 1][j] + 1 : least;
			least = d[i][j - 1] + 1 < least ? d[i][j - 1] + 1 : least;
			if (i > 1 && j > 1 && word[i - 1] == name[j - 2] && word[i - 2] == name[j - 1] &&
			    d[i - 2][j - 2] + 1 < least)
				least = d[i - 2][j - 2] + 1;
			d[i][j] = least;
		}
	return d[n][columns] > most || d[n][columns] >= n || d[n][columns] >= columns ? NEAREST_FAR : d[n][columns];
}
