// SPDX-License-Identifier: GPL-3.0-or-later
#include "talk.h"
#include "cli.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define BEGIN "netload "
#define MAGIC 0x54504e4cU	/* "TPNL" */

/* A key of a line: where its value lives, and what it may be. */
struct talk_key {
	const char *name;
	size_t at;
	int64_t most;
	bool flag;
};
#define LOAD_KEY(k, most) { #k, offsetof(struct load, k), most, false }
#define LOAD_FLAG(k) { #k, offsetof(struct load, k), 1, true }
/* The sum over all streams is to be a number, too: whoever is at the other end. */
#define LANE_KEY(k) { #k, offsetof(struct lane_count, k), INT64_MAX / LOAD_LANES, false }
#define SIDE_KEY(k) { #k, offsetof(struct side, k), INT64_MAX, false }

static const struct talk_key load_keys[] = {
	LOAD_KEY(rate, LOAD_RATE_MOST), LOAD_KEY(time_ns, LOAD_TIME_MOST), LOAD_KEY(lanes, LOAD_LANES), LOAD_KEY(size, LOAD_SIZE_MOST),
	LOAD_KEY(seed, INT64_MAX), LOAD_KEY(burst_ns, NS_PER_S), LOAD_KEY(catch_up_ns, 10 * NS_PER_S), LOAD_FLAG(udp), LOAD_FLAG(both),
	LOAD_FLAG(payload_bits), LOAD_FLAG(random), { NULL, 0, 0, false },
};
static const struct talk_key lane_keys[] = {
	LANE_KEY(sent_frames), LANE_KEY(sent_payload), LANE_KEY(sent_wire), LANE_KEY(resent_frames),
	LANE_KEY(got_frames), LANE_KEY(got_payload), LANE_KEY(got_wire), LANE_KEY(reordered), LANE_KEY(duplicate), { NULL, 0, 0, false },
};
static const struct talk_key side_keys[] = {
	SIDE_KEY(sent_ns), SIDE_KEY(sent_low), SIDE_KEY(sent_high), SIDE_KEY(sent_seconds),
	SIDE_KEY(got_ns), SIDE_KEY(got_low), SIDE_KEY(got_high), SIDE_KEY(got_seconds),
	SIDE_KEY(behind_ns), SIDE_KEY(given_up_frames), SIDE_KEY(refused_frames),
	SIDE_KEY(dropped_frames), SIDE_KEY(cpu_ns), { NULL, 0, 0, false },
};

/* --- writing --------------------------------------------------------------------------------------------------- */

static int write_keys(char *line, size_t size, const char *word, const struct talk_key *keys, const void *from)
{
	int n = snprintf(line, size, BEGIN "%d %s", TALK_VERSION, word);

	for (const struct talk_key *k = keys; n >= 0 && (size_t)n < size && k->name; k++) {
		const char *p = (const char *)from + k->at;
		int64_t v;

		if (k->flag)
			v = *(const bool *)p;
		else
			memcpy(&v, p, sizeof(v));
		n += snprintf(line + n, size - (size_t)n, " %s=%" PRId64, k->name, v);
	}
	return n < 0 || (size_t)n >= size ? -ENOBUFS : 0;
}

int talk_write_load(char *line, size_t size, const struct load *load)
{
	return write_keys(line, size, "load", load_keys, load);
}

int talk_write_ok(char *line, size_t size, uint64_t key, const int *port, int ports)
{
	int n = snprintf(line, size, BEGIN "%d ok key=%016" PRIx64 " ports=", TALK_VERSION, key);

	for (int i = 0; n >= 0 && (size_t)n < size && i < ports; i++)
		n += snprintf(line + n, size - (size_t)n, i ? ",%d" : "%d", port[i]);
	return n < 0 || (size_t)n >= size ? -ENOBUFS : 0;
}

int talk_write_lane(char *line, size_t size, int64_t lane, const struct lane_count *c)
{
	char word[32];

	snprintf(word, sizeof(word), "lane %" PRId64, lane);
	return write_keys(line, size, word, lane_keys, c);
}

int talk_write_total(char *line, size_t size, const struct side *s)
{
	return write_keys(line, size, "total", side_keys, s);
}

/* --- reading --------------------------------------------------------------------------------------------------- */

/* Behind "netload 1 WORD", or NULL with *err. */
static const char *after(const char *line, const char *word, int *err)
{
	size_t n = strlen(word);

	*err = -EPROTO;
	if (strlen(line) >= TALK_LINE || strncmp(line, BEGIN, sizeof(BEGIN) - 1) != 0)
		return NULL;
	line += sizeof(BEGIN) - 1;
	if (line[0] < '1' || line[0] > '9')
		return NULL;
	if (line[0] != '0' + TALK_VERSION || line[1] != ' ') {
		*err = -EPROTONOSUPPORT;
		return NULL;
	}
	line += 2;
	if (strncmp(line, word, n) != 0 || (line[n] && line[n] != ' '))
		return NULL;
	*err = 0;
	return line + n;
}

/* The text up to a space or the end, as a number. */
static int read_number(const char **at, int64_t *out)
{
	size_t n = strcspn(*at, " ");
	char text[24];

	if (!n || n >= sizeof(text))
		return -EPROTO;
	memcpy(text, *at, n);
	text[n] = '\0';
	*at += n;
	return cli_read_int(text, out) ? -EPROTO : 0;
}

static int read_talk_keys(const char *at, const struct talk_key *keys, int64_t least, void *into)
{
	for (const struct talk_key *k = keys; k->name; k++) {
		size_t n = strlen(k->name);
		int64_t v;

		if (at[0] != ' ' || strncmp(at + 1, k->name, n) != 0 || at[n + 1] != '=')
			return -EPROTO;
		at += n + 2;
		if (read_number(&at, &v))
			return -EPROTO;
		if (v < least || v > k->most)
			return -ERANGE;
		if (k->flag)
			*(bool *)((char *)into + k->at) = v != 0;
		else
			memcpy((char *)into + k->at, &v, sizeof(v));
	}
	return *at ? -EPROTO : 0;
}

int talk_read_load(const char *line, struct load *load)
{
	struct load l;
	int err;
	const char *at = after(line, "load", &err);

	if (!err)
		err = read_talk_keys(at, load_keys, 0, &l);
	if (!err && ((l.rate && l.rate < LOAD_RATE_LEAST) || l.lanes < 1 || (l.udp && l.size < TALK_MARK) || l.size < 1))
		err = -ERANGE;
	if (!err)
		*load = l;
	return err;
}

static int read_talk_ports(const char *at, int *port, int ports)
{
	for (int i = 0; i < ports; i++) {
		size_t n = strspn(at, "0123456789");
		int64_t v;
		char text[8];

		if (!n || n >= sizeof(text))
			return -EPROTO;
		memcpy(text, at, n);
		text[n] = '\0';
		if (cli_read_int(text, &v) || v < 1 || v > 65535)
			return -ERANGE;
		port[i] = (int)v;
		at += n;
		if (*at++ != (i < ports - 1 ? ',' : '\0'))
			return -EPROTO;
	}
	return 0;
}

int talk_read_ok(const char *line, uint64_t *key, int *port, int ports)
{
	int err, read[LOAD_LANES], n = 0;
	const char *at = after(line, "ok", &err);
	uint64_t k;

	if (err)
		return err;
	if (strlen(at) < 28 || strspn(at + 5, "0123456789abcdef") != 16 || sscanf(at, " key=%16" SCNx64 " ports=%n", &k, &n) != 1 ||
	    n != 28 || ports > LOAD_LANES)
		return -EPROTO;
	err = read_talk_ports(at + n, read, ports);
	if (err)
		return err;
	*key = k;
	memcpy(port, read, (size_t)ports * sizeof(*port));
	return 0;
}

int talk_read_go(const char *line)
{
	int err;
	const char *at = after(line, "go", &err);

	return err ? err : *at ? -EPROTO : 0;
}

int talk_read_lane(const char *line, struct side *s, int64_t lanes)
{
	struct lane_count c;
	int64_t lane;
	int err;
	const char *at = after(line, "lane", &err);

	if (err)
		return err;
	if (*at++ != ' ' || read_number(&at, &lane))
		return -EPROTO;
	if (lane < 0 || lane >= lanes)
		return -ERANGE;
	err = read_talk_keys(at, lane_keys, 0, &c);
	if (!err)
		s->lane[lane] = c;
	return err;
}

int talk_read_total(const char *line, struct side *s)
{
	struct side read = *s;
	int err;
	const char *at = after(line, "total", &err);

	if (!err)
		err = read_talk_keys(at, side_keys, -1, &read);
	if (!err)
		*s = read;
	return err;
}

const char *talk_read_no(const char *line, char *words, size_t size)
{
	int err;
	const char *at = after(line, "no", &err);
	size_t n = 0;

	if (err || *at != ' ')
		return NULL;
	for (at++; *at && n + 1 < size; at++)
		words[n++] = (char)(*at >= ' ' && *at <= '~' ? *at : '?');
	words[n] = '\0';
	return words;
}

/* --- marks ----------------------------------------------------------------------------------------------------- */

static void put_number(unsigned char *to, uint64_t v, int bytes)
{
	for (int i = bytes - 1; i >= 0; i--, v >>= 8)
		to[i] = (unsigned char)v;
}

static uint64_t take_number(const unsigned char *from, int bytes)
{
	uint64_t v = 0;

	for (int i = 0; i < bytes; i++)
		v = v << 8 | from[i];
	return v;
}

void talk_write_mark(unsigned char *mark, uint64_t key, int64_t lane, uint64_t number)
{
	memset(mark, 0, TALK_MARK);
	put_number(mark, MAGIC, 4);
	put_number(mark + 4, TALK_VERSION, 2);
	put_number(mark + 6, (uint64_t)lane, 2);
	put_number(mark + 8, key, 8);
	put_number(mark + 16, number, 8);
}

int64_t talk_read_mark(const unsigned char *mark, uint64_t key, int64_t lanes, uint64_t *number)
{
	uint64_t lane = take_number(mark + 6, 2);

	if (take_number(mark, 4) != MAGIC || take_number(mark + 4, 2) != TALK_VERSION || take_number(mark + 8, 8) != key ||
	    lane >= (uint64_t)lanes)
		return -EPROTO;
	*number = take_number(mark + 16, 8);
	return (int64_t)lane;
}
