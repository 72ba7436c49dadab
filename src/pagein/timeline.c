// SPDX-License-Identifier: GPL-3.0-or-later
#include "pagein.h"
#include "account.h"
#include "clock.h"
#include "files.h"
#include "memory.h"
#include "proc.h"
#include "rec.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

struct timeline {
	struct timeline_cfg cfg;
	struct row_file *rows;
	pthread_t thread;
	atomic_bool end;
};

void timeline_take_sample(const struct timeline_cfg *cfg, const char *proc, struct timeline_sample *out)
{
	char path[4096], text[1024];
	struct proc_stat is;

	*out = (struct timeline_sample){ .group = -1, .group_swap = -1, .group_major = -1 };
	for (size_t i = 0; i < cfg->pids; i++) {
		int64_t resident = 0, file = 0, swap = 0;
		const struct account_entry status[] = { { "VmRSS:", &resident }, { "RssFile:", &file }, { "VmSwap:", &swap } };

		snprintf(path, sizeof(path), "%s/%lld/status", proc, (long long)cfg->pid[i]);
		account_read_entries(path, status, 3);
		out->resident += resident;
		out->file += file;
		out->swap += swap;
		snprintf(path, sizeof(path), "%s/%lld/stat", proc, (long long)cfg->pid[i]);
		files_read_all(path, text, sizeof(text));
		if (!proc_parse_stat(text, &is)) {
			out->minor += is.minor;
			out->major += is.major;
		}
	}
	if (!cfg->group)
		return;
	out->group = account_read_number(cfg->group, "memory.current", NULL);
	if (out->group >= 0) {
		out->group_swap = account_read_number(cfg->group, "memory.swap.current", NULL);
		out->group_major = account_read_number(cfg->group, "memory.stat", "pgmajfault");
	} else {
		out->group = account_read_number(cfg->group, "memory.usage_in_bytes", NULL);
		out->group_swap = account_read_number(cfg->group, "memory.stat", "total_swap");
		out->group_major = account_read_number(cfg->group, "memory.stat", "total_pgmajfault");
	}
}

static void *run_sampler(void *data)
{
	struct timeline *t = data;
	int64_t due = clock_now();

	while (!atomic_load(&t->end)) {
		struct timeline_sample s;
		int64_t now = clock_now();

		timeline_take_sample(&t->cfg, "/proc", &s);
		rows_write_int(t->rows, now);
		rows_write_counts(t->rows, s.resident, s.file, s.swap, s.major, s.minor, s.group, s.group_swap, s.group_major);
		rows_end_row(t->rows);
		/* samples missed by a late thread are skipped, not made up for in a burst */
		due += t->cfg.period_ns;
		now = clock_now();
		if (due < now)
			due = now + t->cfg.period_ns;
		while (clock_sleep(due))
			;
	}
	return NULL;
}

struct timeline *timeline_start(const struct timeline_cfg *cfg)
{
	static const char *const columns[] = { "time_ns",     "resident_bytes",	  "file_bytes",
					       "swap_bytes",  "major_faults",	  "minor_faults",
					       "group_bytes", "group_swap_bytes", "group_major_faults",
					       NULL };
	struct timeline *t = memory_new(1, sizeof(*t));
	int err;

	t->cfg = *cfg;
	t->rows = rows_open_new(cfg->path, "timeline/1", columns);
	if (!t->rows) {
		err = errno;
		free(t);
		errno = err;
		return NULL;
	}
	err = proc_start_thread(&t->thread, (size_t)128 << 10, run_sampler, t); /* a small stack: it is locked in memory */
	if (err)
		die(EXIT_RUN, "cannot start the thread that writes %s: %s", cfg->path, strerror(err));
	return t;
}

int timeline_stop(struct timeline *t)
{
	int err;

	if (!t)
		return 0;
	atomic_store(&t->end, true);
	pthread_join(t->thread, NULL);
	err = rows_close(t->rows);
	free(t);
	return err;
}
