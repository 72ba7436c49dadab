/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scancode - keys of a PC keyboard with the US layout, as RDP sends them (scancode set 1). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define SCANCODE_SHIFT 0x2a

/* The key that has a keysym; 0: none. *shift: with Shift. */
unsigned scancode_find(uint32_t keysym, bool *shift);
/* The character of a keysym that no key has; 0: it is no character of the Basic Multilingual Plane. */
uint16_t scancode_find_character(uint32_t keysym);
