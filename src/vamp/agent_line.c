// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define MAGIC "vamp/"

/* Takes a decimal number of at most `max`, with no sign and no zero in front. */
static bool agent_take_number(const char **text, int64_t max, int64_t *out)
{
	const char *at = *text;
	int64_t value = 0;

	if (*at < '0' || *at > '9' || (*at == '0' && at[1] >= '0' && at[1] <= '9'))
		return false;
	for (; *at >= '0' && *at <= '9'; at++) {
		value = value * 10 + (*at - '0');
		if (value > max)
			return false;
	}
	*text = at;
	*out = value;
	return true;
}

static bool agent_take_word(const char **text, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(*text, word, n))
		return false;
	*text += n;
	return true;
}

int agent_line_read(const char *text, struct agent_line *out)
{
	int64_t version, cpu = 0, percent = 0;

	if (!agent_take_word(&text, MAGIC) || !agent_take_number(&text, 1000000, &version))
		return -EPROTO;
	if (version != 1)
		return -EPROTONOSUPPORT;
	if (!agent_take_word(&text, " ") || !agent_take_number(&text, AGENT_SEQUENCE_MAX, &out->sequence) || !out->sequence)
		return -EPROTO;
	if (agent_take_word(&text, " begin"))
		out->word = AGENT_BEGIN;
	else if (agent_take_word(&text, " end"))
		out->word = AGENT_END;
	else if (agent_take_word(&text, " alive"))
		out->word = AGENT_ALIVE;
	else if (agent_take_word(&text, " cpu ") && agent_take_number(&text, AGENT_CPUS - 1, &cpu) && agent_take_word(&text, " ") &&
		 agent_take_number(&text, 100, &percent))
		out->word = AGENT_CPU;
	else
		return -EPROTO;
	out->cpu = (int)cpu;
	out->percent = (int)percent;
	return *text ? -EPROTO : 0;
}

size_t agent_line_write(const struct agent_line *line, char text[AGENT_LINE])
{
	static const char *const words[] = { "begin", "cpu", "end", "alive" };
	int n = snprintf(text, AGENT_LINE, MAGIC "1 %lld %s", (long long)line->sequence, words[line->word]);

	if (line->word == AGENT_CPU)
		n += snprintf(text + n, AGENT_LINE - (size_t)n, " %d %d", line->cpu, line->percent);
	n += snprintf(text + n, AGENT_LINE - (size_t)n, "\n");
	return (size_t)n;
}

int agent_percent(int64_t background_ns, int64_t interval_ns, int64_t idle_ns, int64_t stolen_ns, int64_t step_ns)
{
	int64_t ran = interval_ns - idle_ns - stolen_ns - (stolen_ns > 0 ? step_ns : 0);

	if (background_ns <= 0)
		return 0;
	return ran <= background_ns ? 100 : (int)(background_ns * 100 / ran);
}
