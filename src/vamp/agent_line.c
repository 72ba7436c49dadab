// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *const words[] = { "begin", "cpu", "end", "alive" };
#define WORDS (sizeof(words) / sizeof(*words))

/* There is one way to write a line: one that is not the same when it is written again is none. */
int agent_line_read(const char *text, struct agent_line *out)
{
	char version[8] = "", word[8] = "", again[AGENT_LINE], end;
	long long sequence;
	size_t i = 0;

	*out = (struct agent_line){ 0 };
	if (sscanf(text, "vamp/%7[0-9]%c", version, &end) != 2 || end != ' ')
		return -EPROTO;
	if (strcmp(version, "1"))
		return -EPROTONOSUPPORT;
	if (sscanf(text, "vamp/1 %lld %7s %d %d", &sequence, word, &out->cpu, &out->percent) < 2 || sequence < 1 ||
	    sequence > AGENT_SEQUENCE_MAX || out->cpu < 0 || out->cpu >= AGENT_CPUS || out->percent < 0 || out->percent > 100)
		return -EPROTO;
	while (i < WORDS && strcmp(word, words[i]))
		i++;
	if (i == WORDS)
		return -EPROTO;
	out->sequence = sequence;
	out->word = (enum agent_word)i;
	again[agent_line_write(out, again) - 1] = '\0';
	return strcmp(again, text) ? -EPROTO : 0;
}

size_t agent_line_write(const struct agent_line *line, char text[AGENT_LINE])
{
	int n = snprintf(text, AGENT_LINE, "vamp/1 %lld %s", (long long)line->sequence, words[line->word]);

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
