// SPDX-License-Identifier: GPL-3.0-or-later
#include "audio_counter.h"

#define FORGET 0.01	/* an average below it is none */

static struct audio_counter *counted_process(struct audio_counting *c, int pid)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->process[i].pid == pid)
			return &c->process[i];
	if (c->n == AUDIO_PROCESSES)
		return NULL;
	c->process[c->n] = (struct audio_counter){ .pid = pid };
	return &c->process[c->n++];
}

static int *source_of(struct audio_counting *c, int tid)
{
	for (size_t i = 0; i < c->threads; i++)
		if (c->thread[i].tid == tid)
			return &c->thread[i].source;
	if (c->threads == AUDIO_THREADS)	/* threads come and go: begin anew */
		c->threads = 0;
	c->thread[c->threads].tid = tid;
	c->thread[c->threads].source = 0;
	return &c->thread[c->threads++].source;
}

void audio_counting_wakeup(struct audio_counting *c, int server, const struct audio_wakeup *w)
{
	int source = w->interrupt ? 0 : w->waker_pid == server ? *source_of(c, w->waker_tid) : w->waker_pid;
	struct audio_counter *p = source > 0 ? counted_process(c, source) : NULL;

	*source_of(c, w->woken_tid) = source;
	if (p)
		p->wakeups++;
}

static bool is_tagged(const int *tagged, size_t n, int pid)
{
	for (size_t i = 0; i < n; i++)
		if (tagged[i] == pid)
			return true;
	return false;
}

void audio_counting_average(struct audio_counting *c, const int *tagged, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		counted_process(c, tagged[i]);
	for (size_t i = 0; i < c->n; i++) {
		struct audio_counter *p = &c->process[i];
		double divisor;

		if (!is_tagged(tagged, n, p->pid))
			p->confidence -= p->confidence > 0;
		else if (p->confidence < AUDIO_CONFIDENCE)
			p->confidence++;
		divisor = p->confidence > 1 ? p->confidence : 1;
		p->average = (p->average + (double)p->wakeups / divisor) / 2;
		p->wakeups = 0;
		if (p->average >= FORGET || p->confidence > 0)
			c->process[kept++] = *p;
	}
	c->n = kept;
}

int audio_counting_dominant(const struct audio_counting *c)
{
	const struct audio_counter *most = NULL;

	for (size_t i = 0; i < c->n; i++)
		if (c->process[i].average >= 1 && (!most || c->process[i].average > most->average))
			most = &c->process[i];
	return most ? most->pid : 0;
}
