// SPDX-License-Identifier: GPL-3.0-or-later
#include "wan.h"
#include "whole.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PARTS_MAX 1000	/* protocols, and links */

struct reader {
	const char *folder;
	char *why;
	size_t size;
	struct inputs_counts *done;
	const struct json *run;
	int64_t repeats, seed;
	double threshold_ms;
	struct whole summary, slope;
	struct wan_cell cell;	/* the one that is read: large */
};

static int complain(struct reader *r, const char *file, int err, const char *what)
{
	snprintf(r->why, r->size, "%s: %s", file, what);
	return err;
}

static int read_samples(FILE *in, void *into, unsigned long *line)
{
	return keys_read(in, into, line);
}

static void read_link(const struct json *j, struct wan_cell *c)
{
	double packets = inputs_number(j, "link", "packets"), lost = inputs_number(j, "link", "lost");

	if (isnan(packets) || isnan(lost))
		return;
	c->packets = isnan(c->packets) ? packets : c->packets + packets;
	c->lost = isnan(c->lost) ? lost : c->lost + lost;
}

static int read_repeat(struct reader *r, const char *cell, int64_t repeat)
{
	struct wan_cell *c = &r->cell;
	struct keys keys = { 0 };
	struct inputs_cell told;
	char folder[4200];
	int err;

	snprintf(folder, sizeof(folder), "%s/cells/%s/%lld", r->folder, cell, (long long)repeat);
	err = inputs_cell(folder, &told, r->why, r->size);
	if (err)
		return err;
	c->tried += told.json != NULL;
	if (!told.complete) {
		c->failed++;
		r->done->failed++;
		json_free(told.json);
		return 0;
	}
	err = inputs_rows(folder, "samples.tsv", true, read_samples, &keys, r->why, r->size);
	if (!err && wan_cell_add(c, &keys, inputs_number(told.json, "parameters", "ping_ms"), r->threshold_ms))
		err = complain(r, folder, -ENOMEM, "out of memory");
	keys_free(&keys);
	if (!err) {
		read_link(told.json, c);
		c->marked += told.marked;
		r->done->complete++;
		r->done->marked += told.marked;
	}
	json_free(told.json);
	return err;
}

/* Its folder's name: the protocol with - for :, and the number of the link. */
static int read_cell(struct reader *r, int link)
{
	char path[32], name[128];
	int err = 0;

	snprintf(path, sizeof(path), "settings.links.%d", link);
	wan_cell_clear(&r->cell);
	r->cell.rtt_ms = inputs_number(r->run, path, "rtt_ms");
	r->cell.loss_percent = inputs_number(r->run, path, "loss_percent");
	r->cell.keys_per_s = inputs_number(r->run, path, "keys_per_s");
	if (isnan(r->cell.keys_per_s))
		r->cell.keys_per_s = 0;
	snprintf(name, sizeof(name), "%s-%03d", r->cell.protocol, link);
	for (char *p = name; *p; p++)
		*p = *p == ':' ? '-' : *p;
	for (int64_t repeat = 1; !err && repeat <= r->repeats; repeat++)
		err = read_repeat(r, name, repeat);
	return err;
}

static int read_protocol(struct reader *r)
{
	struct wan_line line = { 0 };
	char path[48];
	int err = 0;

	for (int link = 0; !err && link < PARTS_MAX; link++) {
		snprintf(path, sizeof(path), "settings.links.%d", link);
		if (isnan(inputs_number(r->run, path, "rtt_ms")))
			break;
		err = read_cell(r, link);
		if (err)
			break;
		if (r->cell.loss_percent == 0 && r->cell.keys_per_s == 0 && wan_line_add(&line, &r->cell))
			err = complain(r, r->folder, -ENOMEM, "out of memory");
		wan_write_cell(r->summary.rows, &r->cell, r->seed);
		r->done->rows++;
	}
	if (!err)
		wan_write_slope(r->slope.rows, r->cell.protocol, &line);
	wan_cell_clear(&r->cell);
	free(line.x);
	free(line.y);
	return err;
}

static int read_all(struct reader *r)
{
	const char *app = json_get_str(r->run, "settings.app");
	int err = 0;

	snprintf(r->cell.app, sizeof(r->cell.app), "%s", app ? app : "");
	for (int i = 0; !err && i < PARTS_MAX; i++) {
		const char *protocol;
		char path[48];

		snprintf(path, sizeof(path), "settings.protocols.%d", i);
		protocol = json_get_str(r->run, path);
		if (!protocol)
			break;
		if (!inputs_is_name(protocol) || strlen(protocol) >= sizeof(r->cell.protocol))
			return complain(r, r->folder, -EPROTO, "run.json: settings.protocols cannot be read");
		snprintf(r->cell.protocol, sizeof(r->cell.protocol), "%s", protocol);
		err = read_protocol(r);
	}
	return err;
}

static int write_tables(struct reader *r)
{
	const struct whole_table tables[] = {
		{ &r->summary, "summary.tsv", "wan/1", wan_summary_columns },
		{ &r->slope, "slope.tsv", "wan-slope/1", wan_slope_columns },
	};
	int err = whole_open_all(tables, 2, r->folder, r->why, r->size);

	return err ? err : whole_close_all(tables, 2, read_all(r), r->why, r->size);
}

int wan_summarize(const char *folder, struct inputs_counts *out, char *why, size_t size)
{
	struct reader *r = calloc(1, sizeof(*r));
	struct json *j;
	int err;

	*out = (struct inputs_counts){ 0 };
	if (!r) {
		snprintf(why, size, "%s: out of memory", folder);
		return -ENOMEM;
	}
	*r = (struct reader){ .folder = folder, .why = why, .size = size, .done = out, .repeats = 1, .seed = 1 };
	r->run = j = inputs_run(folder, &r->repeats, &r->seed, why, size);
	if (!j) {
		free(r);
		return -EPROTO;
	}
	r->threshold_ms = inputs_number(j, "settings", "threshold_ms");
	if (isnan(r->threshold_ms))
		r->threshold_ms = 100;
	err = write_tables(r);
	json_free(j);
	free(r);
	return err;
}
