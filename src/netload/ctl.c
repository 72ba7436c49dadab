// SPDX-License-Identifier: GPL-3.0-or-later
#include "ctl.h"
#include "cli.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define BEGIN "netload "
#define MAGIC 0x54504e4cU /* "TPNL" */

/* A key of a line, the member that holds its value, and the greatest value. */
struct line_key {
	const char *name;
	size_t at; /* offset of the member */
	int64_t most;
	bool flag; /* the member is a bool */
};
#define LOAD_KEY(k, most) \
	{ \
#k, offsetof(struct load_cfg, k), most, false \
	}
#define LOAD_FLAG(k) \
	{ \
#k, offsetof(struct load_cfg, k), 1, true \
	}
/* The limit keeps sums over all streams from overflowing, whatever the other end sends. */
#define LANE_KEY(k) \
	{ \
#k, offsetof(struct stream_counts, k), INT64_MAX / LOAD_STREAMS, false \
	}
#define SIDE_KEY(k) \
	{ \
#k, offsetof(struct load_counts, k), INT64_MAX, false \
	}

static const struct line_key load_keys[] = {
	LOAD_KEY(rate, LOAD_RATE_MOST),
	LOAD_KEY(time_ns, LOAD_TIME_MOST),
	LOAD_KEY(lanes, LOAD_STREAMS),
	LOAD_KEY(size, LOAD_SIZE_MOST),
	LOAD_KEY(seed, INT64_MAX),
	LOAD_KEY(burst_ns, NS_PER_S),
	LOAD_KEY(catch_up_ns, 10 * NS_PER_S),
	LOAD_FLAG(udp),
	LOAD_FLAG(both),
	LOAD_FLAG(payload_bits),
	LOAD_FLAG(random),
	{ NULL, 0, 0, false },
};
static const struct line_key lane_keys[] = {
	LANE_KEY(sent_frames), LANE_KEY(sent_payload), LANE_KEY(sent_wire), LANE_KEY(resent_frames), LANE_KEY(got_frames),
	LANE_KEY(got_payload), LANE_KEY(got_wire),     LANE_KEY(reordered), LANE_KEY(duplicate),     { NULL, 0, 0, false },
};
static const struct line_key side_keys[] = {
	SIDE_KEY(sent_ns),   SIDE_KEY(sent_low),	SIDE_KEY(sent_high),	  SIDE_KEY(sent_seconds),
	SIDE_KEY(got_ns),    SIDE_KEY(got_low),		SIDE_KEY(got_high),	  SIDE_KEY(got_seconds),
	SIDE_KEY(behind_ns), SIDE_KEY(given_up_frames), SIDE_KEY(refused_frames), SIDE_KEY(dropped_frames),
	SIDE_KEY(cpu_ns),    { NULL, 0, 0, false },
};

/* --- writing --------------------------------------------------------------------------------------------------- */

static int format_key_values(char *line, size_t size, const char *word, const struct line_key *keys, const void *from)
{
	int n = snprintf(line, size, BEGIN "%d %s", CTL_VERSION, word);

	for (const struct line_key *k = keys; n >= 0 && (size_t)n < size && k->name; k++) {
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

int ctl_format_load(char *line, size_t size, const struct load_cfg *load)
{
	return format_key_values(line, size, "load", load_keys, load);
}

int ctl_format_ok(char *line, size_t size, uint64_t key, const int *port, int ports)
{
	int n = snprintf(line, size, BEGIN "%d ok key=%016" PRIx64 " ports=", CTL_VERSION, key);

	for (int i = 0; n >= 0 && (size_t)n < size && i < ports; i++)
		n += snprintf(line + n, size - (size_t)n, i ? ",%d" : "%d", port[i]);
	return n < 0 || (size_t)n >= size ? -ENOBUFS : 0;
}

int ctl_format_stream(char *line, size_t size, int64_t lane, const struct stream_counts *c)
{
	char word[32];

	snprintf(word, sizeof(word), "lane %" PRId64, lane);
	return format_key_values(line, size, word, lane_keys, c);
}

int ctl_format_total(char *line, size_t size, const struct load_counts *s)
{
	return format_key_values(line, size, "total", side_keys, s);
}

/* --- reading --------------------------------------------------------------------------------------------------- */

/* The text behind "netload 1 WORD"; NULL: the line is another one, with *err. */
static const char *skip_command(const char *line, const char *word, int *err)
{
	size_t n = strlen(word);

	*err = -EPROTO;
	if (strlen(line) >= CTL_LINE_MAX || strncmp(line, BEGIN, sizeof(BEGIN) - 1) != 0)
		return NULL;
	line += sizeof(BEGIN) - 1;
	if (line[0] < '1' || line[0] > '9')
		return NULL;
	if (line[0] != '0' + CTL_VERSION || line[1] != ' ') {
		*err = -EPROTONOSUPPORT;
		return NULL;
	}
	line += 2;
	if (strncmp(line, word, n) != 0 || (line[n] && line[n] != ' '))
		return NULL;
	*err = 0;
	return line + n;
}

/* Reads a number that ends at a space, a comma or the line's end. */
static int parse_whole(const char **at, int64_t *out)
{
	size_t n = strcspn(*at, " ,");
	char text[24];

	if (!n || n >= sizeof(text))
		return -EPROTO;
	memcpy(text, *at, n);
	text[n] = '\0';
	*at += n;
	return cli_parse_int(text, out) ? -EPROTO : 0;
}

static int parse_key_values(const char *at, const struct line_key *keys, int64_t least, void *into)
{
	for (const struct line_key *k = keys; k->name; k++) {
		size_t n = strlen(k->name);
		int64_t v;

		if (at[0] != ' ' || strncmp(at + 1, k->name, n) != 0 || at[n + 1] != '=')
			return -EPROTO;
		at += n + 2;
		if (parse_whole(&at, &v))
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

int ctl_parse_load(const char *line, struct load_cfg *load)
{
	struct load_cfg l;
	int err;
	const char *at = skip_command(line, "load", &err);

	if (!err)
		err = parse_key_values(at, load_keys, 0, &l);
	if (!err && ((l.rate && l.rate < LOAD_RATE_LEAST) || l.lanes < 1 || (l.udp && l.size < CTL_MARK_BYTES) || l.size < 1))
		err = -ERANGE;
	if (!err)
		*load = l;
	return err;
}

static int parse_ports(const char *at, int *port, int ports)
{
	for (int i = 0; i < ports; i++) {
		int64_t v;

		if (parse_whole(&at, &v))
			return -EPROTO;
		if (v < 1 || v > 65535)
			return -ERANGE;
		port[i] = (int)v;
		if (*at++ != (i < ports - 1 ? ',' : '\0'))
			return -EPROTO;
	}
	return 0;
}

int ctl_parse_ok(const char *line, uint64_t *key, int *port, int ports)
{
	int err, read[LOAD_STREAMS], n = 0;
	const char *at = skip_command(line, "ok", &err);
	uint64_t k;

	if (err)
		return err;
	if (strlen(at) < 28 || strspn(at + 5, "0123456789abcdef") != 16 || sscanf(at, " key=%16" SCNx64 " ports=%n", &k, &n) != 1 ||
	    n != 28 || ports > LOAD_STREAMS)
		return -EPROTO;
	err = parse_ports(at + n, read, ports);
	if (err)
		return err;
	*key = k;
	memcpy(port, read, (size_t)ports * sizeof(*port));
	return 0;
}

int ctl_parse_go(const char *line)
{
	int err;
	const char *at = skip_command(line, "go", &err);

	return err ? err : *at ? -EPROTO : 0;
}

int ctl_parse_stream(const char *line, struct load_counts *s, int64_t lanes)
{
	struct stream_counts c;
	int64_t lane;
	int err;
	const char *at = skip_command(line, "lane", &err);

	if (err)
		return err;
	if (*at++ != ' ' || parse_whole(&at, &lane))
		return -EPROTO;
	if (lane < 0 || lane >= lanes)
		return -ERANGE;
	err = parse_key_values(at, lane_keys, 0, &c);
	if (!err)
		s->lane[lane] = c;
	return err;
}

int ctl_parse_total(const char *line, struct load_counts *s)
{
	struct load_counts read = *s;
	int err;
	const char *at = skip_command(line, "total", &err);

	if (!err)
		err = parse_key_values(at, side_keys, -1, &read);
	if (!err)
		*s = read;
	return err;
}

const char *ctl_refusal_text(const char *line, char *words, size_t size)
{
	int err;
	const char *at = skip_command(line, "no", &err);
	size_t n = 0;

	if (err || *at != ' ')
		return NULL;
	for (at++; *at && n + 1 < size; at++)
		words[n++] = (char)(*at >= ' ' && *at <= '~' ? *at : '?');
	words[n] = '\0';
	return words;
}

/* --- marks ----------------------------------------------------------------------------------------------------- */

/* On the wire, numbers have the highest byte first. */
struct stream_mark {
	uint32_t magic;
	uint16_t version, lane;
	uint64_t key, number, unused;
};
_Static_assert(sizeof(struct stream_mark) == CTL_MARK_BYTES, "a mark has no padding");

void ctl_format_mark(unsigned char *mark, uint64_t key, int64_t lane, uint64_t number)
{
	const struct stream_mark m = { htobe32(MAGIC), htobe16(CTL_VERSION), htobe16((uint16_t)lane),
				       htobe64(key),   htobe64(number),	     0 };

	memcpy(mark, &m, sizeof(m));
}

int64_t ctl_parse_mark(const unsigned char *mark, uint64_t key, int64_t lanes, uint64_t *number)
{
	struct stream_mark m;

	memcpy(&m, mark, sizeof(m));
	if (be32toh(m.magic) != MAGIC || be16toh(m.version) != CTL_VERSION || be64toh(m.key) != key || be16toh(m.lane) >= lanes)
		return -EPROTO;
	*number = be64toh(m.number);
	return be16toh(m.lane);
}
