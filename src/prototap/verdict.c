// SPDX-License-Identifier: GPL-3.0-or-later
#include "verdict.h"

#define RETRANSMITTED_PERCENT 2
#define RETRANSMITTED_LEAST 3
#define SLACK_NS 5000000LL

const char *const verdict_words[] = { "idle", "learning", "usual", "network", "server", "client", "unknown" };

void verdict_baseline_init(struct verdict_baseline *b)
{
	*b = (struct verdict_baseline){ 0 };
	for (int p = 0; p < VERDICT_PARTS; p++)
		for (int i = 0; i < VERDICT_MEMORY; i++)
			b->least[p][i] = -1;
}

static int64_t verdict_baseline_lowest_part_ns(const struct verdict_baseline *b, enum verdict_part p)
{
	int64_t least = -1;

	for (int i = 0; i < VERDICT_MEMORY; i++)
		if (b->least[p][i] >= 0 && (least < 0 || b->least[p][i] < least))
			least = b->least[p][i];
	return least;
}

static void verdict_baseline_learn(struct verdict_baseline *b, int64_t time_ns, const struct verdict_interval_readings *seen)
{
	int64_t slot = time_ns / VERDICT_SLOT_NS + 1, passed = b->slot ? slot - b->slot : 0;
	uint64_t at = (uint64_t)slot % VERDICT_MEMORY;	/* also of a time before 1970 */

	if (passed < 0 || passed > VERDICT_MEMORY)
		passed = VERDICT_MEMORY;
	for (; passed > 0; passed--)
		for (int p = 0; p < VERDICT_PARTS; p++)
			b->least[p][(uint64_t)(slot - passed + 1) % VERDICT_MEMORY] = -1;
	b->slot = slot;
	for (int p = 0; p < VERDICT_PARTS; p++)
		if (seen->part[p] >= 0 && (b->least[p][at] < 0 || seen->part[p] < b->least[p][at]))
			b->least[p][at] = seen->part[p];
}

/* By how much a part is over its usual value; 0: not known. */
static int64_t verdict_part_rise_over_baseline(const struct verdict_baseline *b, const struct verdict_interval_readings *seen,
					       enum verdict_part p)
{
	int64_t least = verdict_baseline_lowest_part_ns(b, p);

	return seen->part[p] > least && least >= 0 ? seen->part[p] - least : 0;
}

static int64_t zero_if_negative_ns(int64_t ns)
{
	return ns > 0 ? ns : 0;
}

static enum verdict_word verdict_of_rise(const struct verdict_baseline *b, const struct verdict_interval_readings *seen,
					 int64_t rise)
{
	int64_t wait = verdict_part_rise_over_baseline(b, seen, PART_WAIT), to_client = verdict_part_rise_over_baseline(b, seen,
															PART_CLIENT_ACK);
	int64_t to_server = verdict_part_rise_over_baseline(b, seen, PART_SERVER_ACK), reply = verdict_part_rise_over_baseline(b, seen,
															       PART_REPLY);
	int64_t unclear = 0, client, server, network;

	if (verdict_baseline_lowest_part_ns(b, PART_CLIENT_ACK) < 0 && verdict_baseline_lowest_part_ns(b, PART_SERVER_ACK) < 0)
		return VERDICT_UNKNOWN;		/* no acknowledgements, as of UDP: a slow network looks like a slow server */
	/* A client that is late with its reply sends an acknowledgement of its own, delayed: no longer way. */
	if (to_client <= VERDICT_DELAYED_NS + SLACK_NS && reply > to_client + VERDICT_RISE_NS)
		to_client = 0;
	/* So does a server that is late with its update; up to that time, the acknowledgement comes with the update. */
	if (seen->server_is_near) {
		to_server = 0;
	} else if (to_server <= VERDICT_DELAYED_NS + SLACK_NS) {
		unclear = to_server;
		to_server = 0;
	}
	client = zero_if_negative_ns(reply - to_client);
	network = to_client + to_server;
	server = zero_if_negative_ns(wait - to_server - unclear - client);
	if (2 * network > rise)
		return VERDICT_NETWORK;
	if (2 * client > rise || (seen->zero_windows && 2 * server <= rise))
		return VERDICT_CLIENT;
	if (seen->retransmitted >= RETRANSMITTED_LEAST && 100 * seen->retransmitted >= RETRANSMITTED_PERCENT * seen->packets)
		return VERDICT_NETWORK;
	return 2 * server > rise ? VERDICT_SERVER : VERDICT_UNKNOWN;
}

struct verdict verdict_judge_and_learn(struct verdict_baseline *b, int64_t time_ns, const struct verdict_interval_readings *seen)
{
	bool waited = seen->part[PART_WAIT] >= 0;
	struct verdict v = { .word = VERDICT_IDLE, .rise_ns = -1 };
	int64_t usual, way, reply;

	if (b->intervals < VERDICT_FIRST) {
		b->intervals += waited;
		v.word = waited ? VERDICT_LEARNING : VERDICT_IDLE;
	} else {
		usual = zero_if_negative_ns(verdict_baseline_lowest_part_ns(b, PART_WAIT)) +
			zero_if_negative_ns(verdict_baseline_lowest_part_ns(b, PART_CLIENT_ACK));
		way = verdict_part_rise_over_baseline(b, seen, PART_CLIENT_ACK);
		reply = verdict_part_rise_over_baseline(b, seen, PART_REPLY);
		v.rise_ns = waited ? verdict_part_rise_over_baseline(b, seen, PART_WAIT) + (reply > way ? reply : way) : reply;
		if (v.rise_ns >= VERDICT_RISE_NS && (double)v.rise_ns >= VERDICT_RISE_SHARE * (double)usual)
			v.word = verdict_of_rise(b, seen, v.rise_ns);
		else if (waited)
			v.word = VERDICT_USUAL;
	}
	if (waited)	/* without user input only handshakes and the like were timed: no basis for what is usual */
		verdict_baseline_learn(b, time_ns, seen);
	return v;
}
