// SPDX-License-Identifier: GPL-3.0-or-later
/* rfb_between - whether the decoder is at the end of a message: nothing is half taken. */
#include "vncplay/common/rfb_inside.h"

static inline bool rfb_between(const struct rfb_decoder *r)
{
	return r->state.greeted && r->place == BETWEEN_MESSAGES;
}
