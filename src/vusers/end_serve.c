// SPDX-License-Identifier: GPL-3.0-or-later
#include "ends.h"
#include "proc.h"
#include "report.h"
#include "rt.h"
#include "serve.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void ends_be_punctual(const struct ends_cfg *cfg, char *text, size_t size)
{
	struct rt_state got;

	rt_setup((int)cfg->priority, &got);
	munlockall();	/* thousands of users are more than most may lock */
	got.locked = false;
	if (cfg->priority && !got.fifo)
		warn("--priority %d was refused: %s; going on without", (int)cfg->priority, strerror(got.why));
	rt_describe(&got, text, size);
}

static void read_serve_pause(const struct ends_cfg *cfg, struct serve_cfg *s)
{
	char at[32];
	size_t n = strcspn(cfg->pause, ",");

	if (n < sizeof(at) && cfg->pause[n]) {
		memcpy(at, cfg->pause, n);
		at[n] = '\0';
		if (!cli_read_ns(at, &s->pause_at_ns) && !cli_read_ns(cfg->pause + n + 1, &s->pause_ns) &&
		    s->pause_at_ns >= 0 && s->pause_ns >= 0)
			return;
	}
	die_usage("--freeze %s: not two times such as 5s,1s", cfg->pause);
}

int ends_serve(const struct ends_cfg *cfg, const char *text)
{
	static struct target target;
	struct serve_cfg s = { .at = &target, .size = cfg->size, .width = cfg->width, .height = cfg->width * 3 / 4 };
	struct serve_sums sums = { 0 };
	char why[256];
	struct rec *out;
	int fd, err;

	if (target_parse(text, &target, why, sizeof(why)))
		die_usage("%s: %s", text, why);
	if (cfg->stations && stations_parse(cfg->stations, &s.stations))
		die_usage("--stations %s: not up to %d times such as 50ms,40ms,30ms", cfg->stations, STATIONS_MOST);
	s.stations.exponential = !cfg->service;
	s.stations.random = (uint64_t)cfg->seed;
	if (cfg->pause)
		read_serve_pause(cfg, &s);
	out = rec_must_open(&cfg->out, "vusers");
	ends_be_punctual(cfg, why, sizeof(why));
	fd = serve_listen(&target);
	if (fd < 0)
		die(EXIT_RUN, "cannot listen at %s: %s; another port", text, strerror(-fd));
	proc_say_ready((int)cfg->ready_fd);
	err = serve_guests(fd, &s, &sums);
	if (err)
		die(EXIT_RUN, "cannot go on: %s", strerror(-err));
	report_serve(out, text, &s, &sums);
	rec_must_close(out);
	sample_free(&sums.inside);
	sample_free(&sums.late);
	close(fd);
	return EXIT_OK;
}
