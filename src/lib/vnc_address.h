/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vnc_address - where a VNC server is, as viewers write it: HOST:DISPLAY, HOST:PORT, HOST::PORT.
 *
 * A number below 100 is a display, whose port is 5900 more; behind two colons it is a port, however small. */
#ifndef THINPROBE_VNC_ADDRESS_H
#define THINPROBE_VNC_ADDRESS_H

#include <stddef.h>

#define VNC_ADDRESS_FORMS "HOST:DISPLAY, HOST:PORT or HOST::PORT"

/* Takes the host, also [::1], from the front of `text`; "localhost" where it is empty. `host` is without
 * brackets. Returns what stands behind its colons, of which there are 0, 1 or 2; NULL: no host. */
const char *vnc_address_host(const char *text, char *host, size_t size, int *colons);
/* The port that a number behind so many colons means. */
int vnc_address_port(int number, int colons);

/* All of it; HOST alone is display 0. The prefix vnc: may be there. 0 or -EINVAL. */
int vnc_address_read(const char *text, char *host, size_t size, int *port);

#endif
