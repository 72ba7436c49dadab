// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine.h"

extern const struct extractor arrivals_extractor;
extern const struct extractor blocks_extractor;
extern const struct extractor channels_extractor;
extern const struct extractor fits_extractor;
extern const struct extractor headcount_extractor;
extern const struct extractor keys_extractor;
extern const struct extractor logins_extractor;
extern const struct extractor lost_extractor;
extern const struct extractor netload_extractor;
extern const struct extractor offsets_extractor;
extern const struct extractor pagein_extractor;
extern const struct extractor remembered_extractor;
extern const struct extractor replays_extractor;
extern const struct extractor slope_extractor;
extern const struct extractor stages_extractor;
extern const struct extractor stalls_extractor;
extern const struct extractor startup_extractor;
extern const struct extractor steps_extractor;
extern const struct extractor trains_extractor;

/* By name of what they read; each stands at the end of its file. */
const struct extractor *const extractors[] = {
	&arrivals_extractor,
	&blocks_extractor,
	&channels_extractor,
	&fits_extractor,
	&headcount_extractor,
	&keys_extractor,
	&logins_extractor,
	&lost_extractor,
	&netload_extractor,
	&offsets_extractor,
	&pagein_extractor,
	&remembered_extractor,
	&replays_extractor,
	&slope_extractor,
	&stages_extractor,
	&stalls_extractor,
	&startup_extractor,
	&steps_extractor,
	&trains_extractor,
	NULL,
};
