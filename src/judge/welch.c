// SPDX-License-Identifier: GPL-3.0-or-later
#include "welch.h"

#include <gsl/gsl_cdf.h>

double welch_quantile(double freedom, double p)
{
	return gsl_cdf_tdist_Pinv(p, freedom);
}

double welch_upper_p(double freedom, double t)
{
	return gsl_cdf_tdist_Q(t, freedom);
}

double welch_normal_quantile(double p)
{
	return gsl_cdf_ugaussian_Pinv(p);
}
