#include "logs_in.h"
#include "fields.h"
#include "stamps.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST 65536
#define FIELDS 256
#define MS 1000000LL
#define S 1000000000LL

const char *const logs_in_kinds[] = { "auto", "jtl", "clf", "tsv", NULL };

static const char *const usual[] = { "timeStamp", "start_ns", "sent_ns", "due_ns", "time_ns", "received_ns", "start_ms", "time_s", "timestamp", "time" };

/* --- who asked: names to numbers, in a table of open addressing ------------------------------------------------- */

struct logs_in_names {
	char **name;
	size_t room, n;
	uint32_t *number;
};

static size_t place_of(const struct logs_in_names *t, const char *name)
{
	uint64_t hash = 14695981039346656037u;	/* FNV-1a */
	size_t at;

	for (const unsigned char *p = (const unsigned char *)name; *p; p++)
		hash = (hash ^ *p) * 1099511628211u;
	for (at = hash % t->room; t->name[at] && strcmp(t->name[at], name) != 0; at = (at + 1) % t->room)
		;
	return at;
}

static int grow(struct logs_in_names *t)
{
	struct logs_in_names more = { .room = t->room ? 2 * t->room : 1024, .n = t->n };

	more.name = calloc(more.room, sizeof(*more.name));
	more.number = calloc(more.room, sizeof(*more.number));
	if (!more.name || !more.number) {
		free(more.name);
		free(more.number);
		return -ENOMEM;
	}
	for (size_t i = 0; i < t->room; i++)
		if (t->name[i]) {
			size_t at = place_of(&more, t->name[i]);

			more.name[at] = t->name[i];
			more.number[at] = t->number[i];
		}
	free(t->name);
	free(t->number);
	*t = more;
	return 0;
}

static int number_of(struct logs_in *l, const char *name, uint32_t *out)
{
	struct logs_in_names *t = l->names;
	size_t at;

	if (2 * (t->n + 1) > t->room && grow(t))
		return -ENOMEM;
	at = place_of(t, name);
	if (!t->name[at]) {
		t->name[at] = strdup(name);
		if (!t->name[at])
			return -ENOMEM;
		t->number[at] = (uint32_t)t->n++;
		l->sources = (uint32_t)t->n;
	}
	*out = t->number[at];
	return 0;
}

static int add(struct logs_in *l, int64_t time_ns, const char *source)
{
	struct logs_in_arrival a = { .time_ns = time_ns };
	int err = source && l->names ? number_of(l, source, &a.source) : 0;

	if (err)
		return err;
	if (l->n == l->room) {
		size_t room = l->room ? 2 * l->room : 4096;
		struct logs_in_arrival *more = realloc(l->arrival, room * sizeof(*more));

		if (!more)
			return -ENOMEM;
		l->arrival = more;
		l->room = room;
	}
	l->arrival[l->n++] = a;
	return 0;
}

/* --- lines ----------------------------------------------------------------------------------------------------- */

struct table {
	const struct logs_in_cfg *cfg;
	struct logs_in *out;
	bool commas;
	size_t fields;
	int time, source, where[LOGS_IN_WHERE];
	int64_t unit_ns, tick_ns;	/* the finest that a cell's decimals told */
};

static int head(struct table *t, char *line, const char **why)
{
	const struct logs_in_cfg *cfg = t->cfg;
	char *cell[FIELDS];

	t->fields = fields_cut(line, t->commas, cell, FIELDS);
	t->time = cfg->column ? fields_find(cell, t->fields, cfg->column) : -1;
	for (size_t i = 0; !cfg->column && t->time < 0 && i < sizeof(usual) / sizeof(*usual); i++)
		t->time = fields_find(cell, t->fields, usual[i]);
	*why = cfg->column ? "the header has no such --column" : "no column of the header is known to be a time; --column NAME";
	if (t->time < 0)
		return -EPROTO;
	snprintf(t->out->name, sizeof(t->out->name), "%s", cell[t->time]);
	t->unit_ns = cfg->unit_ns ? cfg->unit_ns : !strcmp(cell[t->time], "timeStamp") ? MS : stamps_unit(cell[t->time]);
	*why = "the column's name does not end in _ns, _us, _ms or _s; --unit";
	if (!t->unit_ns)
		return -EPROTO;
	t->source = cfg->source ? fields_find(cell, t->fields, cfg->source) : -1;
	*why = "the header has no such --sources";
	if (cfg->source && t->source < 0)
		return -EPROTO;
	*why = "the header has no such column as --where names";
	for (size_t i = 0; i < cfg->wheres; i++)
		if ((t->where[i] = fields_find(cell, t->fields, cfg->where[i].column)) < 0)
			return -EPROTO;
	return 0;
}

static int body(struct table *t, char *line, const char **why)
{
	char *cell[FIELDS];
	int64_t time_ns, tick_ns;

	*why = "not as many cells as the header has";
	if (fields_cut(line, t->commas, cell, FIELDS) != t->fields)
		return -EPROTO;
	for (size_t i = 0; i < t->cfg->wheres; i++)
		if (strcmp(cell[t->where[i]], t->cfg->where[i].value) != 0) {
			t->out->passed++;
			return 0;
		}
	if (!*cell[t->time]) {
		t->out->passed++;
		return 0;
	}
	*why = "not a time";
	if (!stamps_number(cell[t->time], strlen(cell[t->time]), t->unit_ns, &time_ns, &tick_ns))
		return -EPROTO;
	if (tick_ns < t->tick_ns)
		t->tick_ns = tick_ns;
	return add(t->out, time_ns, t->source >= 0 ? cell[t->source] : NULL);
}

/* host ident user [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.0" 200 2326 */
static int clf(struct logs_in *out, char *line, const char **why)
{
	char *host_end = strchr(line, ' '), *open = host_end ? strchr(host_end, '[') : NULL;
	int64_t time_ns;

	*why = "not a line of the Common Log Format: host ident user [10/Oct/2000:13:55:36 -0700] ...";
	while (open && !stamps_clf(open + 1, &time_ns))	/* (a user's name may have brackets too) */
		open = strchr(open + 1, '[');
	if (!open)
		return -EPROTO;
	*host_end = '\0';
	return add(out, time_ns, line);
}

static enum logs_in_kind guess(const char *line)
{
	int64_t t;

	for (const char *open = strchr(line, '['); open; open = strchr(open + 1, '['))
		if (stamps_clf(open + 1, &t))
			return LOGS_IN_CLF;
	return strchr(line, '\t') || !strchr(line, ',') ? LOGS_IN_TSV : LOGS_IN_JTL;
}

/* Times that are all whole seconds, milliseconds, ... were most likely written so; a decimal step, since another one may be the arrivals' own. */
static void settle_tick(struct logs_in *l, int64_t tick_ns)
{
	while (tick_ns < S) {
		for (size_t i = 0; i < l->n; i++)
			if (l->arrival[i].time_ns % (tick_ns * 10)) {
				l->tick_ns = tick_ns;
				return;
			}
		if (tick_ns >= MS)	/* whole tenths of a second are rather the arrivals' own */
			break;
		tick_ns *= 10;
	}
	l->tick_ns = tick_ns;
}

int logs_in_read(FILE *in, const struct logs_in_cfg *cfg, struct logs_in *out, unsigned long *line, const char **why)
{
	struct table t = { .cfg = cfg, .out = out, .tick_ns = S };
	char *text = malloc(LONGEST);
	bool first = true;	/* line that is not empty */
	int err = 0;

	*out = (struct logs_in){ .kind = (enum logs_in_kind)cfg->kind, .tick_ns = 1 };
	*line = 0;
	if (cfg->source)
		out->names = calloc(1, sizeof(*out->names));
	if (!text || (cfg->source && !out->names)) {
		free(text);
		return -ENOMEM;
	}
	while (!err && fgets(text, LONGEST, in)) {
		size_t n = strlen(text);
		bool whole = n && text[n - 1] == '\n';

		++*line;
		*why = n ? "a line too long" : "no text";
		if (!n || (!whole && n == LONGEST - 1)) {	/* a 0 is no text */
			err = -EPROTO;
			break;
		}
		text[strcspn(text, "\r\n")] = '\0';
		if (!*text)
			continue;
		if (first && out->kind == LOGS_IN_AUTO)
			out->kind = guess(text);
		t.commas = out->kind == LOGS_IN_JTL;
		if (out->kind == LOGS_IN_CLF)
			err = clf(out, text, why);
		else
			err = first ? head(&t, text, why) : body(&t, text, why);
		first = false;
	}
	free(text);
	if (!err && ferror(in))
		err = -EIO;
	if (out->kind == LOGS_IN_CLF)
		out->tick_ns = S;
	else if (!err)
		settle_tick(out, t.tick_ns);
	return err;
}

void logs_in_free(struct logs_in *l)
{
	for (size_t i = 0; l->names && i < l->names->room; i++)
		free(l->names->name[i]);
	if (l->names) {
		free(l->names->name);
		free(l->names->number);
	}
	free(l->names);
	free(l->arrival);
	*l = (struct logs_in){ 0 };
}
