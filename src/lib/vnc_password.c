// SPDX-License-Identifier: GPL-3.0-or-later
/* In a file: hidden under a key that everybody has, as vncpasswd writes them, or as plain text. */
#include "vnc_password.h"
#include "des.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const uint8_t hiding_key[DES_BLOCK] = { 23, 82, 107, 6, 35, 78, 88, 7 };

/* The first implementation took the bits of a key's bytes the other way round, and so do all since. */
static void make_key(const uint8_t *from, uint8_t key[DES_BLOCK])
{
	for (int i = 0; i < DES_BLOCK; i++) {
		key[i] = 0;
		for (int bit = 0; bit < 8; bit++)
			key[i] = (uint8_t)(key[i] | (from[i] >> bit & 1) << (7 - bit));
	}
}

static void uncover(const uint8_t hidden[DES_BLOCK], char password[VNC_PASSWORD + 1])
{
	uint8_t key[DES_BLOCK], plain[DES_BLOCK];

	make_key(hiding_key, key);
	des_block(key, hidden, plain, true);
	memcpy(password, plain, DES_BLOCK);
	password[VNC_PASSWORD] = '\0';
}

void vnc_password_answer(const char *password, const uint8_t challenge[VNC_CHALLENGE], uint8_t answer[VNC_CHALLENGE])
{
	uint8_t padded[DES_BLOCK] = { 0 }, key[DES_BLOCK];

	for (size_t i = 0; i < DES_BLOCK && password[i]; i++)
		padded[i] = (uint8_t)password[i];
	make_key(padded, key);
	for (int i = 0; i < VNC_CHALLENGE; i += DES_BLOCK)
		des_block(key, challenge + i, answer + i, false);
	explicit_bzero(padded, sizeof(padded));
	explicit_bzero(key, sizeof(key));
}

static bool is_text(const unsigned char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isprint(bytes[i]) && bytes[i] != '\n' && bytes[i] != '\r')
			return false;
	return true;
}

int vnc_password_read(const char *path, char password[VNC_PASSWORD + 1], char *why, size_t size)
{
	unsigned char text[256];
	size_t line;
	ssize_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = 0;

	if (fd < 0) {
		err = -errno;
		snprintf(why, size, "%s: %s", path, strerror(-err));
		return err;
	}
	n = read(fd, text, sizeof(text));
	if (n < 0)
		err = -errno;
	close(fd);
	if (err) {
		snprintf(why, size, "%s: %s", path, strerror(-err));
		return err;
	}
	/* All of it: eight hidden bytes may well hold a letter and a newline. */
	for (line = 0; line < (size_t)n && text[line] != '\n' && text[line] != '\r'; line++)
		;
	if (line && (size_t)n < sizeof(text) && is_text(text, (size_t)n)) {
		snprintf(password, VNC_PASSWORD + 1, "%.*s", (int)(line < VNC_PASSWORD ? line : VNC_PASSWORD), (const char *)text);
		return 0;
	}
	if (n != VNC_PASSWORD && n != 2 * VNC_PASSWORD) {
		snprintf(why, size, "%s holds no password: neither a line of text nor the 8 bytes that vncpasswd writes", path);
		return -EINVAL;
	}
	uncover(text, password);
	return 0;
}
