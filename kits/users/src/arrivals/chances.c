// SPDX-License-Identifier: GPL-3.0-or-later
#include "chances.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_fft_real.h>
#include <gsl/gsl_randist.h>
#include <math.h>

double chances_normal_quantile(double p)
{
	return gsl_cdf_ugaussian_Pinv(p);
}

double chances_chi2_p(double value, double freedom)
{
	return fmin(1, 2 * fmin(gsl_cdf_chisq_P(value, freedom), gsl_cdf_chisq_Q(value, freedom)));
}

double chances_poisson_count_p(unsigned count, double mean)
{
	return gsl_ran_poisson_pdf(count, mean);
}

void chances_spectrum(double *value, size_t n)
{
	gsl_fft_real_radix2_transform(value, 1, n);
	/* GSL puts the real parts at the front, the imaginary parts at the back */
	value[0] *= value[0];
	for (size_t k = 1; k < n / 2; k++)
		value[k] = value[k] * value[k] + value[n - k] * value[n - k];
}
