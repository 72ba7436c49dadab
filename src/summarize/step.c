// SPDX-License-Identifier: GPL-3.0-or-later
#include "step.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

bool step_read(const struct json *j, const char *prefix, struct step *out)
{
	const struct {
		double *into;
		const char *key;
	} keys[] = {
		{ &out->seconds, "seconds" }, { &out->from_ns, "from_ns" }, { &out->to_ns, "to_ns" }, { &out->due, "frames_due" }, { &out->shown, "frames_shown" },
		{ &out->late, "late_frames" }, { &out->seen, "frames_seen" }, { &out->display_bytes, "display_wire_bytes" }, { &out->input_bytes, "input_wire_bytes" },
		{ &out->packets, "display_packets" }, { &out->cpu_percent, "cpu_percent" }, { &out->bytes_per_frame, "bytes_per_frame" },
		{ &out->frame_bytes, "frame_bytes" }, { &out->information_bytes, "information_bytes" },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		*keys[i].into = inputs_number(j, prefix, keys[i].key);
	return !isnan(out->seconds);
}

double step_mbit_s(const struct step *s)
{
	return s->seconds > 0 ? s->display_bytes * 8 / s->seconds / 1e6 : (double)NAN;
}

static bool word(const struct json *j, int number, const char *key, char *into, size_t size)
{
	char path[64];
	const char *text;

	snprintf(path, sizeof(path), "settings.systems.%d.%s", number, key);
	text = json_get_str(j, path);
	return text && *text && snprintf(into, size, "%s", text) < (int)size;
}

int step_system(const struct json *run, int number, struct step_system *out)
{
	if (!word(run, number, "cell", out->cell, sizeof(out->cell)))
		return 0;
	if (!inputs_is_name(out->cell) || !word(run, number, "protocol", out->protocol, sizeof(out->protocol)) ||
	    !word(run, number, "draw", out->draw, sizeof(out->draw)))
		return -EPROTO;
	return 1;
}

struct json *step_cell(const char *folder, const struct step_system *s, int64_t repeat, bool *failed, bool *marked, int *err, char *why, size_t size)
{
	struct inputs_cell cell;
	char path[4400];

	snprintf(path, sizeof(path), "%s/cells/%s/%lld", folder, s->cell, (long long)repeat);
	*err = inputs_cell(path, &cell, why, size);
	*marked = cell.marked;
	*failed = cell.json && !cell.complete;
	if (!*failed)
		return cell.json;
	json_free(cell.json);
	return NULL;
}
