// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine.h"

extern const struct extractor arrivals_extractor, blocks_extractor, keys_extractor, netload_extractor, offsets_extractor,
	slope_extractor, stages_extractor, stalls_extractor, trains_extractor;
extern const struct extractor channels_extractor, fits_extractor, remembered_extractor, steps_extractor;

/* By name of what they read; each stands at the end of its file. */
const struct extractor *const extractors[] = {
	&arrivals_extractor,
	&blocks_extractor,
	&keys_extractor,
	&netload_extractor,
	&offsets_extractor,
	&slope_extractor,
	&stages_extractor,
	&stalls_extractor,
	&trains_extractor,
	&channels_extractor,
	&fits_extractor,
	&remembered_extractor,
	&steps_extractor,
	NULL,
};
