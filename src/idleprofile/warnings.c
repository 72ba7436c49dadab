// SPDX-License-Identifier: GPL-3.0-or-later
#include "warnings.h"
#include "cli.h"
#include "clock.h"

#include <string.h>

bool warn_of_logs(struct logs *logs)
{
	const char *path;
	bool any = false;
	int err;

	for (; (err = logs_failed(logs, &path)); any = true)
		warn("cannot write %s: %s; it ends there, the profile goes on", path, strerror(-err));
	return any;
}

bool warn_of_unwatched(struct rec *out, const struct follow *f, int n)
{
	int64_t most = 0;

	for (int i = 0; i < n; i++)
		if (follow_total(f, i)->unwatched_ns > most)
			most = follow_total(f, i)->unwatched_ns;
	if (most)
		rec_warn(out, "not watched for %.3f s, in which this program was stopped or hung: that time is in no figure",
		     (double)most / (double)NS_PER_S);
	return most > 0;
}

void warn_of_missed(struct rec *out, const struct follow *f, int n)
{
	int64_t lost = 0, missed = 0;

	for (int i = 0; i < n; i++) {
		lost += follow_total(f, i)->lost_ns;
		missed += follow_total(f, i)->missed_ns;
	}
	if (missed * 100 > lost)
		rec_warn(out, "the kernel left out records of %lld task switches: who had %.1f %% of the lost time is not known",
		     (long long)follow_missed_switches(f), 100.0 * (double)missed / (double)lost);
}
