/* SPDX-License-Identifier: GPL-3.0-or-later */
/* view_rdp - what all viewers of RDP share. */
#pragma once

#include "rdp/plugin.h"

#define RDP_USER 256

struct rdp_viewer_cfg {
	const struct rdp_client_ops *library;
	const char *host;	   /* the name that is to be in the certificate */
	const char *user;	   /* DOMAIN\USER or USER; a % in it stands for the number of the viewer */
	const char *known_servers; /* list of certificates, as of rdp_trust_read() */
	bool cert_ignore;
	int width, height; /* of the screen to ask for */
};
