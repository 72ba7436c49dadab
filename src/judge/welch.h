/* SPDX-License-Identifier: GPL-3.0-or-later */
/* welch - distributions of GSL, for any degrees of freedom. The only file of this room that includes GSL. */
#pragma once

double welch_quantile(double freedom, double p);
/* Two-sided p-value of Student's t, and the upper one-sided one. */
double welch_p(double freedom, double t);
double welch_upper_p(double freedom, double t);
