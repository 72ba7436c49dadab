/* SPDX-License-Identifier: GPL-3.0-or-later */
/* begin - what is waited for before the first key of a train. */
#ifndef KEYREPEAT_BEGIN_H
#define KEYREPEAT_BEGIN_H

#include "seen.h"

#include <stdbool.h>

/* The number of the patch may still be catching up with keys from before: waits until it has stood still. */
void begin_when_still(const struct observations *seen);
/* Waits for a line on standard input. False when that ended without one: who held us back is gone. */
bool begin_when_told(const struct observations *seen);

#endif
