// SPDX-License-Identifier: GPL-3.0-or-later
/* demands - known demands come back from rows that a model made by hand, and least squares is what a pocket calculator says. */
#include "../../../../../tests/unit/unit.h"
#include "queue/demands.h"

static struct observed_row row[8];
static struct observed_rows o;
static struct service_demands d;
static const char *why;

/* So many rows of which nothing is known yet. */
static void begin(size_t rows, size_t resources)
{
	for (size_t i = 0; i < rows; i++) {
		row[i] = (struct observed_row){ .n = NAN, .z_s = NAN, .rate = NAN, .r_s = NAN, .mean_ms = NAN, .sd_ms = NAN };
		for (size_t k = 0; k < MVA_STATIONS; k++)
			row[i].u[k] = NAN;
	}
	o = (struct observed_rows){ .row = row, .rows = rows, .resources = resources, .resource = { "cpu" } };
	why = "";
}

static int estimate(struct demands_fit_cfg cfg)
{
	return demands_estimate(&o, &cfg, &d, &why);
}
#define ESTIMATED(...) assert_int_equal(estimate((struct demands_fit_cfg){ __VA_ARGS__ }), 0)
#define REFUSED(...) assert_true(estimate((struct demands_fit_cfg){ __VA_ARGS__ }) < 0)

/* U = D X through the origin, D = sum(U) / sum(X). X 10 20 30, U .11 .19 .31: D = .61 / 60;
 * residuals .00833 -.01333 .005, over 1 - X / sum(X) (5/6 4/6 3/6) .01 -.02 .01: t(2) = 4.302653 of
 * sqrt(.0006) / 60 each side. */
TEST(busy_times_are_a_line_through_the_origin)
{
	static const double x[] = { 10, 20, 30 }, u[] = { 0.11, 0.19, 0.31 };

	begin(3, 1);
	for (size_t i = 0; i < 3; i++) {
		row[i].rate = x[i];
		row[i].u[0] = u[i];
	}
	ESTIMATED(.stations = -1);
	assert_int_equal(d.net.stations, 1);
	assert_int_equal(d.response_rows, 0);
	assert_near(d.net.demand_s[0], 0.61 / 60, 1e-12);
	assert_near(d.high[0] - d.low[0], 2 * 4.302652730 * sqrt(6e-4) / 60, 1e-9);
	o.rows = 1; /* one row tells a demand and no interval */
	ESTIMATED(.stations = -1);
	assert_near(d.net.demand_s[0], 0.011, 1e-12);
	assert_true(isnan(d.low[0]) && isnan(d.high[0]));
}

/* One station and N users, by the recursion written out: R(n) = D (1 + Q(n - 1)). */
static double one_station(double n, double z, double demand, double delay)
{
	double q = 0, r = 0;

	for (double i = 1; i <= n; i++) {
		r = demand * (1 + q);
		q = i / (r + delay + z) * r;
	}
	return r + delay;
}

TEST(a_station_and_a_delay_come_back_from_response_times)
{
	static const double n[] = { 1, 5, 10, 20, 40, 60 };

	begin(6, 0);
	for (size_t i = 0; i < 6; i++) {
		row[i].n = n[i];
		row[i].z_s = 2;
		row[i].r_s = one_station(n[i], 2, 0.04, 0.025);
	}
	ESTIMATED(.stations = -1, .method = MVA_EXACT);
	assert_near(d.net.demand_s[0], 0.04, 1e-6);
	assert_near(d.net.delay_s, 0.025, 1e-6);
	assert_true(d.low[0] <= d.net.demand_s[0] && d.net.demand_s[0] <= d.high[0]);
	/* the first four alone foretell the fifth and the sixth, beyond the knee */
	ESTIMATED(.stations = -1, .method = MVA_EXACT, .first = 4);
	for (size_t i = 4; i < 6; i++) {
		struct mva_solution p;

		demands_predict(&d.net, MVA_EXACT, n[i], 2, NAN, &p);
		assert_near(p.r_s, row[i].r_s, 1e-3 * row[i].r_s);
	}
}

/* R = D0 + D / (1 - X D) of an open stream; no delay is found where there is none. */
TEST(an_open_stream_tells_too)
{
	for (int with = 0; with < 2; with++) {
		begin(5, 0);
		for (size_t i = 0; i < 5; i++) {
			row[i].rate = 10 + 15 * (double)i;
			row[i].r_s = 0.012 / (1 - row[i].rate * 0.012) + 0.05 * with;
		}
		ESTIMATED(.stations = -1);
		assert_near(d.net.demand_s[0], 0.012, 1e-6);
		assert_near(d.net.delay_s, 0.05 * with, 1e-6);
	}
}

static double noise(void)
{
	double sum = -6;

	for (int k = 0; k < 12; k++)
		sum += drand48();
	return sum;
}

/* Errors of 2 % at random: of 200 sets, the true demand lies in the 95 % interval of most. */
TEST(intervals_hold_what_they_say)
{
	int held = 0;

	srand48(7);
	for (int set = 0; set < 200; set++) {
		begin(8, 0);
		for (size_t i = 0; i < 8; i++) {
			row[i].n = 5 + 5 * (double)i;
			row[i].z_s = 1;
			row[i].r_s = one_station(row[i].n, 1, 0.03, 0) * exp(0.02 * noise());
		}
		ESTIMATED(.stations = -1, .no_delay = true);
		held += d.low[0] <= 0.03 && 0.03 <= d.high[0];
	}
	assert_in_range(held, 180, 199);
}

/* So it is where busy times are off by a share of themselves, as those of equally many requests are, and where all are off by as
 * much. */
TEST(intervals_of_busy_times_hold_too)
{
	srand48(8);
	for (int alike = 0; alike < 2; alike++) {
		int held = 0;

		for (int set = 0; set < 500; set++) {
			begin(8, 1);
			for (size_t i = 0; i < 8; i++) {
				row[i].rate = 3 + 3 * (double)i;
				row[i].u[0] = 0.04 * row[i].rate + noise() * (alike ? 0.01 : 0.0012 * row[i].rate);
			}
			ESTIMATED(.stations = -1);
			held += d.low[0] <= 0.04 && 0.04 <= d.high[0];
		}
		assert_in_range(held, 460, 493);
	}
}

TEST(what_the_rows_cannot_tell_is_refused)
{
	begin(2, 0);
	row[0].rate = 1;
	REFUSED(.stations = 3);
	assert_true(*why);
	row[0].r_s = row[1].r_s = 0.1;
	row[1].rate = 2;
	REFUSED(.stations = 3);
	assert_non_null(strstr(why, "--stations"));
	o.resources = 1; /* a busy time that is never there */
	REFUSED(.stations = 3);
	assert_non_null(strstr(why, "u_"));
}

/* Four times the same row: any shares of its 100 ms between two stations and a delay would do, so that none has an interval. */
TEST(demands_that_rows_do_not_tell_apart_have_no_interval)
{
	begin(4, 0);
	for (size_t i = 0; i < 4; i++) {
		row[i].n = row[i].z_s = 1;
		row[i].rate = 0.9;
		row[i].r_s = 0.1;
	}
	ESTIMATED(.stations = 2);
	for (size_t k = 0; k < d.net.stations; k++)
		assert_true(isnan(d.low[k]) && isnan(d.high[k]));
	assert_true(isnan(d.delay_low) && isnan(d.delay_high));
}
