/* SPDX-License-Identifier: GPL-3.0-or-later */
/* send - the end that asks for a load, and brings it. */
#ifndef THINPROBE_NETLOAD_SEND_H
#define THINPROBE_NETLOAD_SEND_H

#include "trip.h"

#include <stddef.h>

/* Connected, the server has agreed, all streams are open: 0, or -errno with the reason, in words,
 * in `why`. `load->size` 0: chosen here. */
int send_open(struct trip *r, const struct door_place *to, char *why, size_t size);

enum send_end { SEND_TIME, SEND_SIGNAL, SEND_SERVER, SEND_BROKEN };
extern const char *const send_end_words[];

/* The load, until its end; `ready` is called once it is there, `look` again and again. *heard: what the server counted is
 * in r->other. -errno: it could not begin. */
int send_carry(struct trip *r, void (*ready)(void), void (*look)(const struct trip *r), enum send_end *end, bool *heard);

#endif
