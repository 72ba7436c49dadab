/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plugin - loads the client of RDP (client.h), which is not on every machine. */
#pragma once

#include "client.h"

/* To be called before the program gives up its rights. NULL with a line in `why`: it is not there, or of another build. */
const struct rdp_client_ops *rdp_plugin_load(struct why *why);
