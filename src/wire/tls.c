// SPDX-License-Identifier: GPL-3.0-or-later
#include "tls.h"
#include "bytes.h"

enum tls_content { CHANGE_CIPHER_SPEC = 20, ALERT, HANDSHAKE, APPLICATION_DATA, HEARTBEAT };
enum hello { CLIENT_HELLO = 1, SERVER_HELLO = 2 };

#define LONGEST (16384 + 2048) /* bytes of the longest encrypted record (RFC 5246, 6.2.3) */

static bool tls_is_header(const uint8_t *h)
{
	uint32_t length = (uint32_t)h[3] << 8 | h[4];

	return h[0] >= CHANGE_CIPHER_SPEC && h[0] <= HEARTBEAT && h[1] == 3 && h[2] <= 4 && length <= LONGEST;
}

bool tls_is_start(const uint8_t *bytes, size_t n, bool midway)
{
	if (n < TLS_HEADER + 1 || !tls_is_header(bytes))
		return false;
	if (bytes[0] == HANDSHAKE) /* the highest of a hello's three length bytes is 0 */
		return (bytes[5] == CLIENT_HELLO || bytes[5] == SERVER_HELLO) && (n < 7 || !bytes[6]);
	return midway && bytes[0] == APPLICATION_DATA && bytes[2] == 3 && (bytes[3] || bytes[4]);
}

uint16_t tls_server_hello_cipher(const uint8_t *bytes, size_t n)
{
	struct bounded_reader r = { .bytes = bytes, .n = n };
	/* record header 5, handshake header 4, version 2, random 32, session id 1 + its length, cipher 2 (RFC 8446, 4.1.3) */
	uint16_t cipher = read_be16(&r, 44u + read_u8(&r, 43));

	return r.over || bytes[0] != HANDSHAKE || bytes[5] != SERVER_HELLO ? 0 : cipher;
}

uint32_t tls_cipher_overhead(uint16_t cipher, bool *least)
{
	static const struct {
		uint16_t from, to;
		uint8_t bytes;
		bool least;
	} ciphers[] = {
		/* TLS 1.3: a tag and the byte with the true type; padding is possible, but not in use */
		{ 0x1301, 0x1304, 17, false },
		{ 0x1305, 0x1305, 9, false },
		{ 0x009c, 0x00a7, 24, false },
		{ 0xc02b, 0xc032, 24, false }, /* GCM: part of the nonce and a tag */
		{ 0xc09c, 0xc09f, 24, false },
		{ 0xc0ac, 0xc0ad, 24, false }, /* CCM */
		{ 0xc0a0, 0xc0a3, 16, false },
		{ 0xc0ae, 0xc0af, 16, false }, /* CCM with a tag of 8 bytes */
		{ 0xcca8, 0xccae, 16, false }, /* ChaCha20-Poly1305 */
		/* AES-CBC: IV 16, padding at least 1, and the MAC of SHA-1 20, SHA-256 32, SHA-384 48 */
		{ 0x002f, 0x003a, 37, true },
		{ 0xc009, 0xc00a, 37, true },
		{ 0xc013, 0xc014, 37, true },
		{ 0x003c, 0x0040, 49, true },
		{ 0x0067, 0x006d, 49, true },
		{ 0xc023, 0xc023, 49, true },
		{ 0xc027, 0xc027, 49, true },
		{ 0xc024, 0xc024, 65, true },
		{ 0xc028, 0xc028, 65, true },
	};

	for (size_t i = 0; i < sizeof(ciphers) / sizeof(*ciphers); i++) {
		if (cipher < ciphers[i].from || cipher > ciphers[i].to)
			continue;
		*least = ciphers[i].least;
		return ciphers[i].bytes;
	}
	return 0;
}

void tls_stop(struct tls_parser *t, struct tls_counts *n)
{
	n->broken += !t->over;
	t->over = true;
}

static void begin_record(struct tls_parser *t, struct tls_counts *n, uint32_t seal)
{
	n->records++;
	n->application_records += t->head[0] == APPLICATION_DATA;
	if (t->sealed || t->head[0] == APPLICATION_DATA) {
		n->seal_bytes += seal;
		n->unsealed += !seal;
	}
	/* Records after ChangeCipherSpec are encrypted. In TLS 1.3 it has no meaning, and all encrypted records look like application
	 * data. */
	if (t->head[0] == CHANGE_CIPHER_SPEC)
		t->sealed = true;
	t->left = (uint32_t)t->head[3] << 8 | t->head[4];
	t->have = 0;
}

void tls_count_records(struct tls_parser *t, struct tls_counts *n, uint32_t seal, const uint8_t *bytes, uint32_t captured,
		       uint32_t length)
{
	for (uint32_t at = 0; at < length && !t->over;) {
		if (t->left) {
			uint32_t step = t->left < length - at ? t->left : length - at;

			t->left -= step;
			n->record_bytes += step;
			at += step;
		} else if (at >= captured) {
			tls_stop(t, n);
		} else {
			t->head[t->have++] = bytes[at++];
			if (t->have < TLS_HEADER)
				continue;
			if (!tls_is_header(t->head)) {
				tls_stop(t, n);
				return;
			}
			n->record_bytes += TLS_HEADER;
			begin_record(t, n, seal);
		}
	}
}
