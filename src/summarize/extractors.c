// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine.h"

extern const struct extractor arrivals_extractor, keys_extractor, netload_extractor, slope_extractor;

/* By name of what they read; each stands at the end of its file. */
const struct extractor *const extractors[] = {
	&arrivals_extractor,
	&keys_extractor,
	&netload_extractor,
	&slope_extractor,
	NULL,
};
