// SPDX-License-Identifier: GPL-3.0-or-later
#include "server.h"
#include "cli.h"
#include "files.h"
#include "vnc_address.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int rdp_server_parse(const char *text, struct rdp_server *out)
{
	char address[300];
	const char *at, *port;
	int64_t number = RDP_PORT;
	int colons;

	text += strspn(text, "/");
	at = strrchr(text, '@');
	if ((size_t)snprintf(out->user, sizeof(out->user), "%.*s", at ? (int)(at - text) : 0, text) >= sizeof(out->user) ||
	    (size_t)snprintf(address, sizeof(address), "%s", at ? at + 1 : text) >= sizeof(address))
		return -EINVAL;
	address[strcspn(address, "/")] = '\0';
	port = vnc_address_split(address, out->host, sizeof(out->host), &colons);
	if (!port || !*address || *address == ':' || colons > 1)
		return -EINVAL;
	if (colons && (*port < '0' || *port > '9' || cli_parse_int(port, &number) || number < 1 || number > 65535))
		return -EINVAL;
	out->port = (int)number;
	return 0;
}

int rdp_require_password(const char *target, bool password, bool patch, struct why *why)
{
	if (password || patch)
		return 0;
	return why_fail(-1, why, "%s may show only a login dialog: give --password-file FILE", target);
}

int rdp_read_password(const char *file, bool may_be_empty, const char *target, char *password, size_t size, struct why *why)
{
	int err = file ? files_read_line(file, password, size) : 0;

	if (err)
		return why_fail(-1, why, "cannot read a password from %s: %s", file, strerror(-err));
	if (file && !*password && !may_be_empty)
		return why_fail(-1, why,
				"the password in %s is empty, so rdp:%s may show only a login dialog: if it asks for none, "
				"give --no-password",
				file, target);
	return 0;
}

const char *rdp_choose_user(const char *given, const char *of_address)
{
	const char *user = getenv("USER");

	return given ? given : *of_address ? of_address : user ? user : "";
}

int rdp_find_list(char *path, size_t size)
{
	const char *own = getenv("THINPROBE_STATE"), *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	const char *in = own && *own ? own : state && *state ? state : home ? home : "";

	snprintf(path, size, "%s%s/known-rdp-servers", in, in == own ? "" : in == state ? "/thinprobe" : "/.local/state/thinprobe");
	return *in ? 0 : -ENOENT;
}

void rdp_server_format(const struct rdp_server *server, char *text, size_t size)
{
	snprintf(text, size, strchr(server->host, ':') ? "[%s]:%d" : "%s:%d", server->host, server->port);
}

int rdp_find_known(const char *list, const struct rdp_server *server, char *known, size_t size)
{
	char address[300], *line = NULL, *rest, *name, *print;
	FILE *in = fopen(list, "re");
	size_t room = 0;
	int err;

	*known = '\0';
	if (!in)
		return errno == ENOENT ? 0 : -errno;
	rdp_server_format(server, address, sizeof(address));
	while (!*known && getline(&line, &room, in) >= 0) { /* whole lines and words, however long: no part of one is an entry */
		name = strtok_r(line, " \t\r\n", &rest);
		print = name ? strtok_r(NULL, " \t\r\n", &rest) : NULL;
		if (print && !strcmp(name, address) && strlen(print) < size)
			snprintf(known, size, "%s", print);
	}
	err = ferror(in) ? -EIO : 0;
	free(line);
	fclose(in);
	return err;
}

int rdp_trust_read(struct rdp_trust *t, const struct rdp_server *server, const char *list, struct why *why)
{
	int err = list ? 0 : rdp_find_list(t->list, sizeof(t->list));

	if (t->ignore)
		return 0;
	if (err)
		return why_fail(-1, why, "no folder for known servers: set HOME, or give --known-servers");
	if (list)
		snprintf(t->list, sizeof(t->list), "%s", list);
	err = rdp_find_known(t->list, server, t->known, sizeof(t->known));
	return err ? why_fail(-1, why, "cannot read %s: %s", t->list, strerror(-err)) : 0;
}

bool rdp_trust_check(struct rdp_trust *t, const char *fingerprint)
{
	t->trusted = t->ignore || (*t->known && !strcasecmp(t->known, fingerprint));
	snprintf(t->other, sizeof(t->other), "%s", t->trusted ? "" : fingerprint);
	return t->trusted;
}

void rdp_trust_explain(const struct rdp_trust *t, const struct rdp_server *server, struct why *why)
{
	char address[300];

	rdp_server_format(server, address, sizeof(address));
	why_say(why, "the certificate of rdp:%s is %s: if it is the server's, %s %s: \"%s %s\"; --cert-ignore takes any", address,
		t->known[0] ? "another than before" : "not known",
		t->known[0] ? "put this line in place of its own in" : "add this line to", t->list, address, t->other);
}
