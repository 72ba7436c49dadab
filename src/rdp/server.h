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

/* The folder of what is kept from run to run: $THINPROBE_STATE, else thinprobe in $XDG_STATE_HOME or ~/.local/state. 0; -ENOENT:
 * none of these is set; -E2BIG. */
int rdp_state_folder(char *folder, size_t size);
/* Makes a folder and those above it. 0 or -errno. */
int rdp_make_folder(const char *folder);

/* Whether the list has a line "HOST:PORT FINGERPRINT" for this server, with its first fingerprint (*known, "": none). 0 or -errno;
 * a list that is not there is empty. */
int rdp_find_known(const char *list, const struct rdp_server *server, char *known, size_t size);
