// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine.h"

/* All extractors. EXTRACTORS(x) is x(NAME) for each NAME_extractor in the sources, as the Makefile finds them. */
#define EXTRACTORS_DECLARE(name) extern const struct extractor_hooks name##_extractor;
#define EXTRACTORS_PLACE(name) &name##_extractor,

EXTRACTORS(EXTRACTORS_DECLARE)
const struct extractor_hooks *const extractors[] = { EXTRACTORS(EXTRACTORS_PLACE) NULL };
