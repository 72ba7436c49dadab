// SPDX-License-Identifier: GPL-3.0-or-later
/* report - what is said of a load whose server was not heard of. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "../said.h"
#include "netload/report.h"

static const char *said_of_load(bool udp)
{
	static struct load_session load;
	static const struct rt_settings_granted rt;
	struct rec_report *r = begin_said(REC_TEXT);

	load.load = (struct load_cfg){ .lanes = 1, .size = 1000, .both = true, .udp = udp };
	load.own = (struct load_counts){ .sent_ns = NS_PER_S, .got_ns = NS_PER_S, .sent_low = -1, .got_low = -1 };
	report_sent_load(r, &load, &(struct load_report_facts){ .to = "a:1", .stopped_by = "time", .rt = &rt });
	return end_said(r);
}

static void datagrams_are_not_sent_again(void **state)
{
	(void)state;
	assert_null(strstr(said_of_load(true), "retransmitted"));
	assert_non_null(strstr(said_of_load(false), "retransmitted"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(datagrams_are_not_sent_again),
	};

	return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
