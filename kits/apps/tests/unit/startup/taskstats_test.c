// SPDX-License-Identifier: GPL-3.0-or-later
/* taskstats: answers are taken for their own question. */
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <sys/socket.h>
#include <unistd.h>

#include "startup/taskstats.h"
#include "../../../../../tests/unit/unit.h"

/* A question whose answer nobody has waited for. */
TEST(the_answer_to_an_earlier_question_is_thrown_away)
{
	struct taskstats_link link;
	struct delay_reading reading;
	struct {
		struct nlmsghdr head;
		struct genlmsghdr generic;
		struct nlattr name;
		char text[8];
	} early = { { sizeof(early), GENL_ID_CTRL, NLM_F_REQUEST, 99999, 0 },
		    { CTRL_CMD_GETFAMILY, 1, 0 },
		    { sizeof(early.name) + sizeof("nlctrl"), CTRL_ATTR_FAMILY_NAME },
		    "nlctrl" };
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };

	if (taskstats_open(&link))
		skip(); /* takes root, and a kernel that counts */
	assert_int_equal(taskstats_read(&link, getpid(), &reading), 0);
	assert_int_equal(sendto(link.fd, &early, sizeof(early), 0, (struct sockaddr *)&kernel, sizeof(kernel)), sizeof(early));
	assert_int_equal(taskstats_read(&link, getpid(), &reading), 0);
	assert_int_equal(taskstats_read(&link, getpid(), &reading), 0);
	assert_true(taskstats_read(&link, 0x3ffffff, &reading) < 0);
	assert_int_equal(taskstats_read(&link, getpid(), &reading), 0);
	taskstats_close(&link);
	assert_int_equal(link.fd, -1);
}
