/* SPDX-License-Identifier: GPL-3.0-or-later */
/* observed - measured rows, one for each load: a table with a header line; columns are found by name; separated by tabs or commas.
 *
 * Columns: n: users. z_s, z_ms: their think time. lambda, rate or x: requests per second. r_s, r_ms: response time. u_NAME:
 * utilization of a resource, 0 to 1. mean_ms, sd_ms: of the times between arrivals. run: a name. All are optional; an empty cell
 * means not known (NAN). */
#pragma once

#include "models.h"

#include <stdio.h>

#define OBSERVED_NAME 64

struct observed_row {
	char run[OBSERVED_NAME];
	double n, z_s, rate, r_s, mean_ms, sd_ms;
	double u[MVA_STATIONS];
};

struct observed_rows {
	struct observed_row *row; /* owned */
	size_t rows, resources;
	char resource[MVA_STATIONS][OBSERVED_NAME];
};

/* Reads the rows. `response`: name of the column of response times (ending in _s or _ms); NULL: r_s or r_ms. 0; -EPROTO with the
 * reason in `why` and the line in *line (0: the file as a whole); -ENOMEM, -EIO. Call observed_free() either way. */
int observed_read(FILE *in, const char *response, struct observed_rows *out, unsigned long *line, const char **why);
void observed_free(struct observed_rows *o);
