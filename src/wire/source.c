// SPDX-License-Identifier: GPL-3.0-or-later
#include "source.h"
#include "clock.h"
#include "memory.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER (256 * 1024)   /* bytes of stdio's buffer: its own 4 KB cost a third of the speed */
#define SIGNATURE_MAX 6	      /* bytes of the longest signature of a compressed file */
#define PIPE_SPAN_NS NS_PER_S /* a pipe may be a capture under way: packets are held no longer than this, by their times */
#define BATCH 4096	      /* packets per call: under a flood there is always one more, and the caller must check its end time */

static void raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static void give_buffer(struct source_file *f)
{
	setvbuf(f->stream, f->buffer, _IOFBF, BUFFER);
}

static bool is_regular_file(FILE *stream)
{
	struct stat st;

	return !fstat(fileno(stream), &st) && S_ISREG(st.st_mode);
}

/* Closes the file's capture, and with it the stream, and opens the file again at its beginning. 0 or -errno. */
static int reopen_file(struct source_file *f)
{
	capture_close(f->capture);
	f->capture = NULL;
	if (lseek(f->again, 0, SEEK_SET))
		return -errno;
	f->stream = fdopen(f->again, "r");
	if (!f->stream)
		return -errno;
	f->again = -1;
	give_buffer(f);
	return 0;
}

static const char *unpack_command(FILE *stream)
{
	static const struct {
		const char *command;
		size_t n;
		unsigned char mark[SIGNATURE_MAX];
	} kinds[] = {
		{ "gzip -dc", 2, { 0x1f, 0x8b } },
		{ "gzip -dc", 2, { 0x1f, 0x9d } }, /* by compress */
		{ "zstd -dc", 4, { 0x28, 0xb5, 0x2f, 0xfd } },
		{ "bzip2 -dc", 3, { 'B', 'Z', 'h' } },
		{ "xz -dc", 6, { 0xfd, '7', 'z', 'X', 'Z', 0 } },
		{ "lz4 -dc", 4, { 0x04, 0x22, 0x4d, 0x18 } },
	};
	const char *command = NULL;
	unsigned char seen[SIGNATURE_MAX];
	size_t n = 0;
	int c;

	while (n < SIGNATURE_MAX && (c = getc(stream)) != EOF)
		seen[n++] = (unsigned char)c;
	for (size_t i = 0; !command && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (n >= kinds[i].n && !memcmp(seen, kinds[i].mark, kinds[i].n))
			command = kinds[i].command;
	/* Pushing back several bytes works with the C libraries of Linux, though the standard guarantees only one. */
	while (n > 0)
		ungetc(seen[--n], stream);
	return command;
}

struct packet_source *source_open_live(const struct capture_cfg *cfg, struct why *why)
{
	struct packet_source *s = memory_new(1, sizeof(*s));

	s->live = capture_open_live(cfg, why);
	if (s->live)
		return s;
	source_close(s);
	return NULL;
}

struct packet_source *source_open_files(char *const *paths, int n, struct why *why)
{
	struct packet_source *s = memory_new(1, sizeof(*s));

	raise_file_limit();
	s->file = memory_new((size_t)n, sizeof(*s->file));
	s->next = memory_new((size_t)n, sizeof(*s->next));
	while (s->files < n) {
		struct source_file *f = &s->file[s->files];

		*f = (struct source_file){ .path = paths[s->files], .again = -1 };
		f->stream = strcmp(f->path, "-") ? fopen(f->path, "re") : stdin;
		if (!f->stream) {
			why_say(why, "cannot open %s: %s", f->path, strerror(errno));
			source_close(s);
			return NULL;
		}
		s->files++;
		f->buffer = must_alloc(malloc(BUFFER));
		give_buffer(f);
	}
	return s;
}

static int open_file(struct packet_source *s, struct source_file *f, struct why *why)
{
	FILE *stream = f->stream;
	const char *unpack = unpack_command(stream), *path = f->path;
	const struct link_layer *link, *first;

	if (unpack)
		return why_fail(-1, why, "%.400s is compressed; unpack it: %s %.400s | prototap read -", path, unpack,
				strcmp(path, "-") ? path : "FILE");
	if (!is_regular_file(stream))
		s->order.span_ns = PIPE_SPAN_NS;
	else if (stream != stdin)
		f->again = fcntl(fileno(stream), F_DUPFD_CLOEXEC, 0);
	if (f->again < 0)
		s->sorted = true;
	f->stream = NULL;
	f->capture = capture_open_file(stream, path, why);
	if (!f->capture)
		return -1;
	link = capture_get_format(f->capture)->link;
	first = capture_get_format(s->file->capture)->link;
	if (link->type == first->type)
		return 0;
	return why_fail(-1, why, "%s has link type %s, and %s has %s; read them one by one", s->file->path, first->name, path,
			link->name);
}

/* Notes an error behind a file's header: damage (0), which ends the file, or a kind of file that is refused (-1 with `why`). */
static int note_file_error(struct packet_source *s, struct source_file *f, struct why *why)
{
	if (capture_is_mixed(f->capture, f->path, why))
		return -1;
	if (!s->damaged++)
		snprintf(s->damage.text, sizeof(s->damage.text), "%.400s: %.400s", f->path, capture_error(f->capture));
	return 0;
}

/* Reads a file's next packet: 1; 0: the file has ended; -1 with `why`. */
static int read_next(struct packet_source *s, struct source_file *f, struct why *why)
{
	int n = capture_next(f->capture, &f->head);

	f->head.file = (uint32_t)(f - s->file);
	return n < 0 ? note_file_error(s, f, why) : n;
}

static bool is_file_earlier(const struct source_file *a, const struct source_file *b)
{
	return a->head.time_ns < b->head.time_ns || (a->head.time_ns == b->head.time_ns && a < b);
}

/* Moves next[at] to its place among the others, which are sorted: files that follow each other in time cost nothing. */
static void move_into_order(struct packet_source *s, int at)
{
	struct source_file *moved = s->next[at];

	for (; at + 1 < s->n_next && is_file_earlier(s->next[at + 1], moved); at++)
		s->next[at] = s->next[at + 1];
	for (; at > 0 && is_file_earlier(moved, s->next[at - 1]); at--)
		s->next[at] = s->next[at - 1];
	s->next[at] = moved;
}

/* Undoes source_begin(), so that the files can be read from their start once more. 0, or -1 with `why`. */
static int rewind_files(struct packet_source *s, struct why *why)
{
	for (int i = 0; i < s->files; i++) {
		struct source_file *f = &s->file[i];
		int err = reopen_file(f);

		if (err)
			return why_fail(-1, why, "cannot read %.400s again: %s", f->path, strerror(-err));
	}
	s->n_next = 0;
	s->damaged = 0;
	return 0;
}

int source_begin(struct packet_source *s, bool sort, struct why *why)
{
	if (s->file->capture && rewind_files(s, why))
		return -1;
	s->sorted = sort;
	order_free(&s->order);
	order_init(&s->order, 0);
	for (int i = 0; i < s->files; i++)
		if (open_file(s, &s->file[i], why))
			return -1;
	for (int i = 0; i < s->files; i++) {
		int n = read_next(s, &s->file[i], why);

		if (n < 0)
			return -1;
		if (!n)
			continue;
		s->next[s->n_next] = &s->file[i];
		move_into_order(s, s->n_next++);
	}
	return 0;
}

static int deliver_files(struct packet_source *s, packet_fn *fn, void *context, struct why *why)
{
	int taken = 0;

	while (s->n_next && taken < BATCH) {
		struct source_file *f = s->next[0];
		int n;

		fn(context, &f->head);
		taken++;
		n = read_next(s, f, why);
		if (n < 0)
			return -1;
		if (n)
			move_into_order(s, 0);
		else
			memmove(s->next, s->next + 1, (size_t)--s->n_next * sizeof(*s->next));
	}
	return taken;
}

struct sorted_delivery {
	struct packet_order *order;
	packet_fn *fn;
	void *context;
};

static bool hold_packet(void *context, const struct packet *p)
{
	struct sorted_delivery *to = context;

	order_add_packet(to->order, p, to->fn, to->context);
	return true;
}

int source_deliver(struct packet_source *s, packet_fn *fn, void *context, struct why *why)
{
	struct sorted_delivery sink = { .order = &s->order, .fn = fn, .context = context };
	int n;

	if (s->live) {
		n = capture_deliver(s->live, BATCH, fn, context);
		if (n < 0)
			why_say(why, "%s", capture_error(s->live));
		return n;
	}
	if (!s->sorted)
		return deliver_files(s, fn, context, why);
	n = deliver_files(s, hold_packet, &sink, why);
	if (!n)
		order_release_all(&s->order, fn, context);
	return n;
}

void source_read_drops(struct packet_source *s, struct capture_drops *out)
{
	struct capture_drops of_file;

	*out = (struct capture_drops){ .kernel = -1, .interface = -1 };
	if (s->live)
		capture_read_drops(s->live, out);
	for (int i = 0; i < s->files; i++) {
		capture_read_drops(s->file[i].capture, &of_file);
		if (of_file.kernel >= 0)
			out->kernel = (out->kernel < 0 ? 0 : out->kernel) + of_file.kernel;
		out->untimed += of_file.untimed;
	}
}

const struct link_layer *source_link_layer(const struct packet_source *s)
{
	return capture_get_format(s->live ? s->live : s->file->capture)->link;
}

int source_close(struct packet_source *s)
{
	int err = s->live ? capture_close(s->live) : 0;

	for (int i = 0; i < s->files; i++) {
		struct source_file *f = &s->file[i];

		if (f->capture)
			capture_close(f->capture);
		if (f->stream && f->stream != stdin)
			fclose(f->stream);
		if (f->again >= 0)
			close(f->again);
		free(f->buffer);
	}
	free(s->file);
	free(s->next);
	order_free(&s->order);
	free(s);
	return err;
}
