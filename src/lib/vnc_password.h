/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vnc_password - passwords of VNC authentication (RFC 6143, 7.2.2): read from a file, and proven to a server. */
#ifndef THINPROBE_VNC_PASSWORD_H
#define THINPROBE_VNC_PASSWORD_H

#include <stddef.h>
#include <stdint.h>

#define VNC_PASSWORD 8		/* characters that VNC authentication looks at */
#define VNC_PASSWORD_TEXT 256	/* other security types look at all of a line, too */
#define VNC_CHALLENGE 16

/* The password in a file that vncpasswd wrote (8 bytes that are no text, or 16 with a second
 * password, which is not taken), or of one line of text. 0 or -errno with the reason in `why`. */
int vnc_password_read(const char *path, char password[VNC_PASSWORD_TEXT], char *why, size_t size);
/* What a server's challenge is answered with. */
void vnc_password_answer(const char *password, const uint8_t challenge[VNC_CHALLENGE], uint8_t answer[VNC_CHALLENGE]);

#endif
