// SPDX-License-Identifier: GPL-3.0-or-later
/* server_greet - the greeting and authentication, by libvncclient.
 *
 * Only its greeting is used: its reading of updates blocks, and it allocates a screen before the screen is checked. A watchdog
 * bounds the time of the whole greeting, since the library bounds each read only. */
#include "server.h"
#include "proc.h"
#include "rfb/messages.h"
#include "watchdog.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rfb/rfbclient.h>

static char last_words[256]; /* the library's last message; its log functions take no context, so one greeting at a time */

static void keep_message(const char *format, ...)
{
	char line[sizeof(last_words)];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	for (char *p = line; *p; p++)
		if (iscntrl((unsigned char)*p))
			*p = p[1] ? '?' : '\0';
	memcpy(last_words, line, sizeof(line));
}

static const char password_key;

static char *give_password(rfbClient *client)
{
	const char *password = rfbClientGetClientData(client, (void *)&password_key);

	if (!password)
		keep_message("the server wants a password: --password-file FILE");
	return strdup(password ? password : "");
}

static int explain_failure(rfbClient *client, bool late, bool password, struct why *why)
{
	if (proc_stop)
		return why_fail(-EINTR, why, "interrupted");
	if (late)
		return why_fail(-ETIMEDOUT, why, "no whole greeting in time");
	if (client->authScheme == rfbVncAuth && !password)
		return why_fail(-EACCES, why, "the server wants a password: --password-file FILE");
	if (security_explain_offer(last_words, password, why))
		return -EACCES;
	why_say(why, "the greeting failed: %s", *last_words ? last_words : "the connection is over");
	return client->authScheme == rfbVncAuth ? -EACCES : -EPROTO;
}

static int copy_greeting(rfbClient *client, struct server_greeting *out)
{
	if (client->tlsSession || (client->authScheme != rfbNoAuth && client->authScheme != rfbVncAuth))
		return -EACCES;
	out->ahead = malloc(client->buffered + 1);
	if (!out->ahead || !client->desktopName)
		return -ENOMEM;
	out->n = messages_put_greeting(out->bytes, client->si.framebufferWidth, client->si.framebufferHeight,
				       (const uint8_t *)client->desktopName, client->si.nameLength);
	out->ahead_n = client->buffered;
	memcpy(out->ahead, client->bufoutptr, out->ahead_n);
	return 0;
}

int server_greet(int fd, int port, const char *password, int64_t until_ns, struct server_greeting *out, struct why *why)
{
	static const uint32_t schemes[] = { rfbNoAuth, rfbVncAuth };
	rfbClientLogProc log = rfbClientLog, err_log = rfbClientErr;
	rfbClient *client;
	struct watchdog guard = { .exact = true };
	bool good, late;
	char *host;
	int err;

	*out = (struct server_greeting){ 0 };
	last_words[0] = '\0';
	rfbClientLog = rfbClientErr = keep_message;
	client = rfbGetClient(8, 3, 4);
	err = client ? watchdog_start(&guard, fd, until_ns, 0) : -ENOMEM;
	if (err) {
		why_say(why, "cannot prepare the greeting: %s", strerror(-err));
		if (client)
			rfbClientCleanup(client);
		goto out;
	}
	client->sock = fd;
	client->serverPort = port;
	client->appData.shareDesktop = TRUE;
	client->GetPassword = give_password;
	rfbClientSetClientData(client, (void *)&password_key, (void *)password);
	SetClientAuthSchemes(client, schemes, password ? 2 : 1);
	good = InitialiseRFBConnection(client);
	late = watchdog_end(&guard);
	if (!good || late)
		err = explain_failure(client, late, password, why);
	else
		err = copy_greeting(client, out);
	if (err == -EACCES && good)
		why_say(why, "the server chose security type %u, which vncplay does not support; set None (1) or VncAuth (2) there",
			client->authScheme);
	else if (err == -ENOMEM)
		why_say(why, "no memory for the greeting");
	client->sock = RFB_INVALID_SOCKET; /* keeps libvncclient from closing our socket */
	host = client->serverHost;	   /* libvncclient 0.9.14 does not free it */
	client->serverHost = NULL;
	rfbClientCleanup(client);
	free(host);
out:
	rfbClientLog = log;
	rfbClientErr = err_log;
	return err;
}
