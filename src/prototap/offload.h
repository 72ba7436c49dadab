/* SPDX-License-Identifier: GPL-3.0-or-later */
/* offload - whether a network card joins or splits packets behind our back: with it on, packets captured are not packets sent. */
#ifndef PROTOTAP_OFFLOAD_H
#define PROTOTAP_OFFLOAD_H

#include <stddef.h>

/* "tso gso gro", "none", or "unknown" (no such query on this device, or all devices at once). */
void offload_describe(const char *interface, char *text, size_t size);

#endif
