/* SPDX-License-Identifier: GPL-3.0-or-later */
/* welch - distributions of GSL, for any degrees of freedom. The only file of this room that includes GSL. */
#pragma once

double welch_quantile(double freedom, double p);
double welch_normal_quantile(double p);
/* Probability that Student's t is above `t`. */
double welch_upper_p(double freedom, double t);
