// SPDX-License-Identifier: GPL-3.0-or-later
#include "step.h"

#include <errno.h>
#include <math.h>
#include <string.h>

bool step_read(const struct json *j, const char *prefix, struct step *out)
{
	const struct {
		double *into;
		const char *key;
	} keys[] = {
		{ &out->seconds, "seconds" }, { &out->from_ns, "from_ns" }, { &out->due, "frames_due" }, { &out->shown, "frames_shown" },
		{ &out->late, "late_frames" }, { &out->seen, "frames_seen" }, { &out->display_bytes, "display_wire_bytes" },
		{ &out->input_bytes, "input_wire_bytes" }, { &out->packets, "display_packets" }, { &out->cpu_percent, "cpu_percent" },
		{ &out->bytes_per_frame, "bytes_per_frame" }, { &out->frame_bytes, "frame_bytes" },
		{ &out->information_bytes, "information_bytes" },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		*keys[i].into = inputs_number(j, "%s.%s", prefix, keys[i].key);
	return !isnan(out->seconds);
}

int step_figure(const struct step *s, const char *name, double *out)
{
	const struct {
		const char *name;
		double value, of;
	} figures[] = {
		{ "mbit_per_s", s->display_bytes * 8 / 1e6, s->seconds }, { "input_mbit_per_s", s->input_bytes * 8 / 1e6, s->seconds },
		{ "seen_per_s", s->seen, s->seconds }, { "shown_per_s", s->shown, s->seconds }, { "late_percent", 100 * s->late, s->due },
		{ "packets_per_frame", s->packets, isnan(s->seen) ? s->shown : s->seen }, { "cpu_percent", s->cpu_percent, 1 },
		{ "bytes_per_frame", s->bytes_per_frame, 1 }, { "frame_bytes", s->frame_bytes, 1 },
		{ "information_bytes", s->information_bytes, 1 },
	};

	for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++)
		if (!strcmp(figures[i].name, name)) {
			*out = figures[i].of > 0 ? figures[i].value / figures[i].of : (double)NAN;
			return 0;
		}
	return -ENOENT;
}
