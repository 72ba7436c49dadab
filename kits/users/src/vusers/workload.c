// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload.h"
#include "cli.h"
#include "lines.h"
#include "random.h"

#include <errno.h>
#include <string.h>

enum { CELL_PAGE, CELL_WEIGHT, CELL_OBJECT, CELL_PATH, CELLS_MIN, CELLS_MOST = CELLS_MIN + 1 };

static bool is_valid_path(const char *text)
{
	if (*text != '/')
		return false;
	for (; *text; text++)
		if ((unsigned char)*text <= ' ' || *text == 127 || *text == '"' || *text == '\\')
			return false;
	return true;
}

static const char *add_object(struct workload *w, char **cell)
{
	struct workload_page *p = w->pages ? &w->page[w->pages - 1] : NULL;
	struct workload_object *o = &w->object[w->objects];
	double weight;

	if (cli_parse_real(cell[CELL_WEIGHT], &weight) || !(weight > 0 && weight <= 1e9))
		return "the weight is not a number above 0";
	if (!*cell[CELL_PAGE] || strlen(cell[CELL_PAGE]) >= WORKLOAD_NAME || !*cell[CELL_OBJECT] ||
	    strlen(cell[CELL_OBJECT]) >= WORKLOAD_NAME)
		return "a name is empty, or too long";
	if (strlen(cell[CELL_PATH]) >= WORKLOAD_PATH || !is_valid_path(cell[CELL_PATH]))
		return "the path does not begin with / or contains blanks";
	if (!p || strcmp(p->name, cell[CELL_PAGE]) != 0) {
		for (int i = 0; i < w->pages; i++)
			if (!strcmp(w->page[i].name, cell[CELL_PAGE]))
				return "the objects of one page are not in consecutive lines";
		p = &w->page[w->pages++];
		*p = (struct workload_page){ .first = w->objects,
					     .weight = weight,
					     .up_to = weight + (w->pages > 1 ? p[-1].up_to : 0) };
		strcpy(p->name, cell[CELL_PAGE]);
	} else if (p->weight < weight || p->weight > weight) {
		return "the page has another weight in the line before";
	}
	strcpy(o->name, cell[CELL_OBJECT]);
	strcpy(o->path, cell[CELL_PATH]);
	p->n++;
	w->objects++;
	return NULL;
}

int workload_read(FILE *in, struct workload *w, unsigned long *line, const char **why)
{
	char *cell[CELLS_MOST];
	struct line_reader l;
	int err;

	*why = NULL;
	w->objects = w->pages = 0;
	err = line_reader_init(&l, in) ? -ENOMEM : 1;
	while (err > 0 && (err = line_reader_next(&l)) > 0) {
		if (*l.text == '#')
			continue;
		l.why = fields_split(l.text, cell, CELLS_MOST) < CELLS_MIN
				? "not the columns page, weight, object, path and optionally bytes, separated by tabs"
			: w->objects == WORKLOAD_OBJECTS ? "more than 1000 objects"
							 : add_object(w, cell);
		err = l.why ? -EPROTO : 1;
	}
	*line = l.line;
	if (err == -EPROTO)
		*why = l.why;
	line_reader_free(&l);
	return err || w->objects ? err : -ENODATA;
}

int workload_make_one(struct workload *w, const char *path)
{
	char name[] = "page", weight[] = "1", object[] = "object", copy[WORKLOAD_PATH], *cell[] = { name, weight, object, copy };

	if (strlen(path) >= sizeof(copy))
		return -ENAMETOOLONG;
	strcpy(copy, path);
	w->objects = w->pages = 0;
	return add_object(w, cell) ? -EPROTO : 0;
}

int workload_draw_page(const struct workload *w, uint64_t *state)
{
	double at = random_fraction(state) * w->page[w->pages - 1].up_to;
	int i = 0;

	while (i < w->pages - 1 && at >= w->page[i].up_to)
		i++;
	return i;
}

double workload_objects_per_page(const struct workload *w)
{
	double objects = 0;

	for (int i = 0; i < w->pages; i++)
		objects += w->page[i].weight * w->page[i].n;
	return objects / w->page[w->pages - 1].up_to;
}
