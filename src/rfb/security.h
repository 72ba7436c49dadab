/* SPDX-License-Identifier: GPL-3.0-or-later */
/* security - why no security type of a VNC server fits, from what libvncclient says of those it offers. Pure. */
#pragma once

#include "why.h"

#include <stdbool.h>

/* Begins the library's message with the types that the server offers, where it may use none of them. */
#define SECURITY_OFFER "Unknown authentication scheme from VNC server: "

/* False: `message` is no such message. Else *why names the types and the cure. password: the user gave one. */
bool security_explain_offer(const char *message, bool password, struct why *why);
