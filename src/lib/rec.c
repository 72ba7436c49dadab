#include "rec.h"
#include "clock.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEPTH_MAX 16

const char *const rec_formats[] = { "text", "json", "tsv", NULL };

enum kind { OBJECT, ARRAY, NUMBER, STRING, WORD };	/* NUMBER and WORD (true, false, null) print as they are */

struct node {
	enum kind kind;
	char *key, *text;
	struct node *first, *last, *next;
};

struct rec {
	struct rec_cfg cfg;
	FILE *out;
	char *place, *temporary;	/* NULL for what is written through: standard output, devices, pipes */
	struct node root;
	struct node *stack[DEPTH_MAX];
	int depth;
	int err;
};

/* A program that dies between rec_open() and rec_close() leaves no half file behind; a child of it that does, leaves its
 * parent's alone. */
static char pending[4096];
static pid_t pending_of;

static void remove_pending(void)
{
	if (pending[0] && getpid() == pending_of)
		unlink(pending);
}

static void set_pending(const char *path)
{
	static bool registered;

	snprintf(pending, sizeof(pending), "%s", path);
	pending_of = getpid();
	if (!registered)
		registered = !atexit(remove_pending);
}

static struct node *add(struct rec *r, const char *key, enum kind kind, const char *text)
{
	struct node *parent = r->stack[r->depth], *n = calloc(1, sizeof(*n));

	if (!n) {
		r->err = -ENOMEM;
		return NULL;
	}
	n->kind = kind;
	n->key = key ? strdup(key) : NULL;
	n->text = text ? strdup(text) : NULL;
	if ((key && !n->key) || (text && !n->text))
		r->err = -ENOMEM;
	if (parent->last)
		parent->last->next = n;
	else
		parent->first = n;
	parent->last = n;
	return n;
}

static void descend(struct rec *r, const char *key, enum kind kind)
{
	struct node *n = add(r, key, kind, NULL);

	if (r->depth + 1 >= DEPTH_MAX)
		r->err = -E2BIG;
	else
		r->stack[++r->depth] = n ? n : &r->root;
}

void rec_object(struct rec *r, const char *key)
{
	descend(r, key, OBJECT);
}

void rec_array(struct rec *r, const char *key)
{
	descend(r, key, ARRAY);
}

void rec_end(struct rec *r)
{
	if (r->depth > 0)
		r->depth--;
}

void rec_int(struct rec *r, const char *key, int64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", (long long)value);
	add(r, key, NUMBER, text);
}

void rec_real(struct rec *r, const char *key, double value, int decimals)
{
	char text[64];

	if (!isfinite(value)) {
		add(r, key, WORD, "null");
		return;
	}
	snprintf(text, sizeof(text), fabs(value) < 1e15 ? "%.*f" : "%.*e", decimals, value);
	add(r, key, NUMBER, text);
}

void rec_str(struct rec *r, const char *key, const char *value)
{
	if (value)
		add(r, key, STRING, value);
	else
		add(r, key, WORD, "null");
}

void rec_bool(struct rec *r, const char *key, bool value)
{
	add(r, key, WORD, value ? "true" : "false");
}

void rec_timing(struct rec *r, const char *key, struct sample *s, double unit)
{
	static const struct { const char *name; double p; } quantiles[] = {
		{ "p25", 0.25 }, { "p50", 0.5 }, { "p75", 0.75 }, { "p90", 0.9 },
		{ "p95", 0.95 }, { "p99", 0.99 }, { "p999", 0.999 },
	};
	enum { N = 4 + sizeof(quantiles) / sizeof(*quantiles) };
	struct { const char *name; struct sample_stat stat; } row[N];
	size_t n = 0;

	row[n].name = "min";
	row[n++].stat = sample_min(s);
	row[n].name = "mean";
	row[n++].stat = sample_mean(s);
	row[n].name = "sd";
	row[n++].stat = sample_sd(s);
	for (size_t i = 0; i < sizeof(quantiles) / sizeof(*quantiles); i++) {
		row[n].name = quantiles[i].name;
		row[n].stat = sample_supports(s, quantiles[i].p) ? sample_quantile(s, quantiles[i].p) :
			      (struct sample_stat){ NAN, false };
		n++;
	}
	row[n].name = "max";
	row[n++].stat = sample_max(s);

	rec_object(r, key);
	rec_int(r, "n", (int64_t)s->n);
	for (size_t i = 0; i < n; i++)
		rec_real(r, row[i].name, row[i].stat.above ? NAN : row[i].stat.value / unit, 3);
	if (s->censored) {
		rec_int(r, "censored", (int64_t)s->censored);
		rec_object(r, "above");
		for (size_t i = 0; i < n; i++)
			if (row[i].stat.above && strcmp(row[i].name, "sd") != 0)
				rec_real(r, row[i].name, row[i].stat.value / unit, 3);
		rec_end(r);
	}
	rec_end(r);
}

/* Length of the well-formed UTF-8 sequence at `p` (RFC 3629: no overlong forms, no surrogates), 0 if it is none. */
static int utf8_length(const unsigned char *p)
{
	int n = p[0] < 0x80 ? 1 : p[0] >= 0xc2 && p[0] < 0xe0 ? 2 : (p[0] & 0xf0) == 0xe0 ? 3 : p[0] >= 0xf0 && p[0] < 0xf5 ? 4 : 0;

	for (int i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) || (p[0] == 0xf0 && p[1] < 0x90) ||
	    (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return n;
}

/* File names and window titles are bytes; JSON is UTF-8, so what is not becomes U+FFFD. */
static void json_string(FILE *out, const char *text)
{
	fputc('"', out);
	for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
		int n = utf8_length(p);

		if (*p == '"' || *p == '\\')
			fprintf(out, "\\%c", *p);
		else if (*p < 0x20 || *p == 0x7f)
			fprintf(out, "\\u%04x", *p);
		else if (!n)
			fputs("\xef\xbf\xbd", out);
		else
			fwrite(p, 1, (size_t)n, out);
		p += n > 1 ? n - 1 : 0;
	}
	fputc('"', out);
}

static void json(FILE *out, const struct node *n, int indent)
{
	if (n->key) {
		json_string(out, n->key);
		fputs(": ", out);
	}
	if (n->kind == STRING) {
		json_string(out, n->text ? n->text : "");
		return;
	}
	if (n->kind == NUMBER || n->kind == WORD) {
		fputs(n->text ? n->text : "null", out);
		return;
	}
	fputc(n->kind == OBJECT ? '{' : '[', out);
	for (const struct node *c = n->first; c; c = c->next) {
		fprintf(out, "%s\n%*s", c == n->first ? "" : ",", indent + 1, "");
		json(out, c, indent + 1);
	}
	if (n->first)
		fprintf(out, "\n%*s", indent, "");
	fputc(n->kind == OBJECT ? '}' : ']', out);
}

/* A tab or a line end inside a value would make a row of its own. */
static void plain(FILE *out, const char *text)
{
	for (; text && *text; text++)
		fputc((unsigned char)*text < 0x20 ? ' ' : *text, out);
}

static void tsv(FILE *out, const struct node *n, const char *schema, const char *prefix)
{
	int i = 0;

	for (const struct node *c = n->first; c; c = c->next, i++) {
		char path[512];

		if (c->key)
			snprintf(path, sizeof(path), "%s%s%s", prefix, *prefix ? "." : "", c->key);
		else
			snprintf(path, sizeof(path), "%s%s%d", prefix, *prefix ? "." : "", i);
		if (c->kind == OBJECT || c->kind == ARRAY) {
			tsv(out, c, schema, path);
			continue;
		}
		fprintf(out, "%s\t%s\t", schema, path);
		if (c->kind != WORD || (c->text && strcmp(c->text, "null") != 0))
			plain(out, c->text);
		fputc('\n', out);
	}
}

static bool leaf(const struct node *n)
{
	return n->kind != OBJECT && n->kind != ARRAY;
}

/* What of a leaf is for people; in a node of our own tree, so it may be made plain in place. */
static const char *shown(const struct node *n)
{
	if (!n->text || (n->kind == WORD && !strcmp(n->text, "null")))
		return "-";
	for (char *p = n->text; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			*p = ' ';
	return n->text;
}

/* An object of leaves in a row: "n 95  min 8.1  p50 9.3"; the bounds in "above" as "p99 >812". */
static void text_row(FILE *out, const struct node *n)
{
	const struct node *above = NULL;

	for (const struct node *c = n->first; c; c = c->next)
		if (c->kind == OBJECT && c->key && !strcmp(c->key, "above"))
			above = c;
	for (const struct node *c = n->first; c; c = c->next) {
		const struct node *bound = NULL;

		if (!leaf(c))
			continue;
		for (const struct node *a = above ? above->first : NULL; a; a = a->next)
			if (c->key && a->key && !strcmp(a->key, c->key))
				bound = a;
		if (bound)
			fprintf(out, "%s %s >%s", c == n->first ? "" : " ", c->key, shown(bound));
		else if (strcmp(shown(c), "-") != 0)
			fprintf(out, "%s %s %s", c == n->first ? "" : " ", c->key ? c->key : "", shown(c));
	}
}

static bool row_like(const struct node *n)
{
	for (const struct node *c = n->first; c; c = c->next)
		if (!leaf(c) && !(c->kind == OBJECT && c->key && !strcmp(c->key, "above")))
			return false;
	return n->first != NULL;
}

static void text(FILE *out, const struct node *n, int indent)
{
	for (const struct node *c = n->first; c; c = c->next) {
		if (leaf(c)) {
			fprintf(out, "%*s%-*s %s\n", indent, "", 30 - indent, c->key ? c->key : "-", shown(c));
		} else if (c->kind == OBJECT && row_like(c) && indent > 0) {
			fprintf(out, "%*s%-*s", indent, "", 30 - indent, c->key ? c->key : "-");
			text_row(out, c);
			fputc('\n', out);
		} else {
			fprintf(out, "%*s%s:%s\n", indent, "", c->key ? c->key : "-", c->first ? "" : " none");
			text(out, c, indent + 2);
		}
	}
}

static void start_report(struct rec *r, const char *tool)
{
	char host[65] = "", when[24], schema[64];

	gethostname(host, sizeof(host) - 1);
	clock_utc(when, sizeof(when));
	snprintf(schema, sizeof(schema), "thinprobe.%s/1", tool);
	rec_str(r, "schema", schema);
	rec_str(r, "tool", tool);
	rec_str(r, "version", THINPROBE_VERSION);
	rec_str(r, "started", when);
	rec_str(r, "host", host);
}

/* Whether `path` is to be written to as it stands and never replaced: a device, a pipe, or a name of one of our own
 * descriptors (/dev/stdout may well lead to a regular file; a rename would then replace the name itself). */
static bool written_through(const char *path)
{
	struct stat st;

	return !strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/", 6) ||
	       (!stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode));
}

/* Opens a temporary file beside the place that the report will take. 0 or -errno. */
static int open_beside(struct rec *r)
{
	struct stat st;
	mode_t mask;
	int fd;

	/* the file behind a symbolic link is replaced, not the link */
	r->place = realpath(r->cfg.path, NULL);
	if (!r->place)
		r->place = strdup(r->cfg.path);
	if (!r->place)
		return -ENOMEM;
	if (!stat(r->place, &st) && S_ISDIR(st.st_mode))
		return -EISDIR;
	if (asprintf(&r->temporary, "%s.XXXXXX", r->place) < 0) {
		r->temporary = NULL;
		return -ENOMEM;
	}
	fd = mkostemp(r->temporary, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	set_pending(r->temporary);
	mask = umask(0);
	umask(mask);
	fchmod(fd, 0666 & ~mask);
	r->out = fdopen(fd, "w");
	if (!r->out) {
		close(fd);
		unlink(r->temporary);
		set_pending("");
		return -ENOMEM;
	}
	return 0;
}

static int open_output(struct rec *r)
{
	if (!r->cfg.path || !strcmp(r->cfg.path, "-")) {
		r->out = stdout;
		return 0;
	}
	if (!written_through(r->cfg.path))
		return open_beside(r);
	r->out = fopen(r->cfg.path, "we");
	return r->out ? 0 : -errno;
}

struct rec *rec_open(const struct rec_cfg *cfg, const char *tool)
{
	struct rec *r = calloc(1, sizeof(*r));
	int err;

	if (!r)
		return NULL;
	r->cfg = *cfg;
	r->root.kind = OBJECT;
	r->stack[0] = &r->root;
	err = open_output(r);
	if (err) {
		free(r->temporary);
		free(r->place);
		free(r);
		errno = -err;
		return NULL;
	}
	start_report(r, tool);
	return r;
}

static void drop_children(struct node *n)
{
	for (struct node *c = n->first, *next; c; c = next) {
		next = c->next;
		drop_children(c);
		free(c->key);
		free(c->text);
		free(c);
	}
}

static void render(struct rec *r)
{
	const char *schema = r->root.first && r->root.first->text ? r->root.first->text : "";

	switch (r->cfg.format) {
	case REC_JSON:
		json(r->out, &r->root, 0);
		fputc('\n', r->out);
		break;
	case REC_TSV:
		fputs("schema\tkey\tvalue\n", r->out);
		tsv(r->out, &r->root, schema, "");
		break;
	default:
		text(r->out, &r->root, 0);
	}
}

int rec_close(struct rec *r)
{
	int err = r->err;

	if (!err)
		render(r);
	if (fflush(r->out) || ferror(r->out))
		err = err ? err : -(errno ? errno : EIO);
	if (r->temporary) {
		if (!err && fsync(fileno(r->out)))
			err = -errno;
		if (fclose(r->out) && !err)
			err = -errno;
		if (!err && rename(r->temporary, r->place))
			err = -errno;
		if (err)
			unlink(r->temporary);
		set_pending("");
	} else if (r->out != stdout && fclose(r->out) && !err) {
		err = -errno;
	}
	drop_children(&r->root);
	free(r->temporary);
	free(r->place);
	free(r);
	return err;
}

struct rows {
	FILE *out;
	char *schema;
	int columns, cells, err;
};

struct rows *rows_open(const char *path, const char *schema, const char *const *columns)
{
	struct rows *t = calloc(1, sizeof(*t));
	bool standard = !strcmp(path, "-");

	if (!t)
		return NULL;
	t->schema = strdup(schema);
	t->out = standard ? stdout : fopen(path, "we");
	if (!t->out || !t->schema) {
		int saved = errno;

		if (t->out && !standard)
			fclose(t->out);
		free(t->schema);
		free(t);
		errno = saved;
		return NULL;
	}
	fputs("schema", t->out);
	for (; columns[t->columns]; t->columns++)
		fprintf(t->out, "\t%s", columns[t->columns]);
	fputc('\n', t->out);
	return t;
}

static FILE *cell(struct rows *t)
{
	if (!t->cells)
		fputs(t->schema, t->out);
	fputc('\t', t->out);
	t->cells++;
	return t->out;
}

void rows_int(struct rows *t, int64_t value)
{
	fprintf(cell(t), "%lld", (long long)value);
}

void rows_none(struct rows *t)
{
	cell(t);
}

void rows_str(struct rows *t, const char *value)
{
	plain(cell(t), value);
}

void rows_end(struct rows *t)
{
	if (t->cells != t->columns)
		t->err = -EPROTO;
	t->cells = 0;
	fputc('\n', t->out);
}

void rows_flush(struct rows *t)
{
	fflush(t->out);
}

int rows_close(struct rows *t)
{
	int err = t->err;

	if ((fflush(t->out) || ferror(t->out)) && !err)
		err = -(errno ? errno : EIO);
	if (t->out != stdout && fclose(t->out) && !err)
		err = -errno;
	free(t->schema);
	free(t);
	return err;
}
