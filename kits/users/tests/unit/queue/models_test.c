// SPDX-License-Identifier: GPL-3.0-or-later
/* models - closed networks against GNU Octave's queueing package and against a published table. */
#include "../../../../../tests/unit/unit.h"
#include "queue/models.h"

/* octave --eval 'pkg load queueing; format long; [U R Q X] = qncsmva(N, [.05 .04 .03], [1 1 1], [1 1 1], Z), sum(Q)' */
TEST(exact_is_what_octave_says)
{
	static const struct {
		double n, z, x, q, u;
	} of[] = {
		{ 1, 10, 0.0988142292490119, 0.0118577075098814, 0.00494071146245059 },
		{ 10, 1, 8.51691108020794, 1.48308891979206, 0.425845554010397 },
		{ 100, 10, 9.80039651990453, 1.99603480095466, 0.490019825995227 },
		{ 100, 5, 18.0062624988499, 9.96868750575028, 0.900313124942497 },
		{ 200, 10, 18.6408957733344, 13.591042266656, 0.93204478866672 },
		{ 400, 10, 20, 200, 1 },
		{ 400, 20, 19.0746131040038, 18.5077379199244, 0.953730655200189 },
		{ 600, 30, 19.2599044597197, 22.2028662084086, 0.962995222985986 },
		{ 1000, 50, 19.4400582451465, 27.9970877426759, 0.972002912257324 },
		{ 1000, 10, 20, 800, 1 },
	};

	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
		struct mva_network net = { .demand_s = { 0.05, 0.04, 0.03 }, .stations = 3 };
		struct mva_solution p;

		mva_solve(&net, MVA_EXACT, of[i].n, of[i].z, &p);
		assert_near(p.x, of[i].x, 1e-9 * of[i].x);
		assert_near(p.q, of[i].q, 1e-9 * of[i].q);
		assert_near(p.u[0], of[i].u, 1e-9 * of[i].u);
	}
}

/* Brady & Gunther 2003/2016, Table 1: to its last digit where the approximation ends as early as
 * theirs did, within 0.01 where it does not. */
TEST(table_1_is_schweitzers)
{
	static const struct {
		double n, z, nz, lambda, q, qz;
	} row[] = {
		{ 100, 10, 10.00, 9.80, 2.01, 0.20 },	  { 200, 10, 20.00, 18.46, 15.37, 1.54 },
		{ 400, 10, 40.00, 19.95, 200.52, 20.05 }, { 600, 10, 60.00, 19.98, 400.17, 40.02 },
		{ 800, 10, 80.00, 19.99, 600.09, 60.01 }, { 1000, 10, 100.00, 19.99, 800.05, 80.01 },
		{ 100, 5, 20.00, 17.80, 11.02, 2.20 },	  { 400, 20, 20.00, 18.93, 21.38, 1.07 },
		{ 600, 30, 20.00, 19.14, 25.95, 0.86 },	  { 800, 40, 20.00, 19.26, 29.78, 0.74 },
		{ 1000, 50, 20.00, 19.34, 33.15, 0.66 },
	};

	for (int strict = 0; strict < 2; strict++)
		for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
			struct mva_network net = { .demand_s = { 0.05, 0.04, 0.03 },
						   .stations = 3,
						   .tolerance = strict ? 1e-3 : 0 };
			double within = strict ? 0.005 + 1e-9 : 0.015;
			struct mva_solution p;

			mva_solve(&net, MVA_SCHWEITZER, row[i].n, row[i].z, &p);
			assert_near(p.x, row[i].lambda, within);
			assert_near(p.q, row[i].q, within);
			assert_near(p.q / row[i].z, row[i].qz, within);
			assert_near(row[i].n / row[i].z, row[i].nz, 0.005);
		}
}

TEST(laws_hold_and_bounds_are_not_passed)
{
	for (double n = 1; n < 400; n += 7)
		for (int method = MVA_EXACT; method <= MVA_SCHWEITZER; method++) {
			struct mva_network net = { .demand_s = { 0.05, 0.04, 0.03 }, .stations = 3, .delay_s = 0.02 };
			struct mva_bounds b;
			struct mva_solution p;
			double at = 0;

			mva_solve(&net, (enum mva_method)method, n, 8, &p);
			mva_compute_bounds(&net, &b);
			for (size_t k = 0; k < 3; k++)
				at += p.at[k];
			assert_near(p.q + p.x * 8, n, 1e-6);	 /* N = Q + lambda Z */
			assert_near(at + p.x * 0.02, p.q, 1e-6); /* those at a station, and those in the delay */
			assert_true(p.x <= mva_max_throughput(&b, n, 8) * (1 + 1e-9));
			assert_true(p.r_s >= mva_min_response(&b, n, 8) * (1 - 1e-9));
		}
}

TEST(one_user_never_waits_and_nobody_asks_nothing)
{
	struct mva_network net = { .demand_s = { 0.05, 0.04, 0.03 }, .stations = 3 };
	struct mva_solution p;

	for (int method = MVA_EXACT; method <= MVA_SCHWEITZER; method++) {
		mva_solve(&net, (enum mva_method)method, 1, 0.38, &p);
		assert_near(p.r_s, 0.12, 1e-12);
		assert_near(p.x, 2, 1e-12);
		mva_solve(&net, (enum mva_method)method, 0, 1, &p);
		assert_near(p.x, 0, 0);
		assert_near(p.q, 0, 0);
	}
}

/* --- one queue ------------------------------------------------------------------------------------------------- */

/* Erlang's own tables: B(10, 5) = 0.018385, and by hand B(2, 1) = (1/2) / (1 + 1 + 1/2). */
TEST(erlangs_formulas)
{
	assert_near(erlang_b(2, 1), 0.2, 1e-15);
	assert_near(erlang_b(10, 5), 0.018384570, 1e-9);
	assert_near(erlang_b(5, 0), 0, 0);
	assert_near(erlang_c(1, 0.7), 0.7, 1e-15); /* M/M/1: a request waits with probability rho */
	assert_near(erlang_c(2, 1), 1.0 / 3, 1e-15);
	assert_near(erlang_c(3, 3), 1, 0);
}

/* Sums over a birth and death process, cut where nothing is left. */
TEST(open_queues_are_birth_and_death)
{
	static const double servers[] = { 1, 2, 5 };

	for (size_t i = 0; i < 3; i++) {
		double m = servers[i], rate = 0.8 * m / 0.05, p = 1, sum = 0, q = 0, waits = 0;
		struct erlang_figures e;

		for (int k = 0; k < 3000; k++) {
			sum += p;
			q += k * p;
			waits += k >= m ? p : 0;
			p *= rate * 0.05 / fmin(k + 1, m);
		}
		erlang_open_queue(rate, 0.05, m, &e);
		assert_true(e.steady);
		assert_near(e.q, q / sum, 1e-9);
		assert_near(e.waits, waits / sum, 1e-9);
		assert_near(e.r_s, q / sum / rate, 1e-9);
		assert_near(e.u, 0.8, 1e-12);
	}
}

TEST(the_quantile_of_one_server_is_exponential)
{
	/* R of M/M/1 is exponential with mean S / (1 - rho) */
	assert_near(erlang_quantile(18, 0.05, 1, 0.95), 0.5 * log(20), 1e-9);
	assert_near(erlang_quantile(0.001, 0.05, 4, 0.5), 0.05 * log(2), 1e-6);
	assert_true(isinf(erlang_quantile(40, 0.05, 1, 0.5)));
}

TEST(too_much_is_no_steady_state)
{
	struct erlang_figures e;

	erlang_open_queue(30, 0.05, 1, &e);
	assert_false(e.steady);
	assert_near(e.x, 20, 1e-12);
	assert_true(isinf(e.r_s));
}

/* M/M/1/N/N is a closed network of one station. */
TEST(the_repairman_is_a_closed_network)
{
	for (int n = 1; n <= 60; n += 3) {
		struct mva_network net = { .demand_s = { 0.05 }, .stations = 1 };
		struct erlang_figures e;
		struct mva_solution p;

		erlang_closed_queue(n, 1.3, 0.05, &e);
		mva_solve(&net, MVA_EXACT, n, 1.3, &p);
		assert_near(e.x, p.x, 1e-9 * p.x);
		assert_near(e.r_s, p.r_s, 1e-9);
		assert_near(e.q + e.x * 1.3, n, 1e-9 * n);
	}
}
