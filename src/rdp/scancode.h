/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scancode - keys of a PC keyboard with the US layout, as RDP sends them (scancode set 1). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define SCANCODE_EXTENDED 0x100
#define SCANCODE_SHIFT 0x2a

/* Finds the key of a keysym. False: none has it. *shift: it needs Shift. */
bool scancode_find(uint32_t keysym, unsigned *code, bool *shift);
/* The character of a keysym, for a server that takes characters; 0: it is no character of the Basic Multilingual Plane. */
uint16_t scancode_find_character(uint32_t keysym);
