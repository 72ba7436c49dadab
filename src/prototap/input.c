// SPDX-License-Identifier: GPL-3.0-or-later
#include "input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define BUFFER (256 * 1024)	/* stdio's own 4 KB cost a third of the speed */
#define LONGEST 6		/* of the marks below */

void input_many(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

int input_open(struct input_stream *in, const char *path)
{
	*in = (struct input_stream){ .path = path, .stream = strcmp(path, "-") ? fopen(path, "re") : stdin };
	if (!in->stream)
		return -errno;
	in->buffer = malloc(BUFFER);
	if (in->buffer)
		setvbuf(in->stream, in->buffer, _IOFBF, BUFFER);
	return 0;
}

void input_close(struct input_stream *in)
{
	if (in->stream && in->stream != stdin)
		fclose(in->stream);
	free(in->buffer);
}

const char *input_unpack(struct input_stream *in)
{
	static const struct { const char *command; size_t n; unsigned char mark[LONGEST]; } kinds[] = {
		{ "gzip -dc", 2, { 0x1f, 0x8b } },
		{ "gzip -dc", 2, { 0x1f, 0x9d } },	/* by compress */
		{ "zstd -dc", 4, { 0x28, 0xb5, 0x2f, 0xfd } },
		{ "bzip2 -dc", 3, { 'B', 'Z', 'h' } },
		{ "xz -dc", 6, { 0xfd, '7', 'z', 'X', 'Z', 0 } },
		{ "lz4 -dc", 4, { 0x04, 0x22, 0x4d, 0x18 } },
	};
	const char *command = NULL;
	unsigned char seen[LONGEST];
	size_t n = 0;
	int c;

	while (n < LONGEST && (c = getc(in->stream)) != EOF)
		seen[n++] = (unsigned char)c;
	for (size_t i = 0; !command && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (n >= kinds[i].n && !memcmp(seen, kinds[i].mark, kinds[i].n))
			command = kinds[i].command;
	/* More than one byte back is granted by the C libraries of Linux, not by the standard. */
	while (n > 0)
		ungetc(seen[--n], in->stream);
	return command;
}
