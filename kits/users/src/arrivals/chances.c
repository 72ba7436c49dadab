// SPDX-License-Identifier: GPL-3.0-or-later
#include "chances.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_fft_real.h>
#include <gsl/gsl_randist.h>
#include <math.h>

double chances_normal_quantile(double p)
{
	gsl_set_error_handler_off();	/* without this, GSL aborts the program on errors */
	return gsl_cdf_ugaussian_Pinv(p);
}

double chances_chi2_two_sided_p(double value, double freedom)
{
	gsl_set_error_handler_off();
	return fmin(1, 2 * fmin(gsl_cdf_chisq_P(value, freedom), gsl_cdf_chisq_Q(value, freedom)));
}

double chances_poisson_probability(unsigned count, double mean)
{
	gsl_set_error_handler_off();
	return gsl_ran_poisson_pdf(count, mean);
}

int chances_compute_power_spectrum(double *value, size_t n)
{
	gsl_set_error_handler_off();
	if (n < 4 || gsl_fft_real_radix2_transform(value, 1, n))
		return -EINVAL;
	/* GSL puts the real parts at the front, the imaginary parts at the back */
	value[0] *= value[0];
	for (size_t k = 1; k < n / 2; k++)
		value[k] = value[k] * value[k] + value[n - k] * value[n - k];
	return 0;
}
