/* SPDX-License-Identifier: GPL-3.0-or-later */
/* server - the address of an RDP server, and which certificate of it is known to be its own. */
#pragma once

#include "why.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#define RDP_PORT 3389
#define RDP_FINGERPRINT 96 /* 32 bytes in hexadecimal with colons, and the end */

struct rdp_server {
	char host[256], user[256]; /* user "": none was given */
	int port;
};

/* Parses an address, which may begin and end with slashes as in rdp://HOST/. 0 or -EINVAL. */
int rdp_server_parse(const char *text, struct rdp_server *out);
/* Writes "HOST:PORT". */
void rdp_server_format(const struct rdp_server *server, char *text, size_t size);

/* Refuses to send input to `target` if that could go into a login dialog, which a server without network level authentication shows
 * where no password was given. (A dialog has no patch.) 0, or -1 with the cure in `why`. */
int rdp_require_password(const char *target, bool password, bool patch, struct why *why);
/* Reads the password's line from a file (NULL: nothing is read). 0, or -1: `why`, such as that it is empty and must not be. */
int rdp_read_password(const char *file, bool may_be_empty, const char *target, char *password, size_t size, struct why *why);

/* Who logs in: the `given` one (NULL: none), else the one of the address ("": none), else $USER, else "". */
const char *rdp_choose_user(const char *given, const char *of_address);

/* The user's list of known certificates: known-rdp-servers in $THINPROBE_STATE, else in thinprobe of $XDG_STATE_HOME or
 * ~/.local/state. 0; -ENOENT: none of these is set. */
int rdp_find_list(char *path, size_t size);
/* Copies the fingerprint of the line "HOST:PORT FINGERPRINT" for this server in the list; "": there is none, or no list. 0 or
 * -errno. */
int rdp_find_known(const char *list, const struct rdp_server *server, char *known, size_t size);

struct rdp_trust {
	bool ignore;		     /* any certificate will do; set by the caller */
	bool trusted;		     /* the last one was known, or will do */
	char list[PATH_MAX];	     /* of known certificates */
	char known[RDP_FINGERPRINT]; /* the certificate of this server; "": not known */
	char other[RDP_FINGERPRINT]; /* one that was refused; "": none was */
};

/* Reads what is known of this server from `list`, NULL: the user's own. 0, or -1 with the reason in `why`. */
int rdp_trust_read(struct rdp_trust *t, const struct rdp_server *server, const char *list, struct why *why);
bool rdp_trust_check(struct rdp_trust *t, const char *fingerprint);
/* What to do about a certificate that was refused. */
void rdp_trust_explain(const struct rdp_trust *t, const struct rdp_server *server, struct why *why);
