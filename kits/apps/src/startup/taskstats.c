// SPDX-License-Identifier: GPL-3.0-or-later
#include "taskstats.h"
#include "account.h"
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define ATTRIBUTE ALIGNED(sizeof(struct nlattr))
#define ALIGNED(n) (((size_t)(n) + 3) & ~(size_t)3)

struct netlink_message {
	struct nlmsghdr head;
	struct genlmsghdr generic;
	char rest[4096];
};

static int ask_kernel(struct taskstats_link *l, unsigned short family, uint8_t command, uint16_t attribute, const void *value,
		      size_t size, struct netlink_message *answer)
{
	struct netlink_message m = { .head = { .nlmsg_len = NLMSG_LENGTH(GENL_HDRLEN),
					       .nlmsg_type = family,
					       .nlmsg_flags = NLM_F_REQUEST,
					       .nlmsg_seq = ++l->asked },
				     .generic = { .cmd = command, .version = 1 } };
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	struct nlattr *a = (struct nlattr *)(void *)m.rest;
	const struct nlmsgerr *wrong;
	ssize_t n;

	a->nla_type = attribute;
	a->nla_len = (uint16_t)(ATTRIBUTE + size);
	memcpy(m.rest + ATTRIBUTE, value, size);
	m.head.nlmsg_len += (uint32_t)ALIGNED(a->nla_len);
	if (sendto(l->fd, &m, m.head.nlmsg_len, 0, (struct sockaddr *)&kernel, sizeof(kernel)) < 0)
		return -errno;
	/* skip late answers to earlier requests */
	do
		n = recv(l->fd, answer, sizeof(*answer), 0);
	while (n < 0 ? errno == EINTR : NLMSG_OK(&answer->head, (size_t)n) && answer->head.nlmsg_seq != l->asked);
	if (n < 0)
		return -errno;
	if (!NLMSG_OK(&answer->head, (size_t)n))
		return -EPROTO;
	if (answer->head.nlmsg_type == NLMSG_ERROR) {
		wrong = NLMSG_DATA(&answer->head);
		return wrong->error ? wrong->error : -EPROTO;
	}
	return 0;
}

/* Finds an attribute in `n` bytes of attributes; NULL: not there. */
static const struct nlattr *find_attribute(const char *at, size_t n, uint16_t type)
{
	while (n >= ATTRIBUTE) {
		const struct nlattr *a = (const struct nlattr *)(const void *)at;
		size_t step = ALIGNED(a->nla_len);

		if (a->nla_len < ATTRIBUTE || a->nla_len > n)
			return NULL;
		if ((a->nla_type & NLA_TYPE_MASK) == type)
			return a;
		if (step >= n)
			return NULL;
		at += step;
		n -= step;
	}
	return NULL;
}

static const struct nlattr *message_attribute(const struct netlink_message *m, uint16_t type)
{
	size_t n = m->head.nlmsg_len - NLMSG_LENGTH(GENL_HDRLEN);

	return find_attribute(m->rest, n > sizeof(m->rest) ? sizeof(m->rest) : n, type);
}

static int find_taskstats_family(struct taskstats_link *l)
{
	struct netlink_message m;
	const struct nlattr *a;
	int err = ask_kernel(l, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME, TASKSTATS_GENL_NAME,
			     sizeof(TASKSTATS_GENL_NAME), &m);

	if (err)
		return err;
	a = message_attribute(&m, CTRL_ATTR_FAMILY_ID);
	if (!a)
		return -ENOENT;
	memcpy(&l->family, (const char *)a + ATTRIBUTE, sizeof(l->family));
	return 0;
}

int taskstats_open(struct taskstats_link *l)
{
	struct timeval patience = { .tv_sec = 2 };
	struct delay_reading unused;
	int err;

	l->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	if (l->fd < 0)
		return -errno;
	setsockopt(l->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	err = find_taskstats_family(l);
	if (!err)
		err = taskstats_read(l, getpid(), &unused);
	/* older kernels have no such switch and always count */
	if (!err && !account_read_number("/proc/sys/kernel", "task_delayacct", NULL))
		err = -ENODATA;
	if (err)
		taskstats_close(l);
	return err;
}

void taskstats_close(struct taskstats_link *l)
{
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
}

static int read_delays(struct taskstats_link *l, uint16_t ask_for, uint16_t answer, pid_t pid, struct delay_reading *out)
{
	const struct nlattr *outer, *inner;
	uint32_t id = (uint32_t)pid;
	struct taskstats s = { 0 };
	struct netlink_message m;
	size_t n;
	int err = ask_kernel(l, l->family, TASKSTATS_CMD_GET, ask_for, &id, sizeof(id), &m);

	if (err)
		return err;
	outer = message_attribute(&m, answer);
	if (!outer)
		return -EPROTO;
	inner = find_attribute((const char *)outer + ATTRIBUTE, (size_t)outer->nla_len - ATTRIBUTE, TASKSTATS_TYPE_STATS);
	if (!inner)
		return -EPROTO;
	/* newer kernels append members to the structure */
	n = (size_t)inner->nla_len - ATTRIBUTE;
	memcpy(&s, (const char *)inner + ATTRIBUTE, n < sizeof(s) ? n : sizeof(s));
	out->ns[DELAY_BLKIO] = s.blkio_delay_total;
	out->ns[DELAY_SWAPIN] = s.swapin_delay_total;
	out->ns[DELAY_THRASHING] = s.thrashing_delay_total;
	out->ns[DELAY_FREEPAGES] = s.freepages_delay_total;
	return 0;
}

int taskstats_read(struct taskstats_link *l, pid_t pid, struct delay_reading *out)
{
	return read_delays(l, TASKSTATS_CMD_ATTR_TGID, TASKSTATS_TYPE_AGGR_TGID, pid, out);
}

int taskstats_sum_threads(struct taskstats_link *l, pid_t pid, int64_t elapsed_ns, struct delay_reading *out)
{
	struct delay_reading one;
	char path[64];
	pid_t *tid = NULL;
	size_t n = 0;
	int err;

	*out = (struct delay_reading){ { 0 } };
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	err = files_list_numeric_names(path, &tid, &n);
	for (size_t i = 0; i < n; i++) {
		if (read_delays(l, TASKSTATS_CMD_ATTR_PID, TASKSTATS_TYPE_AGGR_PID, tid[i], &one))
			continue;
		for (int k = 0; k < DELAY_KINDS; k++)
			if (delays_plausible(one.ns[k], elapsed_ns, 1))
				out->ns[k] += one.ns[k];
	}
	free(tid);
	return err;
}
