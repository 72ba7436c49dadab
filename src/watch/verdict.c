// SPDX-License-Identifier: GPL-3.0-or-later
#include "verdict.h"

#define RETRANSMITTED_PERCENT 2
#define RETRANSMITTED_LEAST 3
#define SLACK_NS 5000000LL
#define LOSS_LEAST 5 /* least number of packets that were sent again */
#define LOSS_PERCENT 1
#define LOSS_TIMES 3	/* least ratio to the usual share of packets sent again */
#define LOST_LATELY 0.5 /* packets that were sent again of about the last VERDICT_LOSS intervals: one in 14 of them */
#define LOST_UNSEEN 2	/* packets lost before the capture point, to one that was seen to be lost; */
#define LOST_MORE 2	/* ... and by chance so many more in an interval */
#define MEDIAN 0.5
#define UPPER 0.75

const char *const verdict_words[] = { "idle", "learning", "usual", "network", "server", "client", "unknown" };
const char *const verdict_whys[] = { "",       "cause",	     "range", "loss",	     "waiting",
				     "frames", "drops",	     "clock", "connections", "picture",
				     "pairs",  "next input", "chaff", "transfer",    "way behind" };

void verdict_init(struct verdict_baseline *b)
{
	*b = (struct verdict_baseline){ 0 };
	/* data may have been acknowledged in the interval before that of its update */
	b->part[PART_CLIENT_ACK].lasts = b->part[PART_SERVER_ACK].lasts = true;
	b->part[PART_RESTED].bounded = true;
	for (int p = 0; p <= PART_LATEST; p++)
		b->part[p].bounded = true;
}

static const enum verdict_part waits[2] = { PART_WAIT, PART_BESIDE };

static uint32_t count_usual_waits(const struct verdict_baseline *b)
{
	return b->part[PART_WAIT].usual_n + b->part[PART_BESIDE].usual_n;
}

bool verdict_is_founded(const struct verdict_baseline *b)
{
	return count_usual_waits(b) >= VERDICT_ENOUGH;
}

/* Of inputs beside others those alone are no basis. */
static bool is_basis_founded(const struct verdict_baseline *b)
{
	return b->part[PART_WAIT].now.kept ? verdict_is_founded(b) : b->part[PART_BESIDE].usual_n >= VERDICT_ENOUGH;
}

static bool is_rise(int64_t rise_ns, int64_t usual_ns)
{
	return rise_ns >= VERDICT_RISE_NS && (double)rise_ns >= VERDICT_RISE_SHARE * (double)usual_ns;
}

/* Whether what seems usual is slow beside another connection to the same server. What lasts becomes usual. */
static bool is_slow_beside(const struct verdict_baseline *b)
{
	for (int i = 0; i < 2; i++) {
		int64_t own_ns = usual_quantile_ns(&b->part[waits[i]], MEDIAN);

		if (own_ns >= 0 && b->other_ns[i] > 0)
			return b->part[waits[i]].active_ns < USUAL_LASTS_NS && is_rise(own_ns - b->other_ns[i], b->other_ns[i]);
	}
	return false;
}

void verdict_inherit(struct verdict_baseline *b, const struct verdict_baseline *from)
{
	*b = *from;
	for (int p = 0; p < VERDICT_PARTS; p++)
		usual_end_interval(&b->part[p], 0, false, false); /* forgets the values of the interval */
	if (is_slow_beside(from))
		return;
	b->other_ns[0] = 0;
	b->other_ns[1] = usual_quantile_ns(&b->part[b->part[PART_BESIDE].usual_n < USUAL_LEAST ? PART_WAIT : PART_BESIDE], MEDIAN);
}

void verdict_compare(struct verdict_baseline *b, const struct verdict_baseline *other)
{
	bool slow = is_slow_beside(other);

	for (int i = 0; i < 2; i++)
		b->other_ns[i] = slow ? other->other_ns[i] : usual_quantile_ns(&other->part[waits[i]], MEDIAN);
}

static int64_t positive_ns(int64_t ns)
{
	return ns > 0 ? ns : 0;
}

/* Waits of inputs that came beside others are usual, too, where too few came alone. */
int64_t verdict_usual_wait_ns(const struct verdict_baseline *b)
{
	int64_t alone = usual_quantile_ns(&b->part[PART_WAIT], MEDIAN);

	return alone < 0 ? usual_quantile_ns(&b->part[PART_BESIDE], MEDIAN) : alone;
}

int64_t verdict_longest_wait_ns(const struct verdict_baseline *b)
{
	int64_t alone = usual_longest_ns(&b->part[PART_WAIT]), beside = usual_longest_ns(&b->part[PART_BESIDE]);

	return alone < 0 || alone > beside ? alone : beside;
}

static int64_t usual_median_ns(const struct verdict_baseline *b, enum verdict_part p)
{
	return p == PART_WAIT ? verdict_usual_wait_ns(b) : usual_quantile_ns(&b->part[p], MEDIAN);
}

static bool is_late(const struct verdict_baseline *b, enum verdict_part p, int64_t ns)
{
	int64_t longest = p == PART_WAIT ? verdict_longest_wait_ns(b) : usual_longest_ns(&b->part[p]);

	return longest >= 0 && ns > VERDICT_LATE_NS + VERDICT_LATE_TIMES * longest;
}

/* A host that sent nothing since data waits for its acknowledgement: it may have stopped, or the network. A packet of it that comes
 * late and acknowledges nothing shows that the data was lost. */
static bool is_host_silent(const struct verdict_baseline *b, const struct verdict_readings *seen, enum verdict_part p)
{
	return is_late(b, p, seen->open_ns[p]) && !is_late(b, p, seen->open_ns[p] - seen->heard_ns[p]);
}

/* Rise of waits: of inputs that waited alone; or of others, for which that is a lower bound, also above what is usual of them, once
 * that is known: they change with the pace of the user. */
static struct usual_rise find_wait_rise(const struct verdict_baseline *b, double quantile)
{
	const struct usual *alone = &b->part[PART_WAIT], *beside = &b->part[PART_BESIDE];
	struct usual_rise rise = usual_find_rise(alone, alone, quantile);
	struct usual_rise above = usual_find_rise(beside, alone, quantile), other = usual_find_rise(beside, beside, quantile);

	if (usual_quantile_ns(alone, quantile) < 0 || (beside->usual_n >= VERDICT_ENOUGH && other.sure_ns < above.sure_ns))
		above = other;
	return above.sure_ns > rise.sure_ns ? above : rise;
}

static struct usual_rise find_part_rise(const struct verdict_baseline *b, enum verdict_part p, double quantile)
{
	return p == PART_WAIT ? find_wait_rise(b, quantile) : usual_find_rise(&b->part[p], &b->part[p], quantile);
}

/* Rise of one part of the wait. *by_age: it is the age of a wait that has not ended yet. */
static struct usual_rise part_rise(const struct verdict_baseline *b, const struct verdict_readings *seen, enum verdict_part p,
				   bool *by_age)
{
	struct usual_rise rise = find_part_rise(b, p, MEDIAN);
	int64_t open = seen->open_ns[p] - usual_median_ns(b, p);
	bool stopped = p == PART_WAIT && seen->stopped && verdict_longest_wait_ns(b) >= 0;

	*by_age = (stopped || is_late(b, p, seen->open_ns[p])) && open > rise.sure_ns;
	if (*by_age) {
		rise.sure_ns = open;
		rise.seen_ns = open > rise.seen_ns ? open : rise.seen_ns;
	}
	return rise;
}

/* Judges which part has risen. `rise`: of all parts together, also where chance explains it; `silent`: parts whose host is silent;
 * `replies`: the client's replies are known; `lossy`: see is_lossy(). A part that other parts may explain counts only by the
 * rest. */
static enum verdict_word judge_rise(const struct usual_rise part[static VERDICT_PARTS], const struct verdict_readings *seen,
				    int64_t rise, const bool silent[static VERDICT_PARTS], bool replies, bool lossy)
{
	int64_t to_client = part[PART_CLIENT_ACK].seen_ns, to_server = part[PART_SERVER_ACK].seen_ns;
	int64_t sure_to_client = part[PART_CLIENT_ACK].sure_ns, sure_to_server = part[PART_SERVER_ACK].sure_ns;
	int64_t reply = part[PART_REPLY].seen_ns, unclear = 0, client, server;

	/* A late client sends a separate, delayed acknowledgement before its reply. A longer network path would delay both alike. */
	if (to_client <= VERDICT_DELAYED_NS + SLACK_NS &&
	    (reply > to_client + VERDICT_RISE_NS || (replies && 2 * reply < to_client)))
		to_client = sure_to_client = 0;
	/* So does one that has nothing to send with it, as keys that were held until then. */
	if (!replies && seen->held)
		sure_to_client = 0;
	/* So does a server that is late with its update; up to that time, the acknowledgement comes with the update. */
	if (to_server <= VERDICT_DELAYED_NS + SLACK_NS) {
		unclear = seen->server_is_near ? 0 : to_server;
		to_server = sure_to_server = 0;
	}
	client = positive_ns(reply - to_client);
	server = positive_ns(part[PART_WAIT].sure_ns - to_server - unclear - client);
	/* A host that stopped cannot be told from a cable that was pulled. */
	if ((silent[PART_SERVER_ACK] && 2 * to_server > rise) || (silent[PART_CLIENT_ACK] && 2 * to_client > rise))
		return VERDICT_UNKNOWN;
	if (2 * (sure_to_client + sure_to_server) > rise)
		return VERDICT_NETWORK;
	if (2 * positive_ns(part[PART_REPLY].sure_ns - to_client) > rise || (seen->zero_windows && 2 * server <= rise))
		return VERDICT_CLIENT;
	if (2 * server > rise)
		return lossy ? VERDICT_UNKNOWN : VERDICT_SERVER;
	return lossy ? VERDICT_NETWORK : VERDICT_UNKNOWN;
}

static bool has_quantile_risen(const struct verdict_baseline *b, enum verdict_part p, double quantile)
{
	return is_rise(find_part_rise(b, p, quantile).sure_ns, usual_quantile_ns(&b->part[p], quantile));
}

/* Whether waits that the next update does not show have risen: it may be that of an older input. */
static bool has_hidden_rise(const struct verdict_baseline *b, const struct verdict_readings *seen)
{
	const struct usual *latest = &b->part[PART_LATEST];
	bool paired = !seen->opaque && latest->now.kept;
	int64_t rise = usual_find_rise(latest, latest, MEDIAN).seen_ns;

	if (rise > VERDICT_LATE_NS && rise > usual_quantile_ns(latest, MEDIAN))
		return true;
	return has_quantile_risen(b, PART_LATEST, MEDIAN) || (!paired && has_quantile_risen(b, PART_WAIT, UPPER));
}

/* Packets are lost now that were not before: some waits are far longer, which their median need not show. */
static bool has_loss_risen(const struct verdict_baseline *b)
{
	return b->resent >= LOSS_LEAST && 100 * b->resent >= LOSS_PERCENT * b->packets &&
	       b->resent * b->all_packets >= LOSS_TIMES * b->all_resent * b->packets;
}

/* Far more packets than usual were sent again in this interval. */
static bool is_lossy(const struct verdict_baseline *b, const struct verdict_readings *seen)
{
	return seen->retransmitted >= RETRANSMITTED_LEAST && 100 * seen->retransmitted >= RETRANSMITTED_PERCENT * seen->packets &&
	       (double)seen->retransmitted * b->all_packets >= LOSS_TIMES * b->all_resent * (double)seen->packets;
}

static void learn_loss(struct verdict_baseline *b, const struct verdict_readings *seen)
{
	b->packets += (double)seen->packets - b->packets / VERDICT_LOSS;
	b->resent += (double)seen->retransmitted - b->resent / VERDICT_LOSS;
	for (int side = 0; side < 2; side++)
		b->lost[side] += (double)seen->lost[side] - b->lost[side] / VERDICT_LOSS;
	if (b->intervals >= VERDICT_FIRST && has_loss_risen(b)) {
		b->lossy_ns += seen->length_ns;
		if (b->lossy_ns < USUAL_LASTS_NS)
			return;
		b->all_packets = b->packets; /* a loss that lasts has become usual */
		b->all_resent = b->resent;
	}
	b->lossy_ns = 0;
	b->all_packets += (double)seen->packets - b->all_packets / VERDICT_LOSS_USUAL;
	b->all_resent += (double)seen->retransmitted - b->all_resent / VERDICT_LOSS_USUAL;
}

/* Which side made a wait late by `excess`. */
static enum verdict_word judge_wait(const struct verdict_wait *w, int64_t excess)
{
	int64_t way = w->way_ns > VERDICT_DELAYED_NS + SLACK_NS || w->way_ns < 0 ? w->way_ns : 0;

	if (2 * w->closed_ns > excess)
		return VERDICT_CLIENT;
	if (way < 0 || (w->lost && 2 * way <= excess))
		return VERDICT_UNKNOWN;
	if (2 * way < excess)
		return w->host;
	return w->acked && !w->lost && way <= VERDICT_LATE_NS + SLACK_NS ? VERDICT_UNKNOWN : VERDICT_NETWORK;
}

void verdict_add_wait(struct verdict_baseline *b, struct verdict_late *late, const struct verdict_wait *w)
{
	const struct usual *u = &b->part[w->part];
	int64_t limit, excess;

	if (w->part == PART_BESIDE && b->part[PART_WAIT].usual_n >= USUAL_LEAST)
		u = &b->part[PART_WAIT];
	usual_add_value(&b->part[w->part], w->took_ns);
	limit = usual_late_limit(u);
	if (limit >= 0 && w->least_ns > limit) {
		excess = w->least_ns - usual_quantile_ns(u, MEDIAN);
		if (2 * w->busy_ns > excess)
			late->busy++, late->n[VERDICT_UNKNOWN]++;
		else
			late->n[judge_wait(w, excess)]++;
		late->most_ns = excess > late->most_ns ? excess : late->most_ns;
	}
	late->waits++;
}

/* Whether packets that the capture point did not see may have made `n` waits late: what is lost between it and a host looks like a
 * late host, and comes as often as what is seen to be lost there. */
static bool may_be_loss(const struct verdict_baseline *b, enum verdict_word word, uint32_t n)
{
	double lost = b->lost[word == VERDICT_SERVER];

	return (word == VERDICT_CLIENT || word == VERDICT_SERVER) && lost >= LOST_LATELY &&
	       n <= LOST_MORE + LOST_UNSEEN * lost / VERDICT_LOSS;
}

/* The side of most of the late waits. */
static struct verdict judge_late(const struct verdict_baseline *b, const struct verdict_readings *seen)
{
	const struct verdict_late *late = &seen->late;
	struct verdict v = { .word = VERDICT_UNKNOWN, .why = late->busy ? WHY_TRANSFER : WHY_CAUSE, .rise_ns = late->most_ns };
	uint32_t all = 0;

	for (int w = VERDICT_NETWORK; w < VERDICTS; w++)
		all += late->n[w];
	for (enum verdict_word w = VERDICT_NETWORK; w <= VERDICT_CLIENT; w++)
		if (2 * late->n[w] > all)
			v = (struct verdict){ .word = w, .rise_ns = late->most_ns };
	if (!all)
		v.word = VERDICT_IDLE;
	else if (v.word == VERDICT_SERVER && seen->picture)
		v = (struct verdict){ .word = VERDICT_UNKNOWN, .why = WHY_PICTURE, .rise_ns = -1 };
	else if (may_be_loss(b, v.word, late->n[v.word]))
		v = (struct verdict){ .word = VERDICT_UNKNOWN, .why = WHY_CAUSE, .rise_ns = late->most_ns };
	return v;
}

/* Rise of waits where updates seem to come as soon as usual, but after a release: all first keys after a rest came as late. Where a
 * modifier or a release was the first message, only some seem late. */
static int64_t find_ordered_rise(const struct verdict_baseline *b)
{
	int64_t rise = usual_find_low_rise(&b->part[PART_RESTED]);

	return is_rise(rise, verdict_usual_wait_ns(b)) ? rise : 0;
}

/* The verdict where the medians of waits that have ended blame the server. */
static struct verdict doubt_server(const struct verdict_baseline *b, const struct verdict_readings *seen, struct verdict v)
{
	if (seen->picture)
		return (struct verdict){ .word = VERDICT_UNKNOWN, .why = WHY_PICTURE, .rise_ns = -1 };
	if (2 * seen->late.doubtful > seen->late.waits && !find_ordered_rise(b))
		return (struct verdict){ .word = VERDICT_UNKNOWN, .why = WHY_PAIRS, .rise_ns = v.rise_ns };
	v.why = WHY_NONE;
	return v;
}

/* The verdict `v`, "usual", unless something else has risen by `all`, or hides a rise. */
static struct verdict doubt_usual(const struct verdict_baseline *b, const struct verdict_readings *seen, int64_t usual, int64_t all,
				  struct verdict v)
{
	int64_t transfer = usual_find_rise(&b->part[PART_TRANSFER], &b->part[PART_TRANSFER], MEDIAN).sure_ns;

	if (seen->picture)
		return (struct verdict){ .word = VERDICT_UNKNOWN, .why = WHY_PICTURE, .rise_ns = -1 };
	if (has_hidden_rise(b, seen))
		return (struct verdict){ .word = VERDICT_UNKNOWN, .why = WHY_RANGE, .rise_ns = v.rise_ns };
	if (4 * seen->late.doubtful > seen->late.waits)
		return (struct verdict){ .word = VERDICT_UNKNOWN, .why = WHY_PAIRS, .rise_ns = v.rise_ns };
	if (is_rise(transfer, usual))
		return (struct verdict){ .word = VERDICT_UNKNOWN, .why = WHY_TRANSFER, .rise_ns = transfer };
	if ((is_rise(all, usual) && !is_basis_founded(b)) || is_slow_beside(b))
		return (struct verdict){ .word = VERDICT_LEARNING, .rise_ns = -1 };
	return v;
}

static struct verdict verdict_judge(const struct verdict_baseline *b, const struct verdict_readings *seen, bool waited)
{
	struct usual_rise part[VERDICT_PARTS];
	struct verdict v = { .word = VERDICT_IDLE, .rise_ns = -1 }, late = judge_late(b, seen);
	bool by_age[VERDICT_PARTS], silent[VERDICT_PARTS];
	uint32_t timed;
	int64_t usual, all, ordered = find_ordered_rise(b);

	if (seen->learning || b->intervals < VERDICT_FIRST || verdict_usual_wait_ns(b) < 0) {
		v.word = !waited ? VERDICT_IDLE : seen->picture ? VERDICT_UNKNOWN : VERDICT_LEARNING;
		v.why = v.word == VERDICT_UNKNOWN ? WHY_PICTURE : WHY_NONE;
		return v;
	}
	for (enum verdict_part p = 0; p < VERDICT_PARTS; p++) {
		part[p] = part_rise(b, seen, p, &by_age[p]);
		silent[p] = by_age[p] && is_host_silent(b, seen, p);
	}
	if (late.word != VERDICT_IDLE && !by_age[PART_WAIT] && !by_age[PART_REPLY])
		return late;
	usual = verdict_usual_wait_ns(b) + positive_ns(usual_quantile_ns(&b->part[PART_CLIENT_ACK], MEDIAN));
	/* The way to the server and back is part of the wait, also where updates of other inputs hide that. */
	if (part[PART_SERVER_ACK].sure_ns > VERDICT_DELAYED_NS + SLACK_NS &&
	    part[PART_SERVER_ACK].sure_ns > part[PART_WAIT].sure_ns)
		part[PART_WAIT] = part[PART_SERVER_ACK];
	if (waited && ordered > part[PART_WAIT].sure_ns)
		part[PART_WAIT] = (struct usual_rise){ ordered, ordered };
#define LONGER(member) \
	(part[PART_REPLY].member > part[PART_CLIENT_ACK].member ? part[PART_REPLY].member : part[PART_CLIENT_ACK].member)
	v.rise_ns = waited ? part[PART_WAIT].sure_ns + LONGER(sure_ns) : part[PART_REPLY].sure_ns;
	all = waited ? part[PART_WAIT].seen_ns + LONGER(seen_ns) : part[PART_REPLY].seen_ns;
#undef LONGER
	if (waited) {
		v.word = has_loss_risen(b) ? VERDICT_NETWORK : VERDICT_USUAL;
		v.why = v.word == VERDICT_NETWORK ? WHY_LOSS : WHY_NONE;
	}
	if (!is_rise(v.rise_ns, usual))
		return v.word == VERDICT_USUAL ? doubt_usual(b, seen, usual, all, v) : v;
	if (count_usual_waits(b) < VERDICT_BLAMES && !by_age[PART_WAIT] && !by_age[PART_REPLY]) {
		v.word = VERDICT_LEARNING;
		return v;
	}
	/* no acknowledgements of the server, as of UDP: a slow network looks like a slow server */
	v.word = usual_quantile_ns(&b->part[PART_SERVER_ACK], MEDIAN) < 0
			 ? VERDICT_UNKNOWN
			 : judge_rise(part, seen, all, silent, usual_quantile_ns(&b->part[PART_REPLY], MEDIAN) >= 0,
				      is_lossy(b, seen));
	timed = v.word == VERDICT_CLIENT ? b->part[PART_REPLY].now.kept : seen->late.waits;
	if (v.rise_ns >= VERDICT_LATE_NS / 2 && !by_age[PART_WAIT] && may_be_loss(b, v.word, (timed + 1) / 2))
		v.word = has_loss_risen(b) ? VERDICT_NETWORK : VERDICT_UNKNOWN;
	if (v.word == VERDICT_SERVER && !by_age[PART_WAIT])
		return doubt_server(b, seen, v);
	v.why = v.word == VERDICT_UNKNOWN ? WHY_CAUSE : v.word == VERDICT_SERVER && by_age[PART_WAIT] ? WHY_WAITING : WHY_NONE;
	return v;
}

struct verdict verdict_add_interval(struct verdict_baseline *b, const struct verdict_readings *seen)
{
	bool ended = b->part[PART_WAIT].now.kept || b->part[PART_BESIDE].now.kept;
	bool waited = ended || seen->stopped || seen->open_ns[PART_WAIT] > VERDICT_LATE_NS;
	bool learn = ended && !seen->blind && !seen->learning && !seen->picture;
	struct verdict v;
	bool raised;

	if (!is_host_silent(b, seen, PART_CLIENT_ACK) && !is_host_silent(b, seen, PART_SERVER_ACK))
		learn_loss(b, seen);
	v = verdict_judge(b, seen, waited);

	if (seen->blind && (waited || v.word >= VERDICT_NETWORK)) {
		v.word = VERDICT_UNKNOWN;
		v.why = seen->blind;
		v.rise_ns = -1;
	}
	if (!ended && seen->learning && v.word == VERDICT_IDLE && seen->inputs)
		v.word = VERDICT_LEARNING; /* what is input is not known yet */
	else if (!ended && (v.word == VERDICT_USUAL || (v.word == VERDICT_IDLE && seen->inputs)))
		v = (struct verdict){ .word = VERDICT_UNKNOWN, .why = WHY_WAITING, .rise_ns = -1 }; /* no wait has ended */
	/* without user input only handshakes and the like were timed: no basis for what is usual */
	raised = v.word >= VERDICT_NETWORK || (v.word == VERDICT_LEARNING && v.rise_ns > 0);
	if (judge_late(b, seen).word != VERDICT_IDLE) { /* of these the late waits alone are not learned, or nothing is */
		learn &= !is_rise(find_wait_rise(b, MEDIAN).seen_ns, usual_median_ns(b, PART_WAIT));
		raised = false;
	}
	for (int p = 0; p < VERDICT_PARTS; p++)
		usual_end_interval(&b->part[p], seen->length_ns, learn, raised);

	b->intervals += waited && b->intervals < VERDICT_FIRST;
	return v;
}
