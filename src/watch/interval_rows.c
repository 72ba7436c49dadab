// SPDX-License-Identifier: GPL-3.0-or-later
#include "interval.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifndef SKIP_MAX
#define SKIP_MAX 3600 /* more empty intervals in a row are skipped */
#endif
#define REPLIES_LEAST 8
#define UNREPLIED_SHARE 200 /* updates for each one without a reply: with fewer, one that waits for it says nothing */
#define PICTURE_SHARE 0.25  /* share of updates that come without an input, from which on the picture moves by itself */
#define PICTURE_TIMES 3	    /* the picture's updates come at most this many late waits apart: they hide a late server */

/* The median of the times; or the age of the wait that began at `open_ns`, if that is late. */
static int64_t median_wait(const struct response_times *h, int64_t open_ns, int64_t end_ns)
{
	int64_t median = response_quantile(h, 0.5), age = open_ns ? end_ns - open_ns : 0;

	return age > VERDICT_LATE_NS + (median > 0 ? median : 0) ? age : median;
}

static int64_t known_age(int64_t since_ns, int64_t end_ns)
{
	return since_ns && since_ns <= end_ns ? end_ns - since_ns : -1;
}

static enum verdict_why why_no_verdict(const struct intervals *t, const struct interval_flow *f, enum opaque_state state)
{
	if (t->clock_set)
		return WHY_CLOCK;
	if (t->dropped > t->dropped_before || t->dropped_lately || f->holes)
		return WHY_DROPS;
	if (f->client.messages && state >= OPAQUE_MIXED)
		return state == OPAQUE_MIXED ? WHY_FRAMES : WHY_CHAFF;
	return f->instants >= INTERVAL_INSTANTS ? WHY_NEXT_INPUT : WHY_NONE;
}

static void learn_picture(struct interval_flow *f)
{
	if (f->row.inputs) {
		f->intervals_lately += 1 - f->intervals_lately / INTERVAL_PICTURE;
		f->inputs_lately += (double)f->row.inputs - f->inputs_lately / INTERVAL_PICTURE;
		f->lately += (double)f->row.updates - f->lately / INTERVAL_PICTURE;
		f->unasked_lately += (double)f->unasked - f->unasked_lately / INTERVAL_PICTURE;
	}
	f->unasked = 0;
	/* where the server is late, fewer updates seem unasked */
	f->picture_moves =
		f->unasked_lately > 0 && f->unasked_lately >= (f->picture_moves ? PICTURE_SHARE / 2 : PICTURE_SHARE) * f->lately;
}

/* Whether the picture's own updates come so often that the wait for the next one looks usual, also where the server is late. */
static bool is_wait_hidden(const struct interval_flow *f, int64_t length_ns)
{
	int64_t usual = verdict_usual_wait_ns(&f->base), wait = usual < 0 ? f->row.next_p50 : usual;
	double rise = fmax(VERDICT_RISE_SHARE * (double)wait, VERDICT_RISE_NS), unasked;

	if (!f->picture_moves)
		return false;
	/* updates of the picture that come while an input waits are not counted as unasked */
	unasked = f->unasked_lately * (1 + f->inputs_lately / f->lately) / f->intervals_lately;
	return (double)length_ns < PICTURE_TIMES * ((double)wait + rise) * unasked;
}

/* Whether each update has a reply, so that one without is late. */
static bool has_reply_each(const struct interval_flow *f)
{
	return f->replies >= REPLIES_LEAST && f->unreplied * UNREPLIED_SHARE <= f->asked;
}

/* Loopback has many addresses of IPv4: 127.0.0.0/8. */
static bool is_one_machine(const struct flow_key *key)
{
	static const uint8_t loopback[13] = { [10] = 0xff, 0xff, 127 };
	bool same = !memcmp(key->address[0], key->address[1], sizeof(key->address[0]));

	return same || (!memcmp(key->address[0], loopback, 13) && !memcmp(key->address[1], loopback, 13));
}

static struct verdict compute_verdict(const struct intervals *t, struct interval_flow *f, int64_t end_ns)
{
	bool opaque = f->client.messages > 0;
	enum opaque_state state = opaque ? opaque_judge(&f->client, f->updates.count) : OPAQUE_TOLD;
	struct verdict_readings seen = { .length_ns = t->every_ns,
					 .late = f->late,
					 .packets = f->row.packets,
					 .retransmitted = f->row.retransmitted + f->row.lost_before,
					 .lost = { f->lost[0], f->lost[1] },
					 .zero_windows = f->row.zero_windows,
					 .server_is_near = f->server_is_near,
					 .inputs = f->row.inputs,
					 .opaque = opaque,
					 .picture = is_wait_hidden(f, t->every_ns),
					 .learning = state == OPAQUE_LEARNING,
					 .blind = why_no_verdict(t, f, state) };
	int64_t waiting = known_age(f->counted_ns, end_ns);
	const struct opaque_kind *kind = opaque_main_kind(&f->client);
	struct verdict v;

	if (f->inherited && kind && kind->bytes != f->inherited) {
		f->inherited = 0; /* of another program */
		verdict_init(&f->base);
	}
	seen.stopped = interval_stopped_answering(f) && waiting > VERDICT_LATE_NS + verdict_longest_wait_ns(&f->base);
	f->gave_up &= f->pairs_unknown;
	if (f->gave_up || f->repeats)
		seen.late.doubtful = seen.late.waits;
	seen.open_ns[PART_LATEST] = -1;
	seen.open_ns[PART_WAIT] = seen.stopped || (!opaque && (!f->ignored || interval_has_late_inputs(f))) ? waiting : -1;
	/* what came behind a hole waits for what fills that */
	seen.open_ns[PART_CLIENT_ACK] = known_age(f->hole_ns[DISPLAY] ? 0 : f->unacked_ns[DISPLAY], end_ns);
	seen.open_ns[PART_SERVER_ACK] = known_age(f->hole_ns[INPUT] ? 0 : f->unacked_ns[INPUT], end_ns);
	seen.heard_ns[PART_CLIENT_ACK] = end_ns - f->heard_ns[INPUT];
	seen.heard_ns[PART_SERVER_ACK] = end_ns - f->heard_ns[DISPLAY];
	seen.open_ns[PART_REPLY] = !has_reply_each(f) ? -1 : known_age(f->asks ? f->asks_ns[0] : 0, end_ns);
	seen.held = f->row.ack[DISPLAY] <= f->trip_ns[DISPLAY] + VERDICT_DELAYED_NS + INTERVAL_INSTANT_NS ||
		    f->row.ack[DISPLAY] <= usual_quantile_ns(&f->base.part[PART_CLIENT_ACK], 0.98);
	v = verdict_add_interval(&f->base, &seen);
	if (v.word < VERDICT_NETWORK && f->most_counted > f->usually_counted)
		f->usually_counted = f->most_counted;
	f->most_counted = f->counted;
	/* inputs may be among the lost packets */
	if (seen.blind == WHY_DROPS && (v.word == VERDICT_IDLE || v.word == VERDICT_UNKNOWN))
		v = (struct verdict){ .word = VERDICT_UNKNOWN, .why = WHY_DROPS, .rise_ns = -1 };
	if (v.word == VERDICT_IDLE && f->client.doubtful && f->row.updates)
		v = (struct verdict){ .word = VERDICT_UNKNOWN, .why = WHY_FRAMES, .rise_ns = -1 };
	if (v.word == VERDICT_IDLE && f->repeats && f->row.updates) /* maybe a backlog of the key that was held */
		v = (struct verdict){ .word = VERDICT_UNKNOWN, .why = WHY_PAIRS, .rise_ns = -1 };
	if (v.word == VERDICT_CLIENT && is_one_machine(&f->row.key))
		v.why = WHY_BEHIND;
	f->client.doubtful = false;
	f->late = (struct verdict_late){ 0 };
	f->lost[0] = f->lost[1] = 0;
	return v;
}

/* Packets dropped in the interval; -1: not known. */
static int64_t count_dropped(const struct intervals *t)
{
	return t->dropped < 0 ? -1 : t->dropped - t->dropped_before;
}

/* The capture began in the first interval, and may end amid the last one. */
static int64_t find_begin(const struct intervals *t)
{
	return t->first_ns > t->start_ns && t->first_ns < t->start_ns + t->every_ns ? t->first_ns : t->start_ns;
}

static void emit_flow_row(struct intervals *t, struct interval_flow *f, int64_t end)
{
	struct interval_row *row = &f->row;

	interval_settle_inputs(f, end);
	if (end - f->updates.last_ns >= (f->more || f->unacked ? UPDATE_HELD_NS : t->merge_ns))
		interval_end_update(f);
	f->holes = (uint8_t)((f->holes << 1 & 2) | (f->missing != f->missing_before));
	f->missing_before = f->missing;
	if (f->holes & 1) /* bytes missing in the capture may have answered inputs that seem to wait */
		interval_forget_waits(f);
	row->start_ns = find_begin(t);
	row->length_ns = end - row->start_ns;
	row->dropped = count_dropped(t);
	row->clock_set = t->clock_set;
	row->waiting = f->waits > f->answerable || interval_stopped_answering(f) ? end - f->open_ns : -1;
	if (!row->packets && row->waiting < 0 && !row->unanswered)
		return;
	row->next_p50 = response_quantile(&f->to_next, 0.5);
	row->next_p95 = response_quantile(&f->to_next, 0.95);
	row->next_max = f->to_next.n ? f->to_next.max_ns : -1;
	learn_picture(f);
	if (f->picture_moves || row->unpaired || f->pairs_unknown)
		f->to_latest = (struct response_times){ 0 };
	row->latest_p50 = response_quantile(&f->to_latest, 0.5);
	row->latest_p95 = response_quantile(&f->to_latest, 0.95);
	row->complete_p50 = response_quantile(&f->to_complete, 0.5);
	row->complete_p95 = response_quantile(&f->to_complete, 0.95);
	for (int c = 0; c < CHANNELS; c++)
		row->ack[c] = median_wait(&f->to_ack[c], f->hole_ns[c] ? 0 : f->unacked_ns[c], end);
	row->reply =
		f->replies < REPLIES_LEAST ? -1 : median_wait(&f->to_reply, has_reply_each(f) && f->asks ? f->asks_ns[0] : 0, end);
	row->retransmitted = f->resent - f->resent_before;
	row->verdict = compute_verdict(t, f, end);
	if (row->verdict.why == WHY_NONE && row->inputs && (row->unpaired || f->pairs_unknown))
		row->verdict.why = WHY_PAIRS;
	row->to_next = &f->to_next;
	row->to_latest = &f->to_latest;
	row->to_next_n = f->to_next.n;
	t->row(t->context, row);
	f->row = (struct interval_row){ .key = row->key, .server = row->server, .gap = -1 };
	f->resent_before = f->resent;
	f->to_next = f->to_latest = f->to_complete = f->to_reply = f->to_ack[INPUT] = f->to_ack[DISPLAY] =
		(struct response_times){ 0 };
}

static void emit_others_row(struct intervals *t, int64_t end)
{
	struct interval_row *row = &t->others.row;

	if (!row->packets)
		return;
	row->start_ns = find_begin(t);
	row->length_ns = end - row->start_ns;
	row->next_p50 = row->next_p95 = row->next_max = row->latest_p50 = row->latest_p95 = -1;
	row->complete_p50 = row->complete_p95 = row->waiting = row->gap = row->reply = -1;
	row->ack[INPUT] = row->ack[DISPLAY] = -1;
	row->dropped = count_dropped(t);
	row->clock_set = t->clock_set;
	row->verdict = (struct verdict){ .word = VERDICT_UNKNOWN, .why = WHY_CONNECTIONS, .rise_ns = -1 };
	t->row(t->context, row);
	memset(&t->others, 0, sizeof(t->others));
}

static void close_interval(struct intervals *t, int64_t end_ns)
{
	int64_t away_ns = t->flows > INTERVAL_FLOWS / 2 ? INTERVAL_SILENT_NS : INTERVAL_AWAY_NS;

	for (int i = 0, left = t->flows; left && i < INTERVAL_FLOWS; i++)
		for (struct interval_flow **link = &t->bucket[i], *f; (f = *link); left--) {
			emit_flow_row(t, f, end_ns);
			if (f->ended)
				interval_forget_waits(f);
			if ((f->ended && (away_ns < INTERVAL_AWAY_NS || !verdict_is_founded(&f->base))) ||
			    t->start_ns - f->last_ns > (f->open ? INTERVAL_SILENT_NS : away_ns)) {
				*link = f->next;
				free(f);
				t->flows--;
			} else {
				link = &f->next;
			}
		}
	emit_others_row(t, end_ns);
	t->end(t->context, find_begin(t), end_ns - find_begin(t), count_dropped(t), t->clock_set);
	t->start_ns += t->every_ns;
	t->dropped_lately = t->dropped > t->dropped_before;
	t->dropped_before = t->dropped;
	t->clock_set = false;
}

void intervals_advance(struct intervals *t, int64_t time_ns)
{
	int64_t start = time_ns - time_ns % t->every_ns;

	if (!t->start_ns)
		t->first_ns = time_ns;
	if (!t->start_ns || t->start_ns - start > t->every_ns)
		t->start_ns = start;				     /* the first packet, or the clock was set back */
	if (t->clock_set && t->set_ns - t->start_ns > t->every_ns) { /* set forward: nothing was missed */
		close_interval(t, t->start_ns + t->every_ns);
		t->start_ns = t->set_ns - t->set_ns % t->every_ns;
	}
	for (int n = 0; t->start_ns < start && n < SKIP_MAX; n++)
		close_interval(t, t->start_ns + t->every_ns);
	t->start_ns = start > t->start_ns ? start : t->start_ns;
}

void interval_add_packet(void *intervals, const struct flow *flow, int channel, const struct meter_packet *seen)
{
	intervals_advance(intervals, seen->packet->time_ns);
	interval_count_packet(intervals, flow, channel, seen);
}

void intervals_finish(struct intervals *t, int64_t end_ns)
{
	intervals_advance(t, end_ns);
	close_interval(t, end_ns);
}

void intervals_free(struct intervals *t)
{
	for (int i = 0; t->flows && i < INTERVAL_FLOWS; i++)
		for (struct interval_flow *f = t->bucket[i], *next; f; f = next, t->flows--) {
			next = f->next;
			free(f);
		}
	memset(t->bucket, 0, sizeof(t->bucket));
}
