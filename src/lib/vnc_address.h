/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vnc_address - parses the address of a VNC server as viewers do: HOST:DISPLAY, HOST:PORT, HOST::PORT.
 *
 * After one colon a number below 100 is a display, whose port is 5900 + number; after two colons any number is a port. */
#pragma once

#include <stddef.h>

#define VNC_ADDRESS_FORMS "HOST:DISPLAY, HOST:PORT or HOST::PORT"

/* Copies the host at the start of `text` (without the brackets of [::1]; "localhost" if it is empty) and sets the number of
 * colons behind it: 0, 1 or 2. Returns the text behind the colons; NULL: no valid host. */
const char *vnc_address_split(const char *text, char *host, size_t size, int *colons);
/* The port for a number behind one or two colons. */
int vnc_address_port(int number, int colons);

/* Parses a whole address, optionally with the prefix "vnc:", and with slashes as in vnc://HOST:1/; HOST alone is display 0.
 * 0 or -EINVAL. */
int vnc_address_parse(const char *text, char *host, size_t size, int *port);
