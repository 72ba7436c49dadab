/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "rfb/walk.h"

/* The stream that the first byte of an input of rfb_fuzz chooses. */
static inline struct rfb_walk rfb_fuzz_walk(uint8_t how)
{
	static const uint8_t pixel[] = { 1, 2, 4, 4 };

	return (struct rfb_walk){ .client = how & 1, .format = { pixel[how >> 1 & 3], how & 4 ? 3 : pixel[how >> 1 & 3] } };
}
