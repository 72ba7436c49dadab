// SPDX-License-Identifier: GPL-3.0-or-later
#include "messages.h"
#include "bytes.h"
#include "cli.h"
#include "encodings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

size_t messages_put_pointer(uint8_t *m, int mask, int x, int y)
{
	m[0] = 5;
	m[1] = (uint8_t)mask;
	bytes_put_u16(m + 2, (unsigned)(x < 0 ? 0 : x > 0xffff ? 0xffff : x));
	bytes_put_u16(m + 4, (unsigned)(y < 0 ? 0 : y > 0xffff ? 0xffff : y));
	return 6;
}

size_t messages_put_key(uint8_t *m, uint32_t keysym, bool down)
{
	m[0] = 4;
	m[1] = down;
	m[2] = m[3] = 0;
	bytes_put_u32(m + 4, keysym);
	return 8;
}

size_t messages_put_key_stroke(uint8_t *m, uint32_t keysym)
{
	size_t at = messages_put_key(m, keysym, true);

	return at + messages_put_key(m + at, keysym, false);
}

size_t messages_put_update_request(uint8_t *m, bool incremental, int width, int height)
{
	m[0] = 3;
	m[1] = incremental;
	bytes_put_u32(m + 2, 0);
	bytes_put_u16(m + 6, (unsigned)width);
	bytes_put_u16(m + 8, (unsigned)height);
	return 10;
}

static const struct encoding_name {
	const char *word;
	int32_t number;
	bool skips; /* the length of a rectangle can be told without decoding it */
} encodings[MESSAGES_ENCODINGS] = {
	{ "raw", RFB_RAW, true },      { "copyrect", RFB_COPYRECT, true }, { "rre", RFB_RRE, false },
	{ "corre", RFB_CORRE, false }, { "hextile", RFB_HEXTILE, true },   { "zlib", RFB_ZLIB, false },
	{ "tight", RFB_TIGHT, false }, { "zrle", RFB_ZRLE, true },
};

static const struct encoding_name *find_encoding(const char *word, size_t length, bool skippable)
{
	for (const struct encoding_name *e = encodings; e < encodings + MESSAGES_ENCODINGS; e++)
		if (strlen(e->word) == length && !memcmp(e->word, word, length) && (e->skips || !skippable))
			return e;
	return NULL;
}

int messages_parse_encodings(const char *words, bool skippable, int32_t list[static MESSAGES_ENCODINGS], struct why *why)
{
	for (int n = 0;; words++) {
		size_t length = strcspn(words, ",");
		const struct encoding_name *e = find_encoding(words, length, skippable);

		for (int i = 0; e && i < n; i++)
			if (list[i] == e->number)
				e = NULL;
		if (!e) {
			why_say(why, "no encoding %.*s: %s, each once", (int)(length > 40 ? 40 : length), words,
				skippable ? "zrle, hextile, copyrect or raw"
					  : "raw, copyrect, rre, corre, hextile, zlib, tight or zrle");
			return -EINVAL;
		}
		list[n++] = e->number;
		words += length;
		if (!*words)
			return n;
	}
}

/* PIXEL_FORMAT of RFB: 32 bits, depth 24, little endian, true colour 0x00RRGGBB. */
static const uint8_t format[16] = { 32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 16, 8, 0 };

size_t messages_put_pixel_format(uint8_t *m)
{
	memset(m, 0, 4);
	memcpy(m + 4, format, sizeof(format));
	return 20;
}

size_t messages_put_encodings(uint8_t *m, const int32_t *list, int n, const int32_t *more, int n_more)
{
	size_t at = 4;

	m[0] = 2;
	m[1] = 0;
	bytes_put_u16(m + 2, (unsigned)(n + n_more));
	for (int i = 0; i < n + n_more; i++)
		at += bytes_put_u32(m + at, (uint32_t)(i < n ? list[i] : more[i - n]));
	return at;
}

size_t messages_put_greeting(uint8_t *m, int width, int height, const uint8_t *name, size_t name_n)
{
	size_t at = 12, n = name_n < MESSAGES_NAME ? name_n : MESSAGES_NAME;

	memcpy(m, "RFB 003.003\n", at);
	at += bytes_put_u32(m + at, 1);
	at += bytes_put_u16(m + at, (unsigned)width);
	at += bytes_put_u16(m + at, (unsigned)height);
	memcpy(m + at, format, sizeof(format));
	at += sizeof(format);
	at += bytes_put_u32(m + at, (uint32_t)n);
	if (n)
		memcpy(m + at, name, n);
	return at + n;
}

enum { VNC_AUTHENTICATION = 2 };

static bool is_offered(const char *types, long type)
{
	for (char *end; *types; types = *end ? end + 1 : end)
		if (strtol(types, &end, 10) == type && end > types)
			return true;
	return false;
}

bool security_explain_offer(const char *message, bool password, struct why *why)
{
	const char *types = message + strlen(SECURITY_OFFER);

	if (strncmp(message, SECURITY_OFFER, strlen(SECURITY_OFFER)) != 0)
		return false;
	if (!password && is_offered(types, VNC_AUTHENTICATION))
		why_say(why, "the server wants a password: --password-file FILE");
	else
		why_say(why,
			"the server offers the security types %s only, which %s does not support; set None (1) or VncAuth (2) there",
			types, die_get_tool());
	return true;
}
