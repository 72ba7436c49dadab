// SPDX-License-Identifier: GPL-3.0-or-later
#include "usual.h"
#include "random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_US 1000
#define CLOSED_LEAST 24 /* a slot with fewer values goes on */
#define PAIRS_MOST 400	/* successive values are counted over about so many */
#define PAIRS_FIRST 4	/* as if so many had been seen of a correlation of 0.5 */

static int compare_values(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static uint32_t pick_quantile(const uint32_t *ascending, uint32_t n, double quantile)
{
	uint32_t rank = (uint32_t)ceil(quantile * n);

	return ascending[rank ? rank - 1 : 0];
}

/* A uniform choice of all values (reservoir sampling, Vitter 1985, R). */
static void slot_add(struct usual_slot *s, uint32_t us, uint64_t *random)
{
	uint64_t at = s->kept;

	s->seen++;
	s->longest_us = us > s->longest_us ? us : s->longest_us;
	if (s->kept == USUAL_VALUES)
		at = random_bits(random) % s->seen;
	else
		s->kept++;
	if (at < USUAL_VALUES)
		s->value_us[at] = us;
}

static uint32_t slot_median(const struct usual_slot *s)
{
	return pick_quantile(s->value_us, s->kept, 0.5);
}

void usual_add_value(struct usual *u, int64_t ns)
{
	int64_t us = ns < 0 ? 0 : ns / NS_PER_US;

	us = us > UINT32_MAX ? UINT32_MAX : us;
	slot_add(&u->now, (uint32_t)us, &u->random);
	u->latest[u->latest_n++ % USUAL_LATEST] = (struct usual_latest){ .us = (uint32_t)us, .interval = u->intervals };
	if (u->usual_n >= USUAL_LEAST) {
		int64_t median = pick_quantile(u->usual_us, u->usual_n, 0.5);
		int side = (us > median) - (us < median);

		u->now_pairs++;
		u->now_alike += 0.5 + 0.5 * side * u->side; /* at the median, a value is on both sides */
		u->side = side;
	}
}

/* --- what is usual --- */

static void choose_usual_slots(struct usual *u)
{
	struct usual_slot *filled = &u->slot[u->current];
	bool taken[USUAL_SLOTS], last = u->usual_n >= USUAL_LEAST, plain = false;

	qsort(filled->value_us, filled->kept, sizeof(*filled->value_us), compare_values);
	for (int i = 0; i < USUAL_SLOTS; i++) {
		plain |= u->slot[i].kept && !u->slot[i].raised;
		last |= u->slot[i].kept && u->active_ns + USUAL_SLOT_NS - u->slot[i].end_ns >= USUAL_LASTS_NS;
	}
	u->usual_n = u->longest_us = 0;
	for (int i = 0; i < USUAL_SLOTS; i++) {
		struct usual_slot *s = &u->slot[i];

		/* where all slots are raised, their values become usual: at once if there were others before, else in time */
		s->raised &= plain || !last;
		taken[i] = s->raised || !s->kept;
		if (taken[i])
			continue;
		u->longest_us = s->longest_us > u->longest_us ? s->longest_us : u->longest_us;
	}
	while (u->usual_n < USUAL_ENOUGH) {
		int least = -1;

		for (int i = 0; i < USUAL_SLOTS; i++)
			if (!taken[i] && (least < 0 || slot_median(&u->slot[i]) < slot_median(&u->slot[least])))
				least = i;
		if (least < 0)
			break;
		taken[least] = true;
		memcpy(u->usual_us + u->usual_n, u->slot[least].value_us, u->slot[least].kept * sizeof(*u->usual_us));
		u->usual_n += u->slot[least].kept;
	}
	qsort(u->usual_us, u->usual_n, sizeof(*u->usual_us), compare_values);
}

/* Goes on with what was usual before, where that has grown too far in a day. */
static void update_usual(struct usual *u)
{
	uint32_t before_us[USUAL_ENOUGH + USUAL_VALUES], n = u->usual_n, longest_us = u->longest_us, median;

	memcpy(before_us, u->usual_us, n * sizeof(*before_us));
	choose_usual_slots(u);
	if (!u->bounded || u->usual_n < USUAL_LEAST)
		return;
	median = pick_quantile(u->usual_us, u->usual_n, 0.5);
	if (u->lowest_us && median > USUAL_GROWN_TIMES * u->lowest_us && median > u->lowest_us + USUAL_GROWN_NS / NS_PER_US) {
		memcpy(u->usual_us, before_us, n * sizeof(*before_us));
		u->usual_n = n;
		u->longest_us = longest_us;
	} else if (u->usual_n >= USUAL_ENOUGH &&
		   (!u->lowest_us || median <= u->lowest_us || u->age_ns - u->lowest_ns >= USUAL_DAY_NS)) {
		u->lowest_us = median ? median : 1;
		u->lowest_ns = u->age_ns;
	}
}

int64_t usual_quantile_ns(const struct usual *u, double quantile)
{
	return u->usual_n < USUAL_LEAST ? -1 : (int64_t)pick_quantile(u->usual_us, u->usual_n, quantile) * NS_PER_US;
}

int64_t usual_longest_ns(const struct usual *u)
{
	return u->usual_n < USUAL_LEAST ? -1 : (int64_t)u->longest_us * NS_PER_US;
}

/* --- what has risen --- */

/* Probability that at least `least` of `k` values are above a limit that each is above with probability `p`. */
static double binomial_tail(uint32_t k, uint32_t least, double p)
{
	double sum = 0, term;

	for (uint32_t i = least; i <= k; i++) {
		term = lgamma(k + 1.0) - lgamma(i + 1.0) - lgamma(k - i + 1.0);
		sum += exp(term) * pow(p, i) * pow(1 - p, k - i);
	}
	return sum;
}

/* Of two normal values with correlation r, the share on one side of the median is 1/2 + asin(r) / pi; of so many values of a series
 * with such neighbours (AR(1)), the mean scatters as that of the number returned. */
static uint32_t count_independent(const struct usual *u, uint32_t k)
{
	double share = (u->alike + PAIRS_FIRST * 2.0 / 3) / (u->pairs + PAIRS_FIRST), r = sin(M_PI * (fmin(share, 1) - 0.5));

	return r <= 0 ? k : (uint32_t)fmax(1, round(k * (1 - r) / (1 + r)));
}

/* `counts`: so many independent values they count as. */
static int64_t find_rise(const struct usual *b, uint32_t *value_us, uint32_t k, uint32_t counts, double quantile, bool *sure)
{
	uint32_t rank = (uint32_t)ceil(quantile * k), at, above = 0, usual;

	*sure = false;
	if (!k || b->usual_n < USUAL_LEAST)
		return 0;
	qsort(value_us, k, sizeof(*value_us), compare_values);
	at = value_us[rank ? rank - 1 : 0];
	usual = pick_quantile(b->usual_us, b->usual_n, quantile);
	if (at <= usual)
		return 0;
	for (uint32_t i = b->usual_n; i && b->usual_us[i - 1] >= at; i--)
		above++;
	rank = (uint32_t)ceil(quantile * counts);
	*sure = binomial_tail(counts, counts - (rank ? rank : 1) + 1, (above + 1.0) / (b->usual_n + 1.0)) < USUAL_CHANCE;
	return (int64_t)(at - usual) * NS_PER_US;
}

/* Whether nearly all of these values are farther above the usual ones than these are apart. */
static bool are_far_above(const struct usual *b, const uint32_t *ascending, uint32_t n)
{
	return b->usual_n >= USUAL_LEAST && (uint64_t)ascending[n / 8] + b->usual_us[0] > 2 * (uint64_t)b->usual_us[b->usual_n - 1];
}

struct usual_rise usual_find_rise(const struct usual *u, const struct usual *usual, double quantile)
{
	uint32_t now_us[USUAL_VALUES + 1], value_us[USUAL_LATEST], values[USUAL_LATEST], n = 0, kept = u->now.kept;
	const struct usual_latest *latest = &u->latest[(u->latest_n - 1) % USUAL_LATEST];
	struct usual_rise rise = { 0 };
	bool sure;

	memcpy(now_us, u->now.value_us, kept * sizeof(*now_us));
	if (!kept && u->lasts && u->latest_n && latest->interval + USUAL_INTERVALS > u->intervals)
		now_us[kept++] = latest->us;
	rise.seen_ns = find_rise(usual, now_us, kept, count_independent(u, kept), quantile, &sure);
	rise.sure_ns = sure ? rise.seen_ns : 0;
	for (uint32_t window = 4; !sure && rise.seen_ns && window <= USUAL_LATEST && window <= u->latest_n;
	     window = window < 12 ? window + 4 : 2 * window) {
		int64_t ns;

		for (; n < window; n++) {
			latest = &u->latest[(u->latest_n - 1 - n) % USUAL_LATEST];
			if (latest->interval + USUAL_INTERVALS <= u->intervals)
				return rise;
			value_us[n] = latest->us;
		}
		memcpy(values, value_us, window * sizeof(*values));
		ns = find_rise(usual, values, window, count_independent(u, window), quantile, &sure);
		ns = ns < rise.seen_ns ? ns : rise.seen_ns;
		sure |= u == usual && are_far_above(usual, values, window);
		if (sure)
			rise.sure_ns = ns;
	}
	return rise;
}

int64_t usual_find_low_rise(const struct usual *u)
{
	uint32_t value_us[USUAL_FEW];
	bool sure;
	int64_t ns, latest_ns;

	for (uint64_t n = 0; n < USUAL_FEW; n++) {
		const struct usual_latest *latest = &u->latest[(u->latest_n - 1 - n) % USUAL_LATEST];

		if (n >= u->latest_n || latest->interval + USUAL_FEW_INTERVALS <= u->intervals)
			return 0;
		value_us[n] = latest->us;
	}
	latest_ns = (int64_t)value_us[0] * NS_PER_US - usual_quantile_ns(u, 0.25);
	ns = find_rise(u, value_us, USUAL_FEW, count_independent(u, USUAL_FEW), 0.25, &sure);
	return sure && 2 * latest_ns >= ns ? ns : 0; /* the latest one, too: else it is over */
}

/* Whether surely more of the latest values than of the usual ones are above it. */
static bool has_tail_risen(const struct usual *u, int64_t limit_ns)
{
	uint32_t k = 0, over = 0, usual = 0, counts;

	for (; k < USUAL_LATEST && k < u->latest_n; k++) {
		const struct usual_latest *latest = &u->latest[(u->latest_n - 1 - k) % USUAL_LATEST];

		if (latest->interval + USUAL_FEW_INTERVALS <= u->intervals)
			break;
		over += (int64_t)latest->us * NS_PER_US > limit_ns;
	}
	for (uint32_t i = u->usual_n; i && (int64_t)u->usual_us[i - 1] * NS_PER_US > limit_ns; i--)
		usual++;
	counts = count_independent(u, k);
	return k && binomial_tail(counts, over * counts / k, (usual + 1.0) / (u->usual_n + 1.0)) < USUAL_CHANCE;
}

int64_t usual_late_limit(const struct usual *u)
{
	double least = (double)usual_quantile_ns(u, 0.02) / 2; /* a part is constant, as the way is */
	double median = (double)usual_quantile_ns(u, 0.5) - least, upper = (double)usual_quantile_ns(u, 0.75) - least;
	int64_t late, rare;

	if (median + least < 0)
		return -1;
	late = (int64_t)(least + median) + USUAL_LATE_NS;
	rare = (int64_t)(least + fmin(median * pow(upper / fmax(median, 1), USUAL_LATE_POWER), 1e18));
	return rare <= late || has_tail_risen(u, late) ? late : rare;
}

/* --- learning --- */

static void begin_slot(struct usual *u, bool raised)
{
	struct usual_slot *s = &u->slot[u->current];

	if (s->kept >= USUAL_LEAST) {
		u->current = (u->current + 1) % USUAL_SLOTS;
		s = &u->slot[u->current];
	}
	*s = (struct usual_slot){ .raised = raised, .end_ns = u->active_ns + USUAL_SLOT_NS };
}

void usual_end_interval(struct usual *u, int64_t length_ns, bool learn, bool raised)
{
	struct usual_slot *s = &u->slot[u->current];
	int64_t late_ns = u->bounded ? usual_late_limit(u) : -1;

	u->intervals++;
	u->age_ns += length_ns;
	if (learn && !raised) { /* a rise makes values alike */
		double forget = fmin(1, PAIRS_MOST / (u->pairs + u->now_pairs));

		u->pairs = forget * (u->pairs + u->now_pairs);
		u->alike = forget * (u->alike + u->now_alike);
	}
	u->now_pairs = u->now_alike = 0;
	if (!learn || !u->now.kept) {
		u->now = (struct usual_slot){ 0 };
		return;
	}
	if (!s->end_ns || s->raised != raised || (u->active_ns >= s->end_ns && s->kept >= CLOSED_LEAST))
		begin_slot(u, raised);
	s = &u->slot[u->current];
	for (uint32_t i = 0; i < u->now.kept; i++)
		if (late_ns < 0 || (int64_t)u->now.value_us[i] * NS_PER_US <= late_ns)
			slot_add(s, u->now.value_us[i], &u->random);
	s->seen += u->now.seen - u->now.kept;
	u->now = (struct usual_slot){ 0 };
	u->active_ns += length_ns;
	for (int i = 0; i < USUAL_SLOTS; i++)
		if (i != u->current && u->slot[i].kept && u->active_ns - u->slot[i].end_ns >= USUAL_LASTS_NS)
			u->slot[i] = (struct usual_slot){ 0 };
	update_usual(u);
}
