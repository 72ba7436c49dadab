/* SPDX-License-Identifier: GPL-3.0-or-later */
/* welch - Student's t distribution, for any degrees of freedom. The only file of this room that includes GSL. */
#pragma once

double welch_quantile(double freedom, double p);
/* Two-sided p-value of t. */
double welch_p(double freedom, double t);
