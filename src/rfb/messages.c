// SPDX-License-Identifier: GPL-3.0-or-later
#include "server_messages.h"

#include "rfb.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static size_t put16(uint8_t *to, unsigned v)
{
	to[0] = (uint8_t)(v >> 8);
	to[1] = (uint8_t)v;
	return 2;
}

static size_t put32(uint8_t *to, uint32_t v)
{
	put16(to, v >> 16);
	put16(to + 2, v & 0xffff);
	return 4;
}

static size_t put_format(uint8_t *to, const struct rfb_format *f)
{
	to[0] = f->bits;
	to[1] = f->depth;
	to[2] = f->big_endian;
	to[3] = f->true_colour;
	put16(to + 4, f->red_max);
	put16(to + 6, f->green_max);
	put16(to + 8, f->blue_max);
	to[10] = f->red_shift;
	to[11] = f->green_shift;
	to[12] = f->blue_shift;
	to[13] = to[14] = to[15] = 0;
	return 16;
}

size_t messages_pointer(uint8_t *m, int mask, int x, int y)
{
	m[0] = 5;
	m[1] = (uint8_t)mask;
	put16(m + 2, (unsigned)(x < 0 ? 0 : x > 0xffff ? 0xffff : x));
	put16(m + 4, (unsigned)(y < 0 ? 0 : y > 0xffff ? 0xffff : y));
	return 6;
}

size_t messages_key(uint8_t *m, uint32_t keysym, bool down)
{
	m[0] = 4;
	m[1] = down;
	m[2] = m[3] = 0;
	put32(m + 4, keysym);
	return 8;
}

size_t messages_ask(uint8_t *m, bool incremental, int width, int height)
{
	m[0] = 3;
	m[1] = incremental;
	put32(m + 2, 0);
	put16(m + 6, (unsigned)width);
	put16(m + 8, (unsigned)height);
	return 10;
}

static const struct {
	const char *word;
	int32_t number;
} encodings[] = {
	{ "raw", 0 }, { "copyrect", 1 }, { "rre", 2 }, { "corre", 4 }, { "hextile", 5 }, { "zlib", 6 }, { "tight", 7 }, { "zrle", 16 },
};
#define ENCODINGS (sizeof(encodings) / sizeof(*encodings))
_Static_assert(ENCODINGS == MESSAGES_ENCODINGS, "one number for each word");

/* What is no picture. The cursor's: a pointer that the server paints would be part of every snapshot. */
static const int32_t always[] = { -239 /* Cursor */, -240 /* XCursor */, -232 /* PointerPos */, -224 /* LastRect */,
				  -223 /* DesktopSize */, -308 /* ExtendedDesktopSize */, -307 /* DesktopName */ };
#define ALWAYS (sizeof(always) / sizeof(*always))

int messages_encodings(const char *words, int32_t *list, char *why, size_t size)
{
	int n = 0;

	while (words && *words) {
		size_t length = strcspn(words, ","), i = 0;

		while (i < ENCODINGS && (strlen(encodings[i].word) != length || memcmp(encodings[i].word, words, length) != 0))
			i++;
		if (i == ENCODINGS || n == (int)ENCODINGS) {
			snprintf(why, size, "no encoding %.*s: raw, copyrect, rre, corre, hextile, zlib, tight or zrle, each once",
				 (int)(length > 40 ? 40 : length), words);
			return -EINVAL;
		}
		list[n++] = encodings[i].number;
		words += length + (words[length] == ',');
	}
	return n;
}

size_t messages_hello(uint8_t *m, const int32_t *list, int n)
{
	size_t at = 4;

	_Static_assert(20 + 4 + 4 * (ENCODINGS + ALWAYS) <= MESSAGES_HELLO, "room for all");
	memset(m, 0, 4);
	at += put_format(m + at, &rfb_xrgb);
	m[at++] = 2;
	m[at++] = 0;
	at += put16(m + at, (unsigned)n + ALWAYS);
	for (int i = 0; i < n; i++)
		at += put32(m + at, (uint32_t)list[i]);
	for (size_t i = 0; i < ALWAYS; i++)
		at += put32(m + at, (uint32_t)always[i]);
	return at;
}

size_t messages_greeting(uint8_t *m, int width, int height, const uint8_t *name, size_t name_n)
{
	size_t at = 12, n = name_n < MESSAGES_NAME ? name_n : MESSAGES_NAME;

	memcpy(m, "RFB 003.003\n", at);
	at += put32(m + at, 1);
	at += put16(m + at, (unsigned)width);
	at += put16(m + at, (unsigned)height);
	at += put_format(m + at, &rfb_xrgb);
	at += put32(m + at, (uint32_t)n);
	if (n)
		memcpy(m + at, name, n);
	return at + n;
}
