// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine.h"

/* All extractors. Extractor NAME is defined at the end of NAME_extract.c. */
#define EXTRACTORS(x) \
	x(arrivals) x(blocks) x(channels) x(fits) x(headcount) x(keys) x(logins) x(lost) x(netload) x(offsets) x(pagein) x(remembered) \
	x(replays) x(slope) x(stages) x(stalls) x(startup) x(steps) x(trains)
#define EXTRACTORS_DECLARE(name) extern const struct extractor_hooks name##_extractor;
#define EXTRACTORS_PLACE(name) &name##_extractor,

EXTRACTORS(EXTRACTORS_DECLARE)
const struct extractor_hooks *const extractors[] = { EXTRACTORS(EXTRACTORS_PLACE) NULL };
