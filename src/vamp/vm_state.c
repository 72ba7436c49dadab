// SPDX-License-Identifier: GPL-3.0-or-later
#include "vm_state.h"

#include <errno.h>

static void vm_state_make_all_fast(struct vm_state *s)
{
	for (int i = 0; i < s->vcpus; i++) {
		s->slow[i] = false;
		s->percent[i] = -1;
	}
}

void vm_state_start(struct vm_state *s, int vcpus, int64_t now_ns)
{
	*s = (struct vm_state){ .vcpus = vcpus, .heard_ns = now_ns };
	vm_state_make_all_fast(s);
}

void vm_state_end(struct vm_state *s, const char *why)
{
	if (!s->episode)
		return;
	s->episode = false;
	s->ended_by = why;
	vm_state_make_all_fast(s);
}

/* Checks the sequence number, and counts missing lines. The first line may have any number, since the agent may have started
 * before. */
static int vm_state_check_sequence(struct vm_state *s, int64_t sequence)
{
	int64_t gap = s->sequence ? sequence - s->sequence - 1 : 0;

	if (sequence == 1)
		vm_state_end(s, "new agent");
	else if (gap < 0)
		return -EPROTO;
	else if (s->lost < AGENT_SEQUENCE_MAX)	/* prevents an overflow by a hostile guest */
		s->lost += gap;
	s->sequence = sequence;
	return 0;
}

void vm_state_add_line(struct vm_state *s, const char *text, int64_t now_ns)
{
	struct agent_line line;
	int err = agent_line_read(text, &line);

	s->lines++;
	s->foreign |= err == -EPROTONOSUPPORT;
	if (err || (line.word == AGENT_CPU && line.cpu >= s->vcpus) || vm_state_check_sequence(s, line.sequence)) {
		s->refused++;
		return;
	}
	s->heard_ns = now_ns;
	s->silent = false;
	if (line.word == AGENT_BEGIN) {
		vm_state_end(s, "next episode");
		s->episode = true;
		s->episodes++;
	} else if (line.word == AGENT_END) {
		vm_state_end(s, "agent");
	} else if (line.word == AGENT_CPU && s->episode) {
		s->percent[line.cpu] = line.percent;
		s->slow[line.cpu] = line.percent > 50;
	}
}

bool vm_state_is_silent(struct vm_state *s, int64_t now_ns)
{
	if (s->silent || now_ns - s->heard_ns <= VM_SILENCE_NS)
		return false;
	s->silent = true;
	vm_state_end(s, "silence");
	return true;
}
