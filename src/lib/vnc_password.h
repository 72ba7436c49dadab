/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vnc_password - passwords of VNC authentication (RFC 6143, 7.2.2): reading from a file, and the challenge-response. */
#pragma once

#include "why.h"

#include <stddef.h>
#include <stdint.h>

#define VNC_PASSWORD 8	      /* characters used by VNC authentication */
#define VNC_PASSWORD_TEXT 256 /* room for passwords of other security types */
#define VNC_CHALLENGE 16

/* Reads a password from a file written by vncpasswd (8 bytes, or 16 with a view-only password, which is ignored), or from a line of
 * text. 0, or -errno with the reason in `why`. */
int vnc_password_read(const char *path, char password[static VNC_PASSWORD_TEXT], struct why *why);
/* Computes the response to the challenge of a server. 0, or -ENOTSUP: libgcrypt refuses DES (FIPS mode). */
int vnc_password_answer(const char *password, const uint8_t challenge[static VNC_CHALLENGE], uint8_t answer[static VNC_CHALLENGE]);
