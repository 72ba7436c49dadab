// SPDX-License-Identifier: GPL-3.0-or-later
#include "source.h"
#include "merge.h"
#include "records.h"
#include "why.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define ROOM (1 << 20)		/* bytes read ahead of a single file: less costs system calls, more leaves the CPU's cache */
#define ROOM_EACH (1 << 16)	/* bytes read ahead of each of several files */
#define BUFFER (256 * 1024)	/* bytes of stdio's buffer: its own 4 KB cost a third of the speed */
#define SIGNATURE_MAX 6		/* bytes of the longest signature of a compressed file */
#define BATCH 4096		/* packets per call: under a flood there is always one more, and the caller must check its end time */

struct input_file {
	const char *path;	/* the caller's */
	FILE *stream;		/* NULL once the capture that reads it closes it */
	char *buffer;		/* owned; the stream's buffer, which must outlive it */
};

struct source_file {
	struct input_file in;
	struct capture *capture;	/* NULL until source_begin_files() */
	struct packet head;	/* when several files are merged: the file's next packet */
};

struct packet_source {
	struct capture *live;
	struct source_file *file;
	int files;
	struct packet_merger order;	/* of several files by their next packets */
	int64_t drops;		/* lost packets recorded in the files; -1: not recorded */
	int damaged;
	char damage[SOURCE_WHY];
};

static void raise_open_files_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int input_file_open(struct input_file *in, const char *path)
{
	*in = (struct input_file){ .path = path, .stream = strcmp(path, "-") ? fopen(path, "re") : stdin };
	if (!in->stream)
		return -errno;
	in->buffer = malloc(BUFFER);
	if (in->buffer)
		setvbuf(in->stream, in->buffer, _IOFBF, BUFFER);
	return 0;
}

static void input_file_close(struct input_file *in)
{
	if (in->stream && in->stream != stdin)
		fclose(in->stream);
	free(in->buffer);
}

static const char *unpack_command_of_input_file(struct input_file *in)
{
	static const struct { const char *command; size_t n; unsigned char mark[SIGNATURE_MAX]; } kinds[] = {
		{ "gzip -dc", 2, { 0x1f, 0x8b } },
		{ "gzip -dc", 2, { 0x1f, 0x9d } },	/* by compress */
		{ "zstd -dc", 4, { 0x28, 0xb5, 0x2f, 0xfd } },
		{ "bzip2 -dc", 3, { 'B', 'Z', 'h' } },
		{ "xz -dc", 6, { 0xfd, '7', 'z', 'X', 'Z', 0 } },
		{ "lz4 -dc", 4, { 0x04, 0x22, 0x4d, 0x18 } },
	};
	const char *command = NULL;
	unsigned char seen[SIGNATURE_MAX];
	size_t n = 0;
	int c;

	while (n < SIGNATURE_MAX && (c = getc(in->stream)) != EOF)
		seen[n++] = (unsigned char)c;
	for (size_t i = 0; !command && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (n >= kinds[i].n && !memcmp(seen, kinds[i].mark, kinds[i].n))
			command = kinds[i].command;
	/* Pushing back several bytes works with the C libraries of Linux, though the standard guarantees only one. */
	while (n > 0)
		ungetc(seen[--n], in->stream);
	return command;
}

struct packet_source *source_open_live(const struct capture_live_cfg *cfg, char *why)
{
	struct packet_source *s = calloc(1, sizeof(*s));

	if (!s) {
		snprintf(why, SOURCE_WHY, "out of memory");
		return NULL;
	}
	s->drops = -1;
	s->live = capture_open_live(cfg, why);
	if (s->live)
		return s;
	source_close(s);
	return NULL;
}

struct packet_source *source_open_files(char *const *paths, int n, char *why)
{
	struct packet_source *s = calloc(1, sizeof(*s));

	raise_open_files_limit();
	if (s)
		s->file = calloc((size_t)n, sizeof(*s->file));
	if (!s || !s->file || merge_init(&s->order, n)) {
		snprintf(why, SOURCE_WHY, "out of memory");
		goto bad;
	}
	for (int i = 0; i < n; i++) {
		int err = input_file_open(&s->file[s->files++].in, paths[i]);

		if (err) {
			snprintf(why, SOURCE_WHY, "cannot open %s: %s", paths[i], strerror(-err));
			goto bad;
		}
	}
	return s;
bad:
	if (s)
		source_close(s);
	return NULL;
}

static int source_open_capture_file(struct packet_source *s, struct source_file *f, char *why)
{
	const char *unpack = unpack_command_of_input_file(&f->in), *path = f->in.path;
	int64_t drops = pcapng_count_dropped_packets(fileno(f->in.stream));
	FILE *stream = f->in.stream;
	const struct link_layer *link, *first;

	if (unpack)
		return fail_with_reason(-1, why, SOURCE_WHY, "%.400s is compressed; unpack it: %s %.400s | prototap read -", path, unpack,
				 strcmp(path, "-") ? path : "FILE");
	if (drops >= 0)
		s->drops = (s->drops < 0 ? 0 : s->drops) + drops;
	f->in.stream = NULL;
	f->capture = capture_open_file(stream, path, s->files > 1 ? ROOM_EACH : ROOM, why);
	if (!f->capture)
		return -1;
	link = capture_format_of(f->capture)->link;
	first = capture_format_of(s->file->capture)->link;
	if (link->type == first->type)
		return 0;
	return fail_with_reason(-1, why, SOURCE_WHY, "%s has link type %s, and %s has %s; read them one by one", s->file->in.path,
				  first->name,
			 path, link->name);
}

/* Notes an error behind a file's header: damage (0), which ends the file, or a kind of file that is refused (-1 with `why`). */
static int source_record_file_error(struct packet_source *s, struct source_file *f, char *why)
{
	if (has_capture_unlike_interfaces(f->capture, f->in.path, why))
		return -1;
	if (!s->damaged++)
		snprintf(s->damage, sizeof(s->damage), "%.400s: %.400s", f->in.path, capture_error_text(f->capture));
	return 0;
}

/* Reads a file's next packet: 1; 0: the file has ended; -1 with `why`. */
static int source_read_next_packet(struct packet_source *s, struct source_file *f, char *why)
{
	int n = capture_next(f->capture, &f->head);

	return n < 0 ? source_record_file_error(s, f, why) : n;
}

int source_begin_files(struct packet_source *s, char *why)
{
	s->drops = -1;
	for (int i = 0; i < s->files; i++)
		if (source_open_capture_file(s, &s->file[i], why))
			return -1;
	for (int i = 0; s->files > 1 && i < s->files; i++) {
		int n = source_read_next_packet(s, &s->file[i], why);

		if (n < 0)
			return -1;
		if (n)
			merge_add_file(&s->order, i, s->file[i].head.time_ns);
	}
	return 0;
}

static int source_deliver_merged_packets(struct packet_source *s, packet_fn *fn, void *context, char *why)
{
	int taken = 0;

	while (s->order.n && taken < BATCH) {
		struct source_file *f = &s->file[s->order.head[0].row];
		int n;

		fn(context, &f->head);
		taken++;
		n = source_read_next_packet(s, f, why);
		if (n < 0)
			return -1;
		if (n)
			merge_set_next_packet_time(&s->order, f->head.time_ns);
		else
			merge_remove_ended_file(&s->order);
	}
	return taken;
}

int source_deliver_packets(struct packet_source *s, packet_fn *fn, void *context, char *why)
{
	int n;

	if (s->live) {
		n = capture_deliver_packets(s->live, BATCH, fn, context);
		if (n < 0)
			snprintf(why, SOURCE_WHY, "%s", capture_error_text(s->live));
		return n;
	}
	if (s->files > 1)
		return source_deliver_merged_packets(s, fn, context, why);
	if (s->damaged)
		return 0;
	n = capture_deliver_packets(s->file->capture, BATCH, fn, context);
	return n < 0 ? source_record_file_error(s, s->file, why) : n;
}

void source_wait(struct packet_source *s, int64_t timeout_ns)
{
	capture_wait(s->live, timeout_ns);
}

void source_read_drop_counts(struct packet_source *s, struct source_drop_counts *out)
{
	*out = (struct source_drop_counts){ s->drops, -1 };
	if (s->live)
		capture_read_drop_counts(s->live, &out->kernel, &out->interface);
}

int source_count_damaged_files(const struct packet_source *s, const char **why)
{
	*why = s->damaged ? s->damage : NULL;
	return s->damaged;
}

const struct link_layer *source_link_layer(const struct packet_source *s)
{
	return capture_format_of(s->live ? s->live : s->file->capture)->link;
}

const struct capture_format *source_live_format(const struct packet_source *s)
{
	return capture_format_of(s->live);
}

int source_close(struct packet_source *s)
{
	int err = s->live ? capture_close(s->live) : 0;

	for (int i = 0; i < s->files; i++) {
		if (s->file[i].capture)
			capture_close(s->file[i].capture);
		input_file_close(&s->file[i].in);
	}
	free(s->file);
	merge_free(&s->order);
	free(s);
	return err;
}
