// SPDX-License-Identifier: GPL-3.0-or-later
#include "interval.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REPLIES_SHARE 0.95 /* share of updates with a reply, above which each update is taken to have one */
#define SILENT_LEAST 3	   /* least number of inputs without an update that shows a silent server */
#define SILENT_CHANCE 0.01 /* so many inputs without an effect must be less likely than this by chance */
#define SILENT_TIMES 2	   /* where messages cannot be read: this many times the most that waited in usual intervals, */
#define SILENT_MORE 2	   /* plus this many */

/* --- connections --- */

static void count_unfollowed(struct intervals *t, const struct flow *f, int channel, const struct segment *s)
{
	uint32_t hash = f->hash | 1, at = hash % (2 * INTERVAL_OTHERS);
	struct interval_others *o = &t->others;

	o->row.packets++;
	o->row.wire_bytes[channel] += s->wire_bytes;
	while (o->hash[at] && o->hash[at] != hash)
		at = (at + 1) % (2 * INTERVAL_OTHERS);
	if (!o->hash[at] && o->row.others < INTERVAL_OTHERS) {
		o->hash[at] = hash;
		o->row.others++;
	}
}

static struct interval_flow *find_flow(const struct intervals *t, const struct flow *f)
{
	struct interval_flow *found = t->bucket[f->hash % INTERVAL_FLOWS];

	/* (a server that connected to its client shows that with its first words) */
	while (found && (found->row.server != f->server || memcmp(&found->row.key, &f->key, sizeof(f->key)) != 0))
		found = found->next;
	return found;
}

static const uint8_t *end_address(const struct interval_flow *f, bool server)
{
	return f->row.key.address[server ? f->row.server : 1 - f->row.server];
}

static bool has_same_server(const struct interval_flow *f, const struct interval_flow *o)
{
	return f->row.key.transport == o->row.key.transport && f->row.key.port[f->row.server] == o->row.key.port[o->row.server] &&
	       !memcmp(end_address(f, true), end_address(o, true), sizeof(f->row.key.address[0]));
}

/* A connection begins with what was usual in the one of the same user before it. Of another user's, it has the waits to compare
 * with: they may be those of other programs. */
static void inherit_usual(struct intervals *t, struct interval_flow *f)
{
	struct interval_flow *same = NULL, *other = NULL;
	const struct opaque_kind *kind;
	bool gateway = false;

	for (int i = 0; i < INTERVAL_FLOWS; i++)
		for (struct interval_flow *o = t->bucket[i]; o; o = o->next) {
			bool here = !memcmp(end_address(f, false), end_address(o, false), sizeof(o->row.key.address[0]));
			bool own = here && o->ended;
			struct interval_flow **latest = own ? &same : &other, *older = o;

			if (o == f || !has_same_server(f, o) || !verdict_is_founded(&o->base))
				continue;
			gateway |= here && !own && t->start_ns - o->last_ns < INTERVAL_SILENT_NS;
			if (!*latest || o->last_ns > (*latest)->last_ns)
				older = *latest, *latest = o;
			if (own && older)
				older->last_ns = 0; /* it leaves */
		}
	if (gateway) /* many users come from this address */
		other = same && (!other || same->last_ns > other->last_ns) ? same : other, same = NULL;
	if (same)
		verdict_inherit(&f->base, &same->base);
	else if (other)
		verdict_compare(&f->base, &other->base);
	kind = same ? opaque_main_kind(&same->client) : NULL;
	f->inherited = kind ? kind->bytes : 0;
}

static struct interval_flow *ensure_flow(struct intervals *t, const struct flow *f)
{
	struct interval_flow **bucket = &t->bucket[f->hash % INTERVAL_FLOWS], *new = find_flow(t, f);

	if (new || t->flows == INTERVAL_FLOWS || !(new = calloc(1, sizeof(*new))))
		return new;
	new->row = (struct interval_row){ .key = f->key, .server = f->server, .gap = -1 };
	new->next = *bucket;
	new->pairs_unknown = !f->begun[INPUT]; /* updates may be under way */
	update_start(&new->updates, t->merge_ns, t->period_ns, NULL);
	new->updates.last_ns = f->last_ns;
	verdict_init(&new->base);
	t->flows++;
	*bucket = new;
	inherit_usual(t, new);
	return new;
}

/* --- inputs that wait --- */

static int64_t *waiting_input(struct interval_flow *f, int n)
{
	return &f->waiting[(f->oldest + n) % INTERVAL_WAITING];
}

static void drop_oldest(struct interval_flow *f)
{
	f->oldest = (f->oldest + 1) % INTERVAL_WAITING;
	f->waits--;
	f->answerable -= f->answerable > 0;
}

static void add_latest(struct interval_flow *f, int64_t ns)
{
	if (f->pairs_unknown) {
		f->row.unpaired++;
		return;
	}
	response_add(&f->to_latest, ns);
	usual_add_value(&f->base.part[PART_LATEST], ns);
}

/* Gives up the pairs of inputs that updates came after: one has waited too long to be answered by an update of its own. */
static void give_up_pairs(struct interval_flow *f)
{
	f->pairs_unknown = f->gave_up = true;
	f->row.unpaired += (uint64_t)f->answerable;
	while (f->answerable)
		drop_oldest(f);
}

static int64_t update_end(const struct interval_flow *f)
{
	return f->arrived_ns > f->updates.last_ns ? f->arrived_ns : f->updates.last_ns;
}

void interval_end_update(struct interval_flow *f)
{
	int64_t end_ns = update_end(f);

	f->begun_ns = f->updates.first_ns;
	f->ended_ns = end_ns;
	if (f->ends)
		usual_add_value(&f->base.part[PART_TRANSFER], end_ns - f->updates.first_ns);
	for (int i = 0; i < f->ends; i++)
		response_add(&f->to_complete, end_ns - f->ends_ns[i]);
	f->ends = 0;
}

/* Notes by when an update had gone through what is slow behind the tap, as far as it is acknowledged: the acknowledgement less the
 * shortest round trip. That of its last segment alone may be delayed: then the one before it counts. */
static void note_arrival(struct interval_flow *f, const struct flow *flow, const struct segment *s, int64_t time_ns)
{
	bool single = s->ack - f->acked <= (flow->full_bytes ? flow->full_bytes : INTERVAL_SEGMENT);

	if (!(s->flags & TCP_ACK) || s->ack == f->acked)
		return;
	if (f->unacked) {
		f->unacked = (int32_t)(s->ack - f->end) < 0;
		if (f->unacked || !single)
			f->arrived_ns = time_ns - f->trip_ns[DISPLAY];
	}
	f->acked = s->ack;
}

static void clear_open_inputs(struct interval_flow *f)
{
	f->counted_alone = false;
	f->open = f->given_up = f->counted = f->messages_open = 0;
	f->open_ns = f->counted_ns = f->rested_ns = 0;
}

/* Share of inputs without an effect, as if half an input more of either kind had been seen. */
static double estimate_ignored(const struct interval_flow *f)
{
	return ((double)f->ignored + 0.5) / ((double)(f->answered + f->ignored) + 1);
}

bool interval_has_late_inputs(const struct interval_flow *f)
{
	return f->answered && pow(estimate_ignored(f), (double)f->counted) <= SILENT_CHANCE;
}

bool interval_stopped_answering(const struct interval_flow *f)
{
	if (f->counted < SILENT_LEAST || !interval_has_late_inputs(f))
		return false;
	return f->message != MESSAGE_OPAQUE || f->counted >= SILENT_MORE + SILENT_TIMES * f->usually_counted;
}

void interval_settle_inputs(struct interval_flow *f, int64_t time_ns)
{
	while (f->waits) {
		int64_t at_ns = *waiting_input(f, 0);

		if (f->answerable && time_ns - f->updates.last_ns >= INTERVAL_REST_NS + f->lag_ns) {
			f->pairs_unknown &= f->open > 0;
			add_latest(f, f->updates.first_ns - at_ns);
		} else if (!f->answerable && time_ns - at_ns >= INTERVAL_PATIENCE_NS) {
			f->row.unanswered++;
			f->given_up++;
		} else {
			return;
		}
		drop_oldest(f);
	}
	if (f->given_up && !interval_stopped_answering(f)) {
		f->ignored += f->given_up;
		clear_open_inputs(f);
	}
}

static void add_input(struct interval_flow *f, int64_t time_ns, bool judged)
{
	bool rested = !f->open && time_ns - f->updates.last_ns >= INTERVAL_REST_NS + f->lag_ns;

	f->row.inputs++;
	f->input_before_ns = f->input_ns;
	f->input_ns = time_ns;
	f->pairs_unknown &= !rested;
	/* a picture that moves by itself never rests for long */
	f->gave_up &= time_ns - f->updates.last_ns < OPAQUE_REST_NS + 2 * usual_quantile_ns(&f->base.part[PART_WAIT], 0.5);
	if (!f->open++)
		f->open_ns = time_ns;
	if (judged && f->counted == 1)
		f->second_ns = time_ns;
	if (judged && !f->counted++) {
		f->counted_ns = time_ns;
		f->counted_alone = rested || (!f->waits && !f->pairs_unknown);
	}
	if (f->counted > f->most_counted)
		f->most_counted = f->counted;
	if (f->waits < INTERVAL_WAITING)
		*waiting_input(f, f->waits++) = time_ns;
	else
		f->row.untimed++;
}

/* Answers all inputs that wait. In a run of updates with one input each, the update after an input answers it; the first update of
 * the run answers the inputs before the run. */
static void settle_matched(struct interval_flow *f, int64_t time_ns)
{
	f->pairs_unknown = false;
	while (f->waits) {
		int64_t at_ns = *waiting_input(f, 0);

		add_latest(f, (at_ns < f->matched_ns ? f->matched_ns : time_ns) - at_ns);
		drop_oldest(f);
	}
}

static bool has_releases(const struct interval_flow *f)
{
	const struct opaque_kind *kind = f->client.messages ? opaque_main_kind(&f->client) : NULL;

	return kind && !kind->alone;
}

static void add_open_message(struct interval_flow *f, const struct flow *flow, int64_t time_ns)
{
	f->quick = time_ns - f->message_latest.ns < INTERVAL_REPEAT_NS ? f->quick + 1 : 0;
	f->repeats |= f->quick >= INTERVAL_REPEATS && has_releases(f);
	if (time_ns - f->message_latest.ns >= INTERVAL_REST_NS && has_releases(f))
		f->messages_open = 0;				  /* maybe the release of a key pressed before the rest */
	if (time_ns - f->message_latest.ns >= INTERVAL_REST_NS) { /* longer than a key is held: pressed and released, if even */
		f->rested_ns = has_releases(f) && !f->counted && f->burst % 2 == 0 ? time_ns : 0;
		f->burst = 0;
	}
	f->burst++;
	f->message_latest = (struct open_message){ .ns = time_ns,
						   .end = (uint32_t)flow->stream[INPUT].next,
						   .lost = f->resent,
						   .filled = f->filled,
						   .closed_ns = flow->count[DISPLAY].closed_ns };
	if (f->messages_open++ <= INTERVAL_MUTE)
		f->message_open[f->messages_open - 1] = f->message_latest;
}

static void note_server_acks(struct interval_flow *f, const struct segment *s, int64_t time_ns)
{
	for (int i = 0; i <= INTERVAL_MUTE + 1; i++) {
		struct open_message *m = i > INTERVAL_MUTE ? &f->message_latest : &f->message_open[i];

		if (!m->acked_ns && s->flags & TCP_ACK && (int32_t)(s->ack - m->end) >= 0)
			m->acked_ns = time_ns;
	}
}

static void time_range_add(struct time_range *r, int64_t ns, bool first)
{
	r->min_ns = first || ns < r->min_ns ? ns : r->min_ns;
	r->max_ns = first || ns > r->max_ns ? ns : r->max_ns;
}

/* Whether the latest updates each answer the input just before. A server that lags by one input shows as many updates as inputs,
 * too: then it is the time since an older input that is steady. With regular inputs both are, and nothing tells. */
static bool match_update(struct interval_flow *f, int64_t time_ns)
{
	const struct time_range *next = &f->matched_next, *oldest = &f->matched_oldest;

	f->matched = f->open == 1 && f->waits ? f->matched + 1 : 0;
	if (!f->matched)
		return false;
	if (f->matched == 1)
		f->matched_ns = time_ns;
	time_range_add(&f->matched_next, time_ns - f->open_ns, f->matched == 1);
	time_range_add(&f->matched_oldest, time_ns - (f->pairs_unknown ? f->input_before_ns : *waiting_input(f, 0)),
		       f->matched == 1);
	return f->matched >= INTERVAL_MATCHED && !f->instants &&
	       INTERVAL_STEADIER * (next->max_ns - next->min_ns) < oldest->max_ns - oldest->min_ns;
}

/* Whether the update came at once after an input, sooner than usual, while an older one was left: it may show the older one. While
 * it is not known what is usual, one input alone may be left: more of them have no effect. */
static bool is_instant(const struct interval_flow *f, int64_t time_ns)
{
	int64_t usual = usual_quantile_ns(&f->base.part[PART_WAIT], 0.5),
		trip = usual_quantile_ns(&f->base.part[PART_SERVER_ACK], 0.1);
	int64_t took = time_ns - f->input_ns - (trip >= 0 ? trip : f->trip_ns[INPUT]);

	return (f->answerable || f->open > 1 || f->instants) && took <= INTERVAL_INSTANT_NS &&
	       time_ns - f->input_ns >= f->trip_ns[INPUT] - INTERVAL_NEAR_NS &&
	       (usual < 0 ? f->left == 1 : 2 * took < usual - trip);
}

/* Whether a wait is as long as usual, neither far shorter nor longer; `times`: so many times as long is not yet longer. */
static bool is_on_time(const struct interval_flow *f, int64_t took_ns, int times)
{
	const struct usual *usual = &f->base.part[PART_WAIT];
	int64_t most = usual_quantile_ns(usual, 0.98), twice = 2 * usual_quantile_ns(usual, 0.5);

	return took_ns >= usual_quantile_ns(usual, 0.02) - INTERVAL_INSTANT_NS &&
	       took_ns <= (times > 1 && twice < most ? times * twice : times * most) + INTERVAL_INSTANT_NS;
}

/* Whether it is shorter than waits are, also of inputs beside others: then it is that of another input. */
static bool is_too_short(const struct interval_flow *f, int64_t took_ns)
{
	const struct usual *beside = &f->base.part[PART_BESIDE];

	return took_ns < usual_quantile_ns(&f->base.part[PART_WAIT], 0.02) - INTERVAL_INSTANT_NS &&
	       (beside->usual_n < USUAL_LEAST || took_ns < usual_quantile_ns(beside, 0.02));
}

/* How many inputs had no effect: all but the latest, where the update is soon enough for that one, and too late for the others. */
static uint64_t count_ignored(const struct interval_flow *f, int64_t time_ns)
{
	return f->counted > 1 && is_on_time(f, time_ns - f->input_ns, 1) && !is_on_time(f, time_ns - f->counted_ns, 2)
		       ? f->counted - 1
		       : 0;
}

/* The latest message that the update follows as it usually does, behind others that have no effect: releases, modifiers, keys
 * that change nothing; NULL: none, or there are too many before it. */
static const struct open_message *find_on_time(const struct interval_flow *f, int64_t time_ns)
{
	for (int i = INTERVAL_MUTE + 1; i >= 0; i--) {
		const struct open_message *m = i > INTERVAL_MUTE ? &f->message_latest : &f->message_open[i];
		uint64_t mute = i > INTERVAL_MUTE ? f->messages_open - 1 : (uint64_t)i;

		if ((uint64_t)i >= f->messages_open && i <= INTERVAL_MUTE)
			continue;
		if (is_on_time(f, time_ns - m->ns, 1))
			return (has_releases(f) ? mute <= INTERVAL_MUTE
						: pow(estimate_ignored(f), (double)mute) > INTERVAL_MUTE_CHANCE)
				       ? m
				       : NULL;
	}
	return NULL;
}

/* Whether the oldest input waited, although it may have had no effect: where that is so of many, hardly any comes so late that no
 * message after it explains the update. */
static void judge_turns(struct interval_flow *f, int64_t time_ns)
{
	int64_t limit = usual_late_limit(&f->base.part[PART_WAIT]), took = time_ns - f->counted_ns;
	bool late = limit >= 0 && took > limit, mute = find_on_time(f, time_ns);

	f->by_turns = false;
	if (!f->counted || is_on_time(f, took, 1) || (!mute && !late))
		return;
	f->mute += mute - f->mute / INTERVAL_LATE;
	f->plain += !mute - f->plain / INTERVAL_LATE;
	f->by_turns = late && f->plain > INTERVAL_PLAIN * (f->plain + f->mute + 2);
}

/* The message whose wait this update ends, if it may be another one than the oldest input. */
static const struct open_message *read_wait(const struct interval_flow *f, int64_t time_ns)
{
	const struct open_message *m;

	if (f->by_turns)
		return NULL;
	if (f->messages_open && f->message_open[0].ns > f->counted_ns)
		return &f->message_open[0];
	if (usual_quantile_ns(&f->base.part[PART_WAIT], 0.5) < 0 ||
	    is_on_time(f, time_ns - f->counted_ns, has_releases(f) ? 1 : 2) || f->messages_open < 2)
		return NULL;
	if ((m = find_on_time(f, time_ns)))
		return m;
	/* Of two inputs with a rest between them, the first one may have had no effect. */
	return !has_releases(f) && f->second_ns - f->counted_ns >= INTERVAL_REST_NS && count_ignored(f, time_ns)
		       ? &f->message_open[1]
		       : NULL;
}

/* The wait that this update ends: one value an update, however many inputs a stall delays. */
static void add_wait(struct interval_flow *f, const struct flow *flow, int64_t time_ns)
{
	const struct open_message *read = read_wait(f, time_ns), *m = read ? read : &f->message_open[0];
	int64_t least = time_ns - (read ? read->ns : f->counted_ns), shorter = f->lag_ns - f->lag_ns / 50;
	bool releases = has_releases(f), rested = read && read == &f->message_open[1];
	int64_t took = releases || rested ? least : time_ns - f->counted_ns;
	int64_t busy_ns = f->ended_ns > f->replied_ns ? f->ended_ns : f->replied_ns;
	bool hole = f->filled > m->filled, timely = is_on_time(f, least, 1),
	     alone = f->counted_alone || (releases && read && timely);

	f->late.doubtful += read || (releases && is_too_short(f, took));
	verdict_add_wait(
		&f->base, &f->late,
		&(struct verdict_wait){ .part = alone ? PART_WAIT : PART_BESIDE,
					.host = VERDICT_SERVER,
					.took_ns = took,
					.least_ns = least,
					.busy_ns = busy_ns - (m->ns > f->begun_ns ? m->ns : f->begun_ns),
					.closed_ns = (int64_t)(flow->count[DISPLAY].closed_ns - m->closed_ns),
					.way_ns = !f->trip_ns[INPUT] ? -1
						  : hole	     ? least
							 : (m->acked_ns ? m->acked_ns : time_ns) - m->ns - f->trip_ns[INPUT],
					.acked = m->acked_ns && m->acked_ns < time_ns,
					.lost = hole || f->resent > m->lost });
	if (!alone)
		return;
	took = took < INTERVAL_LAG_NS ? took : INTERVAL_LAG_NS;
	f->lag_ns = took > shorter ? took : shorter;
}

/* Presses that were releases or modifiers: the update is that of a message after them. */
static void drop_mute_inputs(struct interval_flow *f)
{
	f->row.unpaired += (uint64_t)(f->waits - f->answerable);
	f->waits = f->answerable;
	f->pairs_unknown = true;
	f->open = f->counted = 0;
}

static void add_update(struct interval_flow *f, const struct flow *flow, int64_t time_ns, int64_t before_ns)
{
	bool matched;

	f->row.updates++;
	f->ends = 0;
	f->repeats &= time_ns - f->ended_ns < INTERVAL_REST_NS;
	if (before_ns && !f->gap_unknown && time_ns - before_ns > f->row.gap)
		f->row.gap = time_ns - before_ns;
	f->gap_unknown = false;
	f->unasked += !f->open && !f->waits;
	f->left += f->open > 1;
	if (f->open)
		f->instants = is_instant(f, time_ns) ? f->instants + 1 : 0;
	f->pairs_unknown |= f->instants >= INTERVAL_INSTANTS && !f->answerable;
	matched = match_update(f, time_ns);
	f->ignored += count_ignored(f, time_ns);
	if (f->counted)
		add_wait(f, flow, time_ns);
	if (f->rested_ns)
		usual_add_value(&f->base.part[PART_RESTED], time_ns - f->rested_ns);
	f->rested_ns = 0;
	for (; f->answerable < f->waits; f->answerable++) {
		int64_t at_ns = *waiting_input(f, f->answerable);

		f->answered++;
		response_add(&f->to_next, time_ns - at_ns);
		if (f->ends < INTERVAL_ENDS)
			f->ends_ns[f->ends++] = at_ns;
	}
	f->ignored += f->given_up > 0; /* the server has stopped, or these inputs have no effect: their waits count as one */
	clear_open_inputs(f);
	if (matched) {
		settle_matched(f, time_ns);
	} else if (f->waits) {
		add_latest(f, time_ns - *waiting_input(f, 0));
		drop_oldest(f);
	}
	if (f->answerable && time_ns - *waiting_input(f, 0) > INTERVAL_REST_NS + 2 * f->lag_ns)
		give_up_pairs(f);
}

/* --- packets --- */

static enum client_message read_message(const struct intervals *t, struct interval_flow *f, const struct meter_packet *seen)
{
	const struct segment *s = seen->segment;
	const struct interval_row *r = &f->row;
	uint16_t port = r->key.port[r->server];
	enum input_protocol kind = t->ports->use[r->key.port[1 - r->server]] == PORT_DISPLAY ? INTERVAL_X11
				   : t->rfb || (port >= 5900 && port <= 5999)		     ? INTERVAL_RFB
											     : INTERVAL_OPAQUE;
	uint32_t there = seen->packet->captured > s->payload_at ? seen->packet->captured - s->payload_at : 0;

	if (s->transport != TRANSPORT_TCP)
		return MESSAGE_OPAQUE;
	f->buttons_then = f->buttons;
	return input_classify_payload(kind, there ? seen->packet->bytes + s->payload_at : NULL,
				      there < s->payload_bytes ? there : s->payload_bytes, &f->buttons_then);
}

static uint32_t sequence_length(const struct segment *s)
{
	return s->payload_bytes + !!(s->flags & TCP_SYN) + !!(s->flags & TCP_FIN);
}

/* Data behind a hole is acknowledged only when that is filled. */
static bool is_in_order(const struct tcp_stream *stream, const struct segment *s)
{
	return !stream->known || (!stream->first && (int32_t)(s->seq - (uint32_t)stream->next) <= 0);
}

/* Round trip in ns that this segment ends; -1: none. One segment of each direction is timed at a time: the newest of those that are
 * under way, else the next. The times of acks.h would be too short where several are under way: they count from the newest one. */
static int64_t measure_round_trip(struct interval_flow *f, const struct flow *flow, int channel, const struct segment *s,
				  int64_t time_ns)
{
	struct timed_segment *answered = &f->timed[1 - channel], *sent = &f->timed[channel];
	const struct ack_receiver *by = &flow->ack[channel];
	int64_t took_ns = -1;

	if (s->flags & TCP_ACK && answered->sent_ns && (int32_t)(s->ack - answered->end) >= 0) {
		took_ns = time_ns - answered->sent_ns;
		*answered =
			(struct timed_segment){ .end = by->newest,
						.sent_ns = by->waiting_ns && !flow->stream[1 - channel].first ? by->newest_ns : 0 };
	}
	if (sequence_length(s) && !sent->sent_ns && is_in_order(&flow->stream[channel], s))
		*sent = (struct timed_segment){ .end = s->seq + sequence_length(s), .sent_ns = time_ns };
	return took_ns;
}

/* Notes holes. Beside data, an acknowledgement alone shows how much its sender has sent so far: what comes more than a round trip
 * after that was lost before the tap, and sent again. */
static void note_loss(struct interval_flow *f, const struct flow *flow, int channel, const struct meter_packet *seen)
{
	const struct tcp_stream *stream = &flow->stream[channel];
	const struct segment *s = seen->segment;
	int64_t time_ns = seen->packet->time_ns, ahead = (int32_t)(s->seq - (uint32_t)stream->next);
	bool lost = seen->lost_before;

	if (!stream->first)
		f->hole_ns[channel] = 0;
	else if (!f->hole_ns[channel])
		f->hole_ns[channel] = f->heard_ns[channel];
	if (s->transport == TRANSPORT_TCP && stream->known && !s->payload_bytes && ahead > 0 && !f->ahead_ns[channel]) {
		f->ahead_ns[channel] = time_ns;
	} else if (s->payload_bytes && ahead <= 0 && f->ahead_ns[channel]) {
		lost |= time_ns - f->ahead_ns[channel] > flow->ack[channel].quickest_ns;
		f->ahead_ns[channel] = 0;
	}
	f->row.lost_before += lost;
	f->filled += lost;
	f->lost[channel == DISPLAY] += lost;
}

/* What is sent again although it came here was lost on the other side. */
static void count_resent(struct interval_flow *f, const struct flow *flow)
{
	uint64_t before = f->resent, input = flow->count[INPUT].retransmitted_packets,
		 all = input + flow->count[DISPLAY].retransmitted_packets;

	if (before > all) /* another connection between the same ends */
		f->resent_before = f->resent_input = before = 0;
	f->lost[1] += input - f->resent_input;
	f->lost[0] += all - before - (input - f->resent_input);
	f->resent_input = input;
	f->resent = all;
}

/* What waits may be of an earlier connection between the same ends. */
static void begin_connection(struct interval_flow *f)
{
	f->row.unanswered += (uint64_t)(f->waits - f->answerable);
	interval_forget_waits(f);
	f->pairs_unknown = f->unacked = false; /* nothing is under way */
	f->ahead_ns[INPUT] = f->ahead_ns[DISPLAY] = 0;
	f->buttons = f->more = 0;
}

void interval_count_packet(struct intervals *t, const struct flow *flow, int channel, const struct meter_packet *seen)
{
	const struct segment *s = seen->segment;
	int64_t time_ns = seen->packet->time_ns, took_ns;
	struct interval_flow *f = ensure_flow(t, flow);

	if (!f) {
		count_unfollowed(t, flow, channel, s);
		return;
	}
	interval_settle_inputs(f, time_ns);
	note_loss(f, flow, channel, seen);
	f->last_ns = f->heard_ns[channel] = time_ns;
	f->ended = flow_has_ended(flow) || flow->finished[INPUT]; /* a server that hangs never ends its side */
	if (s->flags & TCP_SYN)
		begin_connection(f);
	f->row.packets++;
	f->row.wire_bytes[channel] += s->wire_bytes;
	count_resent(f, flow);
	f->missing = flow_missing_bytes(flow);
	f->row.zero_windows += channel == INPUT && !s->window && !(s->flags & TCP_RST);
	took_ns = s->transport == TRANSPORT_TCP ? measure_round_trip(f, flow, channel, s, time_ns) : -1;
	if (took_ns >= 0) {
		if (!f->trip_ns[1 - channel] || took_ns < f->trip_ns[1 - channel])
			f->trip_ns[1 - channel] = took_ns;
		response_add(&f->to_ack[1 - channel], took_ns);
		usual_add_value(&f->base.part[channel == DISPLAY ? PART_SERVER_ACK : PART_CLIENT_ACK], took_ns);
		f->server_is_near |= channel == DISPLAY && took_ns < INTERVAL_NEAR_NS;
		if (channel == INPUT)
			f->client_ack_ns = took_ns, f->client_acked_ns = time_ns;
	}
	if (channel == INPUT)
		note_arrival(f, flow, s, time_ns);
	if (channel == DISPLAY)
		note_server_acks(f, s, time_ns);
	for (int c = 0; c < CHANNELS; c++) {
		int64_t since = flow->ack[1 - c].waiting_ns;

		/* acks.h counts from the retransmission, measure_round_trip() from the first transmission */
		if (since && f->unacked_ns[c] && (c == channel || seen->ack.took_ns < 0))
			continue;
		f->unacked_ns[c] = since >= t->set_ns && since <= time_ns ? since : 0;
	}
	if (channel == INPUT && s->payload_bytes)
		f->message = read_message(t, f, seen);
}

/* A client that acknowledges each frame does so in turn, also where it is late by more than the time between two. Of any other, a
 * reply may be to any update before it, so the latest counts. */
static void await_reply(struct interval_flow *f, int64_t time_ns, bool fresh)
{
	if (!fresh) { /* more of an update, also where an input came amid it */
		if (f->asks)
			f->asks_ns[f->asks - 1] = time_ns;
		return;
	}
	f->asked++;
	if (f->asks && f->replied_ns > f->asks_ns[f->asks - 1] && time_ns - f->replied_ns >= INTERVAL_REST_NS) {
		f->unreplied += (uint64_t)f->asks;
		f->asks = 0;
	}
	if (!f->client.messages || (double)f->replies < REPLIES_SHARE * ((double)f->asked - INTERVAL_ASKS))
		f->asks = 0;
	if (f->asks == INTERVAL_ASKS)
		memmove(f->asks_ns, f->asks_ns + 1, (size_t)--f->asks * sizeof(*f->asks_ns));
	f->asks_ns[f->asks++] = time_ns;
}

/* A reply that comes at once after the latest update, or as soon as usual, is to that one: those before it had none. */
static void take_reply(struct interval_flow *f, int64_t time_ns)
{
	int64_t usual = usual_quantile_ns(&f->base.part[PART_REPLY], 0.5), took = time_ns - f->asks_ns[f->asks - 1];

	if (took > 2 * usual && took > f->trip_ns[DISPLAY] + OPAQUE_AT_ONCE_NS) {
		took = time_ns - f->asks_ns[0];
	} else {
		f->unreplied += (uint64_t)f->asks - 1;
		f->asks = 1;
	}
	response_add(&f->to_reply, took);
	verdict_add_wait(&f->base, &f->late,
			 &(struct verdict_wait){ .part = PART_REPLY,
						 .host = VERDICT_CLIENT,
						 .took_ns = took,
						 .least_ns = took,
						 .way_ns = f->client_ack_ns - f->trip_ns[DISPLAY],
						 .acked = f->client_acked_ns < time_ns });
	f->replies++;
	f->replied_ns = time_ns;
	memmove(f->asks_ns, f->asks_ns + 1, (size_t)--f->asks * sizeof(*f->asks_ns));
}

/* Starts anew after other messages were taken for input: forgets all waits and what was usual. */
static void restart_learning(struct intervals *t, struct interval_flow *f)
{
	const struct opaque_kind *kind = opaque_main_kind(&f->client);
	struct verdict_baseline before = f->base;

	f->waits = f->answerable = f->matched = f->asks = f->ends = 0;
	f->left = f->instants = kind && kind->left >= (kind->alone ? 2 : 3); /* the first press had no update until the next one */
	f->pairs_unknown = true;					     /* updates of what was forgotten are under way */
	f->lag_ns = 0;
	f->asked = f->replies = f->unreplied = 0;
	f->answered = f->ignored = f->usually_counted = f->most_counted = 0;
	clear_open_inputs(f);
	verdict_init(&f->base);
	inherit_usual(t, f);
	if (verdict_is_founded(&before) && !f->base.other_ns[0] && !f->base.other_ns[1])
		verdict_compare(&f->base, &before);
}

static void add_message(struct intervals *t, struct interval_flow *f, const struct flow *flow, uint64_t bytes, int64_t time_ns)
{
	enum client_message message = f->message;
	bool learned = false;

	if (message == MESSAGE_OPAQUE)
		message = opaque_add_message(&f->client, bytes, time_ns, f->updates.count, time_ns - update_end(f),
					     f->trip_ns[DISPLAY] ? f->trip_ns[DISPLAY] : -1, &learned);
	if (learned)
		restart_learning(t, f);
	if (f->client.rare ||
	    (message == MESSAGE_OPAQUE && f->asks && time_ns - f->asks_ns[f->asks - 1] <= f->trip_ns[DISPLAY] + OPAQUE_AT_ONCE_NS))
		f->asks = 0; /* maybe a reply of another kind */
	if (message == MESSAGE_INPUT || (message == MESSAGE_OTHER && f->client.messages && f->client.released))
		add_open_message(f, flow, time_ns);
	if (message == MESSAGE_INPUT || message == MESSAGE_OPAQUE)
		add_input(f, time_ns, message == MESSAGE_INPUT);
	else if (message == MESSAGE_REPLY && f->asks)
		take_reply(f, time_ns);
}

void interval_add_data(void *intervals, const struct flow *flow, int channel, int64_t time_ns, uint64_t bytes)
{
	struct interval_flow *f = find_flow(intervals, flow);
	bool goes_on, late;
	uint64_t number;
	int64_t before, press_ns, usual;

	if (!f)
		return;
	f->missing = flow_missing_bytes(flow);
	if (channel == DISPLAY) {
		number = f->updates.count;
		before = f->updates.first_ns;
		f->more = flow->more;
		goes_on = number && update_goes_on(flow->more_before, time_ns - f->updates.last_ns, false);
		if (goes_on && (flow->more_before != MORE_FULL || f->input_ns <= f->updates.last_ns)) {
			update_extend(&f->updates, number, time_ns);
		} else if (update_continues(&f->updates, time_ns)) {
			update_add_message(&f->updates, time_ns);
		} else {
			usual = usual_quantile_ns(&f->base.part[PART_WAIT], 0.9);
			judge_turns(f, time_ns);
			late = usual >= 0 && f->counted && !f->by_turns && !is_on_time(f, time_ns - f->counted_ns, 2) &&
			       find_on_time(f, time_ns) == &f->message_latest;
			press_ns = opaque_add_update(&f->client, time_ns,
						     usual < 0 || (f->waits && !late) ? -1 : 2 * usual + INTERVAL_INSTANT_NS, late);
			if (press_ns && late)
				drop_mute_inputs(f);
			if (press_ns && !f->messages_open)
				add_open_message(f, flow, press_ns);
			if (press_ns)
				add_input(f, press_ns, true);
			interval_end_update(f);
			update_add_message(&f->updates, time_ns);
			add_update(f, flow, time_ns, before);
		}
		f->end = (uint32_t)flow->stream[DISPLAY].next;
		f->unacked = f->trip_ns[DISPLAY] > 0;
		f->arrived_ns = 0;
		await_reply(f, time_ns, f->updates.count != number && !goes_on);
		return;
	}
	f->buttons = f->buttons_then;
	for (uint64_t part; bytes; bytes -= part) {
		part = f->message == MESSAGE_OPAQUE ? opaque_find_first(&f->client, bytes) : bytes;
		add_message(intervals, f, flow, part, time_ns);
	}
}

void intervals_note_clock_set(struct intervals *t, int64_t time_ns)
{
	t->clock_set = true;
	intervals_forget_waits(t, time_ns);
}

void interval_forget_waits(struct interval_flow *f)
{
	f->waits = f->answerable = f->matched = f->asks = f->instants = f->ends = 0;
	f->pairs_unknown = true; /* updates of what was forgotten are under way */
	f->timed[INPUT].sent_ns = f->timed[DISPLAY].sent_ns = 0;
	f->unacked_ns[INPUT] = f->unacked_ns[DISPLAY] = 0;
	f->gap_unknown = true;
	clear_open_inputs(f);
}

void intervals_forget_waits(struct intervals *t, int64_t time_ns)
{
	t->set_ns = time_ns;
	for (int i = 0; i < INTERVAL_FLOWS; i++)
		for (struct interval_flow *f = t->bucket[i]; f; f = f->next)
			interval_forget_waits(f);
}
