// SPDX-License-Identifier: GPL-3.0-or-later
#include "window.h"

void window_init(struct measuring_window *w, int64_t now_ns, int64_t from_ns, int64_t end_ns)
{
	*w = (struct measuring_window){ .from_ns = from_ns, .end_ns = end_ns, .seen_ns = now_ns };
}

bool window_contains(const struct measuring_window *w, int64_t due_ns)
{
	return due_ns >= w->from_ns && due_ns < w->end_ns;
}

static void add_in_flight(struct measuring_window *w, int64_t now)
{
	int64_t from = w->seen_ns > w->from_ns ? w->seen_ns : w->from_ns, to = now < w->end_ns ? now : w->end_ns;

	if (to > from)
		w->asked_ns += (double)w->asked * (double)(to - from);
	w->seen_ns = now;
}

static void add_send_gap(struct measuring_window *w, int64_t sent)
{
	double gap = (double)(sent - w->last_sent_ns), off;

	if (w->last_sent_ns >= w->from_ns && sent < w->end_ns) { /* Welford 1962 */
		off = gap - w->gap_mean;
		w->gap_mean += off / (double)++w->gaps;
		w->gap_square += off * (gap - w->gap_mean);
	}
	w->last_sent_ns = sent;
}

void window_note_sent(struct measuring_window *w, int64_t now_ns)
{
	add_in_flight(w, now_ns);
	w->asked++;
	if (window_contains(w, now_ns) && w->asked > w->asked_most)
		w->asked_most = w->asked;
	add_send_gap(w, now_ns);
}

void window_note_end(struct measuring_window *w, int64_t now_ns)
{
	int64_t from = now_ns > w->from_ns ? now_ns : w->from_ns, to = w->seen_ns < w->end_ns ? w->seen_ns : w->end_ns;

	if (now_ns >= w->seen_ns)
		add_in_flight(w, now_ns);
	else if (to > from) /* told late: it was counted until the latest event */
		w->asked_ns -= (double)(to - from);
	w->asked--;
}

void window_end_now(struct measuring_window *w, int64_t now_ns)
{
	add_in_flight(w, now_ns);
	if (now_ns < w->end_ns)
		w->end_ns = now_ns;
}

double window_seconds(const struct measuring_window *w)
{
	return w->end_ns > w->from_ns ? (double)(w->end_ns - w->from_ns) / 1e9 : 0;
}
