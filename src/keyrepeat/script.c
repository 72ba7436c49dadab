#include "script.h"
#include "clock.h"
#include "cli.h"
#include "keysym.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KEYS_MAX 10000000

static int grow(struct script *s, size_t *room)
{
	size_t more = *room ? *room * 2 : 256;
	int64_t *offsets = reallocarray(s->offset_ns, more, sizeof(*offsets));
	uint32_t *keysyms;

	if (!offsets)
		return -ENOMEM;
	s->offset_ns = offsets;
	keysyms = reallocarray(s->keysym, more, sizeof(*keysyms));
	if (!keysyms)
		return -ENOMEM;
	s->keysym = keysyms;
	*room = more;
	return 0;
}

static int read_line(char *text, int64_t *delay_ns, uint32_t *keysym)
{
	char *rest = NULL, *delay = strtok_r(text, " \t\r\n", &rest), *key = strtok_r(NULL, " \t\r\n", &rest);
	double ms;

	if (!delay || !key || strtok_r(NULL, " \t\r\n", &rest))
		return -EINVAL;
	if (cli_read_real(delay, &ms) || !(ms >= 0 && ms <= 86400e3))
		return -EINVAL;
	*delay_ns = llround(ms * NS_PER_MS);
	return keysym_read(key, keysym);
}

int script_read(FILE *in, struct script *out, size_t *line)
{
	char *text = NULL;
	size_t size = 0, room = 0;
	int64_t at = 0;
	int err = 0;

	*out = (struct script){ 0 };
	for (*line = 1; getline(&text, &size, in) >= 0 && !err; ++*line) {
		const char *first = text + strspn(text, " \t\r\n");
		int64_t delay;
		uint32_t keysym;

		if (!*first || *first == '#')
			continue;
		err = read_line(text, &delay, &keysym);
		if (!err && out->n == room)
			err = out->n < KEYS_MAX ? grow(out, &room) : -E2BIG;
		if (err)
			break;
		at += delay;
		out->offset_ns[out->n] = at;
		out->keysym[out->n++] = keysym;
	}
	if (!err && ferror(in))
		err = -EIO;
	free(text);
	return err;
}

void script_free(struct script *s)
{
	free(s->offset_ns);
	free(s->keysym);
	*s = (struct script){ 0 };
}
