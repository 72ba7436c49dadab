// SPDX-License-Identifier: GPL-3.0-or-later
/* arrivals_fuzz - logs of requests: JTL, CLF, tables. Input: a byte that chooses the kind and which columns are asked for, then the
 * log. */
#include "arrivals/logs_in.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct log_reader_cfg cfg = { .kind = data && size ? data[0] & 3 : 0 };
	struct logged_arrivals log = { 0 };
	unsigned long line = 0;
	const char *why;
	FILE *in;

	if (size < 2)
		return 0;
	cfg.source = data[0] & 4 ? "label" : NULL;
	cfg.column = data[0] & 8 ? "1" : NULL;
	cfg.unit_ns = data[0] & 16 ? 1000000 : 0;
	if (data[0] & 32 && cfg.kind != LOGS_IN_CLF)
		cfg.where[cfg.wheres++].column = "success", cfg.where[0].value = "true";
	in = fmemopen((void *)(uintptr_t)(data + 1), size - 1, "r");
	if (!in)
		abort();
	if (!logs_in_read(in, &cfg, &log, &line, &why))
		for (size_t i = 0; i < log.n; i++)
			if (log.arrival[i].time_ns < 0 || (log.sources && log.arrival[i].source >= log.sources))
				abort();
	logs_in_free(&log);
	fclose(in);
	return 0;
}
