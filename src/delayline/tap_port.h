/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tap_port - one end of the delay line: a TAP interface in a network namespace, which exists as long as its descriptor is open. */
#pragma once

#include "why.h"

#include <stddef.h>
#include <stdint.h>

struct tap_interface {
	char name[16]; /* of the interface */
	int fd;	       /* non-blocking; one read or write is one frame */
	int counters;  /* descriptor of /proc/net/dev in the interface's namespace, or -1 */
};

/* Creates an interface, "NAME" here or "NAME@/proc/PID/ns/net" in that namespace. The process stays in the namespace (an ordinary
 * user may not return), so interfaces without a namespace must be opened first. 0 or -errno with one line in `why`. */
int tap_port_open(struct tap_interface *e, const char *where, struct why *why);
void tap_port_close(struct tap_interface *e);
/* Frames that the kernel dropped before they were read from the descriptor; -1: not known. */
int64_t tap_port_read_drops(const struct tap_interface *e);
/* The transmit drop counter of interface `name` in the text of /proc/net/dev; -1: not there. */
int64_t tap_port_parse_drops(const char *text, const char *name);
