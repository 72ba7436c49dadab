#include "keys.h"
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum column { SCHEMA, DUE, SENT, ANSWER, ANSWER_HIGH, CENSORED, SKIPPED, COLUMNS };
static const char *const names[COLUMNS] = {
	"schema", "due_ns", "sent_ns", "answer_ns", "answer_high_ns", "censored_ns", "skipped",
};
#define FIELDS_MAX 64

/* Cuts `line` at its tabs. False without a line end: a row that was cut short would still look like a number. */
static bool cut(char *line, char **field, size_t *n)
{
	char *end = strchr(line, '\n');

	if (!end)
		return false;
	*end = '\0';
	for (*n = 0; line && *n < FIELDS_MAX; ++*n)
		field[*n] = strsep(&line, "\t");
	return !line;
}

static int header(char **field, size_t n, int *place)
{
	for (int c = 0; c < COLUMNS; c++) {
		place[c] = -1;
		for (size_t i = 0; i < n; i++)
			if (!strcmp(field[i], names[c]))
				place[c] = (int)i;
		if (place[c] < 0)
			return -EPROTO;
	}
	return 0;
}

static bool number(const char *text, int64_t *out)
{
	*out = KEY_NONE;
	return !*text || !cli_read_int(text, out);
}

static int row(char **field, const int *place, struct keys *out)
{
	struct key k;
	int64_t skipped;

	if (strcmp(field[place[SCHEMA]], "keys/1") != 0 ||
	    !number(field[place[DUE]], &k.due) || k.due == KEY_NONE ||
	    !number(field[place[SENT]], &k.sent) || !number(field[place[ANSWER]], &k.answer) ||
	    !number(field[place[ANSWER_HIGH]], &k.answer_high) || !number(field[place[CENSORED]], &k.censored) ||
	    !number(field[place[SKIPPED]], &skipped))
		return -EPROTO;
	if (skipped != KEY_NONE && skipped != 0) {
		out->skipped++;
		return 0;
	}
	if (out->n == out->room) {
		size_t room = out->room ? out->room * 2 : 256;
		struct key *grown = reallocarray(out->key, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		out->key = grown;
		out->room = room;
	}
	if (k.answer != KEY_NONE && k.answer_high != KEY_NONE && k.answer_high != k.answer)
		out->ranged = true;
	/* Answered, but who knows when: the range has no late end. */
	if (k.answer != KEY_NONE && k.answer_high == KEY_NONE && k.censored != KEY_NONE)
		out->ranged = true;
	out->key[out->n++] = k;
	return 0;
}

int keys_read(FILE *in, struct keys *out, unsigned long *line)
{
	char *text = NULL, *field[FIELDS_MAX];
	int place[COLUMNS], err = 0;
	size_t size = 0, columns = 0, n;

	*out = (struct keys){ 0 };
	*line = 0;
	while (!err && getline(&text, &size, in) > 0) {
		++*line;
		if (!cut(text, field, &n))
			err = -EPROTO;
		else if (*line == 1)
			err = header(field, columns = n, place);
		else
			err = n == columns ? row(field, place, out) : -EPROTO;
	}
	if (!err && ferror(in))
		err = -EIO;
	if (!err && !*line)
		err = -EPROTO;	/* not even a header */
	free(text);
	if (err)
		keys_free(out);
	return err;
}

void keys_free(struct keys *k)
{
	free(k->key);
	*k = (struct keys){ 0 };
}

bool key_latency(const struct key *k, bool high, int64_t *ns, bool *later)
{
	int64_t at = k->answer;

	*later = false;
	if (high && k->answer != KEY_NONE) {
		if (k->answer_high != KEY_NONE) {
			at = k->answer_high;
		} else if (k->censored != KEY_NONE) {
			at = k->censored;
			*later = true;
		}
	} else if (k->answer == KEY_NONE) {
		at = k->censored;
		*later = true;
	}
	if (at == KEY_NONE)
		return false;
	*ns = at - k->due;
	return true;
}
