// SPDX-License-Identifier: GPL-3.0-or-later
#include "ctl.h"
#include "dial.h"
#include "sock.h"

#include <endian.h>
#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#define MAGIC "TPNL"
#define SEND_NS (5 * NS_PER_S)
/* All members of these are int64_t. */
#define STREAM_NUMBERS (sizeof(struct stream_counts) / sizeof(int64_t))
#define TOTAL_NUMBERS ((sizeof(struct load_counts) - offsetof(struct load_counts, sent_ns)) / sizeof(int64_t))

/* What messages and marks begin with. */
struct ctl_head {
	char magic[4];
	uint16_t version, what; /* what: enum ctl_kind; in a mark the stream */
};

struct stream_mark {
	struct ctl_head head;
	uint64_t key, number, unused;
};
_Static_assert(sizeof(struct stream_mark) == CTL_MARK_BYTES, "a mark has no padding");

struct ctl_message {
	struct ctl_head head;
	uint64_t number[CTL_OK_NUMBERS]; /* of the longest */
};

static size_t count_numbers(enum ctl_kind kind)
{
	static const size_t numbers[] = {
		[CTL_LOAD] = CTL_LOAD_NUMBERS,
		[CTL_OK] = CTL_OK_NUMBERS,
		[CTL_STREAM] = STREAM_NUMBERS,
		[CTL_TOTAL] = TOTAL_NUMBERS,
		[CTL_NO] = CTL_REASON_BYTES / sizeof(int64_t),
	};

	return numbers[kind];
}

static struct ctl_head make_head(int64_t what)
{
	struct ctl_head head = { .version = htobe16(CTL_VERSION), .what = htobe16((uint16_t)what) };

	memcpy(head.magic, MAGIC, sizeof(head.magic));
	return head;
}

int ctl_send(int fd, enum ctl_kind kind, const void *numbers)
{
	struct ctl_message m = { .head = make_head(kind) };
	size_t n = count_numbers(kind), size = sizeof(m.head) + n * sizeof(*m.number), at = 0;
	int64_t until = clock_now() + SEND_NS;

	if (n)
		memcpy(m.number, numbers, n * sizeof(*m.number));
	for (size_t i = 0; kind != CTL_NO && i < n; i++)
		m.number[i] = htobe64(m.number[i]);
	while (at < size) {
		ssize_t sent = send(fd, (const char *)&m + at, size - at, MSG_NOSIGNAL);

		if (sent >= 0)
			at += (size_t)sent;
		else if (errno != EAGAIN && errno != EINTR)
			return -errno;
		else if (dial_wait(fd, POLLOUT, until, false) <= 0)
			return -ETIMEDOUT;
	}
	return 0;
}

/* Size in bytes of the message of which `n` bytes have come; 0: its head is not complete; -EPROTO: not such a message;
 * -EPROTONOSUPPORT: another version. */
static ssize_t parse_message_size(const struct ctl_message *m, size_t n, enum ctl_kind kind)
{
	size_t magic = sizeof(m->head.magic);
	enum ctl_kind what = be16toh(m->head.what);

	if (memcmp(m->head.magic, MAGIC, n < magic ? n : magic) != 0)
		return -EPROTO;
	if (n < sizeof(m->head))
		return 0;
	if (be16toh(m->head.version) != CTL_VERSION)
		return -EPROTONOSUPPORT;
	return what == kind || what == CTL_NO ? (ssize_t)(sizeof(m->head) + count_numbers(what) * sizeof(*m->number)) : -EPROTO;
}

static int receive_message(int fd, struct ctl_message *m, enum ctl_kind kind, int64_t until_ns, bool heeds_stop)
{
	ssize_t size = 0;
	size_t n = 0;

	while (!size || n < (size_t)size) {
		int ready = dial_wait(fd, POLLIN, until_ns, heeds_stop);
		ssize_t got;

		if (ready <= 0)
			return ready ? ready : -ETIMEDOUT;
		got = read(fd, (char *)m + n, (size ? (size_t)size : sizeof(m->head)) - n);
		if (!got)
			return -ECONNRESET;
		if (got < 0 && errno != EAGAIN && errno != EINTR)
			return -errno;
		n += got > 0 ? (size_t)got : 0;
		size = parse_message_size(m, n, kind);
		if (size < 0)
			return (int)size;
	}
	return 0;
}

int ctl_receive(int fd, enum ctl_kind kind, int64_t *numbers, int64_t until_ns, bool heeds_stop, char reason[CTL_REASON_BYTES])
{
	struct ctl_message m;
	int err = receive_message(fd, &m, kind, until_ns, heeds_stop);

	if (err)
		return err;
	if (be16toh(m.head.what) == kind) {
		for (size_t i = 0; i < count_numbers(kind); i++)
			numbers[i] = (int64_t)be64toh(m.number[i]);
		return 0;
	}
	if (reason) {
		memcpy(reason, m.number, CTL_REASON_BYTES);
		reason[CTL_REASON_BYTES - 1] = '\0';
		for (; *reason; reason++)
			*reason = (char)(*reason >= ' ' && *reason <= '~' ? *reason : '?');
	}
	return -ECONNREFUSED;
}

int ctl_send_load(int fd, const struct load_cfg *l)
{
	return ctl_send(fd, CTL_LOAD,
			(const int64_t[CTL_LOAD_NUMBERS]){ l->rate, l->time_ns, l->lanes, l->size, l->seed, l->burst_ns,
							   l->catch_up_ns, l->udp, l->both, l->payload_bits, l->random });
}

int ctl_receive_load(int fd, struct load_cfg *load, int64_t until_ns)
{
	static const int64_t most[CTL_LOAD_NUMBERS] = {
		LOAD_RATE_MOST, LOAD_TIME_MOST, LOAD_STREAMS, LOAD_SIZE_MOST, INT64_MAX, NS_PER_S, 10 * NS_PER_S, 1, 1, 1, 1
	};
	int64_t v[CTL_LOAD_NUMBERS];
	struct load_cfg l;
	int err = ctl_receive(fd, CTL_LOAD, v, until_ns, true, NULL);

	if (err)
		return err;
	for (size_t i = 0; i < CTL_LOAD_NUMBERS; i++)
		if (v[i] < 0 || v[i] > most[i])
			return -ERANGE;
	l = (struct load_cfg){ v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10] };
	if ((l.rate && l.rate < LOAD_RATE_LEAST) || l.lanes < 1 || l.size < (l.udp ? CTL_MARK_BYTES : 1))
		return -ERANGE;
	*load = l;
	return 0;
}

int ctl_send_counts(int fd, const struct load_counts *s, int64_t lanes)
{
	int err = 0;

	for (int64_t i = 0; !err && i < lanes; i++)
		err = ctl_send(fd, CTL_STREAM, &s->lane[i]);
	return err ? err : ctl_send(fd, CTL_TOTAL, &s->sent_ns);
}

int ctl_receive_counts(int fd, struct load_counts *s, int64_t lanes, int64_t until_ns, bool heeds_stop)
{
	struct load_counts c = { 0 };

	for (int64_t i = 0; i <= lanes; i++) {
		int64_t *v = i < lanes ? (int64_t *)&c.lane[i] : &c.sent_ns;
		int err = ctl_receive(fd, i < lanes ? CTL_STREAM : CTL_TOTAL, v, until_ns, heeds_stop, NULL);

		if (err)
			return err;
		/* The limits keep sums over all streams from overflowing, whatever the other end sends. */
		for (size_t k = 0; k < (i < lanes ? STREAM_NUMBERS : TOTAL_NUMBERS); k++)
			if (v[k] < (i < lanes ? 0 : -1) || v[k] > INT64_MAX / LOAD_STREAMS)
				return -ERANGE;
	}
	*s = c;
	return 0;
}

void ctl_format_mark(unsigned char *mark, uint64_t key, int64_t lane, uint64_t number)
{
	const struct stream_mark m = { make_head(lane), htobe64(key), htobe64(number), 0 };

	memcpy(mark, &m, sizeof(m));
}

int64_t ctl_parse_mark(const unsigned char *mark, uint64_t key, int64_t lanes, uint64_t *number)
{
	struct stream_mark m;

	memcpy(&m, mark, sizeof(m));
	if (memcmp(m.head.magic, MAGIC, sizeof(m.head.magic)) != 0 || be16toh(m.head.version) != CTL_VERSION ||
	    be64toh(m.key) != key || be16toh(m.head.what) >= lanes)
		return -EPROTO;
	*number = be64toh(m.number);
	return be16toh(m.head.what);
}
