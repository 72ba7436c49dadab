// SPDX-License-Identifier: GPL-3.0-or-later
#include "script.h"
#include "clock.h"
#include "cli.h"
#include "lines.h"
#include "memory.h"

#include <errno.h>
#include <math.h>

#define ACTS_MAX 10000000
#define BLANK " \t\r\n"

/* The state of the reader after a line. */
struct script_reader {
	struct act_script *out;
	int64_t at_ns;		/* due time of the last action */
	struct input_act place; /* where the last move ended */
	bool moved;		/* there was one */
};

static int add_act(struct script_reader *r, int64_t at_ns, const struct input_act *act)
{
	if (r->out->n == ACTS_MAX)
		return -E2BIG;
	memory_more(r->out->offset_ns, r->out->n);
	memory_more(r->out->act, r->out->n);
	r->out->offset_ns[r->out->n] = at_ns;
	r->out->act[r->out->n++] = *act;
	return 0;
}

/* Later than any run lasts, nothing need be later. */
static void wait_further(struct script_reader *r, int64_t ns)
{
	r->at_ns = clock_earlier(r->at_ns + ns, 31 * NS_PER_DAY);
}

static int read_delay_ms(const char *text, int64_t *ns)
{
	double ms;

	if (!text || cli_parse_real(text, &ms) || !(ms >= 0 && ms <= 86400e3))
		return -EINVAL;
	*ns = llround(ms * NS_PER_MS);
	return 0;
}

/* Reads "X,Y [over MS]". */
static int read_move_act(struct script_reader *r, char *rest)
{
	char *save = NULL, *place = strtok_r(rest, BLANK, &save), *over = strtok_r(NULL, BLANK, &save),
	     *ms = strtok_r(NULL, BLANK, &save);
	struct input_act to, step = { .kind = ACT_MOVE };
	int64_t ns = 0, steps;
	int err = 0;

	if (!place || act_parse_position(place, &to) || (over && (strcmp(over, "over") != 0 || read_delay_ms(ms, &ns))) ||
	    strtok_r(NULL, BLANK, &save))
		return -EINVAL;
	if (over && !r->moved)
		return -EINVAL;
	steps = (ns + SCRIPT_STEP_MS * NS_PER_MS - 1) / (SCRIPT_STEP_MS * NS_PER_MS);
	for (int64_t i = 1; i < steps && !err; i++) {
		double part = (double)i / (double)steps;

		step.x = (int)lround(r->place.x + part * (to.x - r->place.x));
		step.y = (int)lround(r->place.y + part * (to.y - r->place.y));
		err = add_act(r, r->at_ns + llround((double)ns * part), &step);
	}
	wait_further(r, ns);
	r->place = to;
	r->moved = true;
	return err ? err : add_act(r, r->at_ns, &to);
}

static int read_button_act(struct script_reader *r, char *rest)
{
	char *save = NULL, *number = strtok_r(rest, BLANK, &save), *way = strtok_r(NULL, BLANK, &save);
	struct input_act act;

	if (!number || !way || strtok_r(NULL, BLANK, &save) || act_parse_button(number, way, &act))
		return -EINVAL;
	return add_act(r, r->at_ns, &act);
}

/* Reads "MS TEXT". One blank separates the two; further blanks belong to the text. */
static int read_text_act(struct script_reader *r, char *rest)
{
	char *text;
	int64_t gap;
	bool first = true;

	rest += strspn(rest, BLANK);
	text = rest + strcspn(rest, BLANK);
	if (!*text)
		return -EINVAL;
	*text++ = '\0';
	text[strcspn(text, "\r\n")] = '\0';
	if (!*text || read_delay_ms(rest, &gap))
		return -EINVAL;
	for (const char *at = text; *at; first = false) {
		struct input_act act;
		int err;

		if (act_parse_character(&at, &act))
			return -EINVAL;
		wait_further(r, first ? 0 : gap);
		err = add_act(r, r->at_ns, &act);
		if (err)
			return err;
	}
	return 0;
}

static int read_key_act(struct script_reader *r, const char *word, const char *rest)
{
	struct input_act act;

	if (rest[strspn(rest, BLANK)] || act_parse_key(word, &act))
		return -EINVAL;
	return add_act(r, r->at_ns, &act);
}

static int read_script_line(struct script_reader *r, char *text)
{
	char none[] = "", *rest = NULL, *delay = strtok_r(text, BLANK, &rest), *what = strtok_r(NULL, BLANK, &rest);
	int64_t ns;

	if (!what || read_delay_ms(delay, &ns))
		return -EINVAL;
	if (!rest)
		rest = none;
	wait_further(r, ns);
	return !strcmp(what, "move")	 ? read_move_act(r, rest)
	       : !strcmp(what, "button") ? read_button_act(r, rest)
	       : !strcmp(what, "type")	 ? read_text_act(r, rest)
					 : read_key_act(r, what, rest);
}

int script_read(FILE *in, struct act_script *out, size_t *line, const char **wrong)
{
	struct script_reader r = { .out = out };
	struct line_reader lines;
	int err = line_reader_init(&lines, in), got = 0;

	*out = (struct act_script){ 0 };
	while (!err && (got = line_reader_next(&lines)) == 1) {
		const char *first = lines.text + strspn(lines.text, BLANK);

		if (*first && *first != '#')
			err = read_script_line(&r, lines.text);
	}
	*line = lines.line;
	*wrong = lines.why;
	line_reader_free(&lines);
	return err ? err : got;
}

void script_free(struct act_script *s)
{
	free(s->offset_ns);
	free(s->act);
	*s = (struct act_script){ 0 };
}
