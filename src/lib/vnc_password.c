// SPDX-License-Identifier: GPL-3.0-or-later
/* vncpasswd encrypts the password with a fixed, public key. */
#include "vnc_password.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <gcrypt.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* DES in ECB mode. VNC uses the bits of each key byte in reverse order. False: libgcrypt refuses DES. */
static bool crypt_des(const char key[static VNC_PASSWORD], const uint8_t *in, uint8_t *out, size_t n, bool decrypt)
{
	uint8_t mirrored[VNC_PASSWORD] = { 0 };
	gcry_cipher_hd_t des;
	bool done;

	for (int i = 0; i < VNC_PASSWORD; i++)
		for (int bit = 0; bit < 8; bit++)
			mirrored[i] = (uint8_t)(mirrored[i] | (key[i] >> bit & 1) << (7 - bit));
	gcry_check_version(NULL);
	if (gcry_cipher_open(&des, GCRY_CIPHER_DES, GCRY_CIPHER_MODE_ECB, 0))
		return false;
	gcry_cipher_ctl(des, GCRYCTL_SET_ALLOW_WEAK_KEY, NULL, 1); /* libgcrypt calls the key of an empty password weak */
	gcry_cipher_setkey(des, mirrored, sizeof(mirrored));	   /* (it says so even then, and takes the key) */
	done = !(decrypt ? gcry_cipher_decrypt(des, out, n, in, n) : gcry_cipher_encrypt(des, out, n, in, n));
	gcry_cipher_close(des);
	explicit_bzero(mirrored, sizeof(mirrored));
	return done;
}

int vnc_password_answer(const char *password, const uint8_t challenge[static VNC_CHALLENGE], uint8_t answer[static VNC_CHALLENGE])
{
	char key[VNC_PASSWORD] = "";
	bool done;

	memcpy(key, password, strnlen(password, sizeof(key)));
	done = crypt_des(key, challenge, answer, VNC_CHALLENGE, false);
	explicit_bzero(key, sizeof(key));
	return done ? 0 : -ENOTSUP;
}

static bool are_printable(const unsigned char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isprint(bytes[i]) && bytes[i] != '\n' && bytes[i] != '\r')
			return false;
	return true;
}

int vnc_password_read(const char *path, char password[static VNC_PASSWORD_TEXT], struct why *why)
{
	static const char hiding_key[VNC_PASSWORD] = { 23, 82, 107, 6, 35, 78, 88, 7 };
	unsigned char text[VNC_PASSWORD_TEXT];
	size_t line;
	ssize_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = 0;

	n = fd < 0 ? -1 : read(fd, text, sizeof(text));
	if (n < 0)
		err = -errno;
	if (fd >= 0)
		close(fd);
	if (err)
		return why_fail(err, why, "%s: %s", path, strerror(-err));
	/* the whole file is checked: eight encrypted bytes may contain a letter and a newline */
	for (line = 0; line < (size_t)n && text[line] != '\n' && text[line] != '\r'; line++)
		;
	if (line && (size_t)n < sizeof(text) && are_printable(text, (size_t)n)) {
		snprintf(password, VNC_PASSWORD_TEXT, "%.*s", (int)line, (const char *)text);
		return 0;
	}
	if (n != VNC_PASSWORD && n != 2 * VNC_PASSWORD)
		return why_fail(-EINVAL, why, "%s holds no password: neither a line of text nor the 8 bytes that vncpasswd writes",
				path);
	memset(password, 0, VNC_PASSWORD_TEXT);
	if (!crypt_des(hiding_key, text, (uint8_t *)password, VNC_PASSWORD, true))
		return why_fail(-ENOTSUP, why, "%s: libgcrypt refuses DES here (FIPS mode?); write the password as a line of text",
				path);
	return 0;
}
