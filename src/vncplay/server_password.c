/* server_password - passwords of VNC authentication: hidden under a key that everybody has, as vncpasswd writes them, or as plain text. */
#include "server_dial.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_text(const unsigned char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isprint(bytes[i]) && bytes[i] != '\n' && bytes[i] != '\r')
			return false;
	return true;
}

int server_password(const char *path, char password[SERVER_PASSWORD + 1], char *why, size_t size)
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
		snprintf(password, SERVER_PASSWORD + 1, "%.*s", (int)(line < SERVER_PASSWORD ? line : SERVER_PASSWORD), (const char *)text);
		return 0;
	}
	if (n != SERVER_PASSWORD && n != 2 * SERVER_PASSWORD) {
		snprintf(why, size, "%s holds no password: neither a line of text nor the 8 bytes that vncpasswd writes", path);
		return -EINVAL;
	}
	err = server_uncover(path, password);
	if (err)
		snprintf(why, size, "%s: cannot be read as a password of vncpasswd", path);
	return err;
}
