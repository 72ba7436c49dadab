/* SPDX-License-Identifier: GPL-3.0-or-later */
/* text - text for terminals and tables: without control characters, in lines that fit; and words that are near a name. */
#pragma once

#include <stddef.h>
#include <stdio.h>

#define TEXT_WIDTH 80 /* columns of a line */

/* Length of the valid UTF-8 sequence at `p` (RFC 3629: no overlong forms, no surrogates); 0: invalid. */
int text_utf8_length(const unsigned char *p);
int text_columns(const char *text, size_t bytes);
/* Writes a text without control characters: tabs and line ends become spaces, other control characters, invalid UTF-8, and what
 * hides or turns the text beside it, question marks. NULL: nothing is written. */
void text_write_printable(FILE *out, const char *text);
void text_make_printable(char *text); /* the same, in place */
/* TEXT_WIDTH, or the columns of a narrower terminal, by COLUMNS or by itself. */
int text_line_width(FILE *out);
/* Writes a plain text in lines of text_line_width(), broken between words: `mark` begins the first line, `indent` blanks the
 * others. */
void text_write_wrapped(FILE *out, const char *mark, const char *text, int indent);

/* How far a word is from a name, to find the name that was probably meant (as lab/words.sh). */
#define NEAREST_LETTERS 40 /* longer words are near no name */

/* Letters to add, leave out, change or swap with the next one, to make `name` of the first `n` letters of `word`; NEAREST_FAR: more
 * than a slip of the keyboard, which is one letter of a word of less than four, else two, and never all letters. */
size_t nearest_distance(const char *word, size_t n, const char *name);
#define NEAREST_FAR ((size_t)-1)
