/* SPDX-License-Identifier: GPL-3.0-or-later */
/* server - the address of an RDP server, and which certificate of it is known to be its own. */
#pragma once

#include "why.h"

#include <stdbool.h>
#include <stddef.h>

#define RDP_PORT 3389
#define RDP_SERVER_FORMS "HOST, HOST:PORT, or these after USER@"

struct rdp_server {
	char host[256], user[256]; /* user "": none was given */
	int port;
};

/* Parses an address, which may begin and end with slashes as in rdp://HOST/. 0 or -EINVAL. */
int rdp_server_parse(const char *text, struct rdp_server *out);
/* Writes "HOST:PORT". */
void rdp_server_format(const struct rdp_server *server, char *text, size_t size);

/* The user's list of known certificates: known-rdp-servers in $THINPROBE_STATE, else in thinprobe of $XDG_STATE_HOME or
 * ~/.local/state. 0; -ENOENT: none of these is set. */
int rdp_find_list(char *path, size_t size);
/* Copies the fingerprint of the line "HOST:PORT FINGERPRINT" for this server in the list; "": there is none, or no list. 0 or
 * -errno. */
int rdp_find_known(const char *list, const struct rdp_server *server, char *known, size_t size);
