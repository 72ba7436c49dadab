// SPDX-License-Identifier: GPL-3.0-or-later
#include "source.h"
#include "clock.h"
#include "merge.h"
#include "order.h"
#include "records.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROOM (1 << 20)		/* bytes read ahead of a single file: less costs system calls, more leaves the CPU's cache */
#define ROOM_EACH (1 << 16)	/* bytes read ahead of each of several files */
#define BUFFER (256 * 1024)	/* bytes of stdio's buffer: its own 4 KB cost a third of the speed */
#define SIGNATURE_MAX 6		/* bytes of the longest signature of a compressed file */
#define PIPE_SPAN_NS NS_PER_S	/* a pipe may be a capture under way: packets are held no longer than this, by their times */
#define BATCH 4096		/* packets per call: under a flood there is always one more, and the caller must check its end time */

struct input_file {
	const char *path;	/* the caller's */
	FILE *stream;		/* NULL once the capture that reads it closes it */
	char *buffer;		/* owned; the stream's buffer, which must outlive it */
	int again;		/* descriptor with which the file can be read once more; -1: none */
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
	struct packet_merger next;	/* of several files by their next packets */
	bool sorted;		/* packets go through `order` */
	struct packet_order order;
	int64_t drops;		/* lost packets recorded in the files; -1: not recorded */
	int damaged;
	struct why damage;
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
	*in = (struct input_file){ .path = path, .stream = strcmp(path, "-") ? fopen(path, "re") : stdin, .again = -1 };
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
	if (in->again >= 0)
		close(in->again);
	free(in->buffer);
}

static bool is_input_regular_file(const struct input_file *in)
{
	struct stat st;

	return !fstat(fileno(in->stream), &st) && S_ISREG(st.st_mode);
}

/* Makes the stream anew, at the file's beginning, after a capture closed it. 0 or -errno. */
static int input_file_reopen(struct input_file *in)
{
	if (lseek(in->again, 0, SEEK_SET))
		return -errno;
	in->stream = fdopen(in->again, "r");
	if (!in->stream)
		return -errno;
	in->again = -1;
	if (in->buffer)
		setvbuf(in->stream, in->buffer, _IOFBF, BUFFER);
	return 0;
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

struct packet_source *source_open_live(const struct capture_live_cfg *cfg, struct why *why)
{
	struct packet_source *s = calloc(1, sizeof(*s));

	if (!s) {
		why_say(why, "out of memory");
		return NULL;
	}
	s->drops = -1;
	s->live = capture_open_live(cfg, why);
	if (s->live)
		return s;
	source_close(s);
	return NULL;
}

struct packet_source *source_open_files(char *const *paths, int n, struct why *why)
{
	struct packet_source *s = calloc(1, sizeof(*s));

	raise_open_files_limit();
	if (s)
		s->file = calloc((size_t)n, sizeof(*s->file));
	if (!s || !s->file || merge_init(&s->next, n)) {
		why_say(why, "out of memory");
		goto bad;
	}
	for (int i = 0; i < n; i++) {
		int err = input_file_open(&s->file[s->files++].in, paths[i]);

		if (err) {
			why_say(why, "cannot open %s: %s", paths[i], strerror(-err));
			goto bad;
		}
	}
	return s;
bad:
	if (s)
		source_close(s);
	return NULL;
}

static int source_open_capture_file(struct packet_source *s, struct source_file *f, struct why *why)
{
	const char *unpack = unpack_command_of_input_file(&f->in), *path = f->in.path;
	int64_t drops = pcapng_count_dropped_packets(fileno(f->in.stream));
	FILE *stream = f->in.stream;
	const struct link_layer *link, *first;

	if (unpack)
		return fail_with_reason(-1, why, "%.400s is compressed; unpack it: %s %.400s | prototap read -", path, unpack,
				 strcmp(path, "-") ? path : "FILE");
	if (drops >= 0)
		s->drops = (s->drops < 0 ? 0 : s->drops) + drops;
	if (!is_input_regular_file(&f->in))
		s->order.span_ns = PIPE_SPAN_NS;
	else if (stream != stdin)
		f->in.again = fcntl(fileno(stream), F_DUPFD_CLOEXEC, 0);
	if (f->in.again < 0)
		s->sorted = true;
	f->in.stream = NULL;
	f->capture = capture_open_file(stream, path, s->files > 1 ? ROOM_EACH : ROOM, why);
	if (!f->capture)
		return -1;
	link = capture_format_of(f->capture)->link;
	first = capture_format_of(s->file->capture)->link;
	if (link->type == first->type)
		return 0;
	return fail_with_reason(-1, why, "%s has link type %s, and %s has %s; read them one by one", s->file->in.path,
				first->name, path, link->name);
}

/* Notes an error behind a file's header: damage (0), which ends the file, or a kind of file that is refused (-1 with `why`). */
static int source_record_file_error(struct packet_source *s, struct source_file *f, struct why *why)
{
	if (has_capture_unlike_interfaces(f->capture, f->in.path, why))
		return -1;
	if (!s->damaged++)
		snprintf(s->damage.text, sizeof(s->damage.text), "%.400s: %.400s", f->in.path, capture_error_text(f->capture));
	return 0;
}

/* Reads a file's next packet: 1; 0: the file has ended; -1 with `why`. */
static int source_read_next_packet(struct packet_source *s, struct source_file *f, struct why *why)
{
	int n = capture_next(f->capture, &f->head);

	return n < 0 ? source_record_file_error(s, f, why) : n;
}

/* Undoes the beginning, so that the files can be read from their start. 0, or -1 with `why`. */
static int source_rewind_files(struct packet_source *s, struct why *why)
{
	for (int i = 0; i < s->files; i++) {
		struct source_file *f = &s->file[i];
		int err;

		capture_close(f->capture);
		f->capture = NULL;
		err = input_file_reopen(&f->in);
		if (err)
			return fail_with_reason(-1, why, "cannot read %.400s again: %s", f->in.path, strerror(-err));
	}
	s->next.n = 0;
	s->damaged = 0;
	return 0;
}

int source_begin_files(struct packet_source *s, bool sort, struct why *why)
{
	if (s->file->capture && source_rewind_files(s, why))
		return -1;
	s->drops = -1;
	s->sorted = sort;
	order_free(&s->order);
	order_init(&s->order, 0);
	for (int i = 0; i < s->files; i++)
		if (source_open_capture_file(s, &s->file[i], why))
			return -1;
	for (int i = 0; s->files > 1 && i < s->files; i++) {
		int n = source_read_next_packet(s, &s->file[i], why);

		if (n < 0)
			return -1;
		if (n)
			merge_add_file(&s->next, i, s->file[i].head.time_ns);
	}
	return 0;
}

static int source_deliver_merged_packets(struct packet_source *s, packet_fn *fn, void *context, struct why *why)
{
	int taken = 0;

	while (s->next.n && taken < BATCH) {
		struct source_file *f = &s->file[s->next.head[0].row];
		int n;

		fn(context, &f->head);
		taken++;
		n = source_read_next_packet(s, f, why);
		if (n < 0)
			return -1;
		if (n)
			merge_set_next_packet_time(&s->next, f->head.time_ns);
		else
			merge_remove_ended_file(&s->next);
	}
	return taken;
}

static int source_deliver_file_packets(struct packet_source *s, packet_fn *fn, void *context, struct why *why)
{
	int n;

	if (s->files > 1)
		return source_deliver_merged_packets(s, fn, context, why);
	if (s->damaged)
		return 0;
	n = capture_deliver_packets(s->file->capture, BATCH, fn, context);
	return n < 0 ? source_record_file_error(s, s->file, why) : n;
}

struct sorted_delivery {
	struct packet_order *order;
	packet_fn *fn;
	void *context;
	int err;
};

static bool hold_packet(void *context, const struct packet *p)
{
	struct sorted_delivery *to = context;

	if (!to->err)
		to->err = order_add_packet(to->order, p, to->fn, to->context);
	return true;
}

int source_deliver_packets(struct packet_source *s, packet_fn *fn, void *context, struct why *why)
{
	struct sorted_delivery sink = { .order = &s->order };
	int n;

	if (s->live) {
		n = capture_deliver_packets(s->live, BATCH, fn, context);
		if (n < 0)
			why_say(why, "%s", capture_error_text(s->live));
		return n;
	}
	if (!s->sorted)
		return source_deliver_file_packets(s, fn, context, why);
	sink.fn = fn;
	sink.context = context;
	n = source_deliver_file_packets(s, hold_packet, &sink, why);
	if (sink.err)
		return fail_with_reason(-1, why, "out of memory");
	if (!n)
		order_hand_over_all(&s->order, fn, context);
	return n;
}

bool source_packets_sorted(const struct packet_source *s, uint64_t *moved)
{
	*moved = s->order.moved;
	return s->sorted;
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
	*why = s->damaged ? s->damage.text : NULL;
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
	merge_free(&s->next);
	order_free(&s->order);
	free(s);
	return err;
}
