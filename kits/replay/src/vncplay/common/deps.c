// SPDX-License-Identifier: GPL-3.0-or-later
#include "deps.h"
#include "files.h"
#include "lines.h"
#include "memory.h"
#include "trace.h"

#include <errno.h>
#include <inttypes.h>

static const char *const why_words[] = { "alone", "sometimes", NULL };

uint64_t deps_hash_part(const struct screen *s, struct pixel_area box)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (int y = box.y; y < box.y + box.h; y++)
		for (int x = box.x; x < box.x + box.w; x++)
			for (int shift = 0; shift < 24; shift += 8)
				h = (h ^ (screen_pixel(s, x, y) >> shift & 255)) * 0x100000001b3u;
	return h;
}

void deps_add_dependency(struct dependencies *d, const struct dependency *b)
{
	memory_more(d->before, (size_t)d->n_before);
	d->before[d->n_before++] = *b;
}

void deps_add_ignored(struct dependencies *d, const struct ignored_part *i)
{
	memory_more(d->ignore, (size_t)d->n_ignore);
	d->ignore[d->n_ignore++] = *i;
}

void deps_free(struct dependencies *d)
{
	free(d->before);
	free(d->ignore);
	*d = (struct dependencies){ 0 };
}

const struct dependency *deps_find(const struct dependencies *d, int line, int *n)
{
	int low = 0, high = d->n_before;

	while (low < high) {
		int middle = low + (high - low) / 2;

		if (d->before[middle].line < line)
			low = middle + 1;
		else
			high = middle;
	}
	*n = 0;
	while (low + *n < d->n_before && d->before[low + *n].line == line)
		++*n;
	return *n ? &d->before[low] : NULL;
}

static bool is_box_valid(const struct pixel_area *b)
{
	return b->x >= 0 && b->y >= 0 && b->w > 0 && b->h > 0 && b->x < SCREEN_SIDE_MOST && b->y < SCREEN_SIDE_MOST &&
	       b->w <= SCREEN_SIDE_MOST && b->h <= SCREEN_SIDE_MOST;
}

static int read_dependency(struct dependencies *d, const char *text, int file_line, const char **what)
{
	struct dependency b = { .file_line = file_line };
	char hash[20], *end;
	int used = 0;

	if (sscanf(text, "before %9d change %6d %6d %6d %6d %19s%n", &b.line, &b.box.x, &b.box.y, &b.box.w, &b.box.h, hash,
		   &used) != 6 ||
	    text[used]) {
		*what = "not of the form \"before LINE change X Y W H HASH\"";
		return -EPROTO;
	}
	b.any = !strcmp(hash, "*");
	b.hash = b.any ? 0 : strtoull(hash, &end, 16);
	if (b.line < 1 || !is_box_valid(&b.box) || (!b.any && (*end || strlen(hash) != 16))) {
		*what = "a value that cannot be";
		return -EPROTO;
	}
	if (d->n_before && d->before[d->n_before - 1].line > b.line) {
		*what = "its line of the trace is before that of the line above";
		return -EPROTO;
	}
	deps_add_dependency(d, &b);
	return 0;
}

static int read_ignored(struct dependencies *d, const char *text, const char **what)
{
	struct ignored_part i = { .why = DEPS_ALONE };
	char why[16];
	int used = 0;

	if (sscanf(text, "ignore %6d %6d %6d %6d %15s%n", &i.box.x, &i.box.y, &i.box.w, &i.box.h, why, &used) != 5 || text[used] ||
	    !is_box_valid(&i.box)) {
		*what = "not of the form \"ignore X Y W H WHY\"";
		return -EPROTO;
	}
	if (find_word(why_words, why) >= 0)
		i.why = (enum deps_why)find_word(why_words, why);
	deps_add_ignored(d, &i);
	return 0;
}

static int read_deps_line(struct dependencies *d, const char *text, int n, const char **what)
{
	int used = 0;

	if (*text == '#')
		return 0;
	if (!strncmp(text, "before ", 7))
		return read_dependency(d, text, n, what);
	if (!strncmp(text, "ignore ", 7))
		return read_ignored(d, text, what);
	if (sscanf(text, "inputs %9d%n", &d->inputs, &used) == 1 && !text[used] && d->inputs >= 0)
		return 0;
	*what = "neither inputs, before nor ignore";
	return -EPROTO;
}

static int read_deps_lines(struct dependencies *d, struct line_reader *l, const char **what)
{
	int err, got = line_reader_next(l, false);

	*what = got ? "not a file of vncplay learn: the first line must be \"vncplay-deps 1\"" : "an empty file";
	err = got == 1 && !strcmp(l->text, "vncplay-deps 1") ? 0 : -EPROTO;
	while (!err && (got = line_reader_next(l, false)) == 1) {
		*what = "too many lines";
		err = d->n_before + d->n_ignore == DEPS_MOST ? -EPROTO : read_deps_line(d, l->text, (int)l->line, what);
	}
	if (got >= 0)
		return err;
	*what = l->why;
	return got;
}

int deps_read(const char *path, struct dependencies *d, struct why *why)
{
	struct line_reader l = { 0 };
	const char *what = "";
	int err;
	FILE *in;

	*d = (struct dependencies){ 0 };
	in = fopen(path, "re");
	if (!in)
		return -errno;
	err = line_reader_init(&l, in);
	if (!err)
		err = read_deps_lines(d, &l, &what);
	if (err == -EPROTO)
		why_say(why, "line %lu: %s", l.line, what);
	if (err)
		deps_free(d);
	line_reader_free(&l);
	fclose(in);
	return err;
}

int deps_write(const struct dependencies *d, FILE *out)
{
	fprintf(out, "vncplay-deps 1\ninputs %d\n", d->inputs);
	for (int i = 0; i < d->n_ignore; i++) {
		const struct pixel_area *b = &d->ignore[i].box;

		fprintf(out, "ignore %d %d %d %d %s\n", b->x, b->y, b->w, b->h, why_words[d->ignore[i].why]);
	}
	for (int i = 0; i < d->n_before; i++) {
		const struct dependency *b = &d->before[i];

		fprintf(out, "before %d change %d %d %d %d ", b->line, b->box.x, b->box.y, b->box.w, b->box.h);
		if (b->any)
			fputs("*\n", out);
		else
			fprintf(out, "%016" PRIx64 "\n", b->hash);
	}
	return files_flush_stream(out);
}
