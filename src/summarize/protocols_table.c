// SPDX-License-Identifier: GPL-3.0-or-later
/* Rows of the table, and arithmetic on what stands in them. */
#include "protocols.h"
#include "means.h"
#include "whole.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define VIP_SAVED_BYTES 20	/* of a packet without its IPv4 header */

#define CHANNEL(name) \
	name "_wire_bytes", name "_wire_bytes_low", name "_wire_bytes_high", name "_ip_bytes", name "_payload_bytes", name "_packets", name "_messages", name "_acks"

const char *const protocols_columns[] = {
	"protocol", "what", "state", "repeats", "failed", "marked", "different", "restless", "differs_percent", "seconds",
	CHANNEL("input"), CHANNEL("display"), CHANNEL("total"),
	"mean_message_ip_bytes", "mean_message_payload_bytes", "mean_packet_wire_bytes", "vip_saving_percent",
	"ethernet_percent", "ip_percent", "transport_percent", "tls_percent", NULL,
};

int protocols_row_begin(struct protocols_row *row, const char *protocol, const char *what, size_t repeats)
{
	*row = (struct protocols_row){ .protocol = protocol, .what = what, .differs_percent = NAN };
	row->sample = calloc(repeats, sizeof(*row->sample));
	row->other = calloc(repeats, sizeof(*row->other));
	return row->sample && row->other ? 0 : -ENOMEM;
}

void protocols_row_free(struct protocols_row *row)
{
	free(row->sample);
	free(row->other);
	*row = (struct protocols_row){ 0 };
}

void protocols_sample_add(struct protocols_sample *into, const struct protocols_sample *more)
{
	for (int c = 0; c < PROTOCOLS_CHANNELS; c++)
		for (int i = 0; i < PROTOCOLS_COUNTS; i++)
			into->count[c][i] += more->count[c][i];
	for (int i = 0; i < PROTOCOLS_HEADERS; i++)
		into->header[i] += more->header[i];
	into->seconds += more->seconds;
}

void protocols_sample_scale(struct protocols_sample *s, double by)
{
	for (int c = 0; c < PROTOCOLS_CHANNELS; c++)
		for (int i = 0; i < PROTOCOLS_COUNTS; i++)
			s->count[c][i] *= by;
	for (int i = 0; i < PROTOCOLS_HEADERS; i++)
		s->header[i] *= by;
	s->seconds *= by;
}

static double mean_of(const struct protocols_sample *s, size_t n, int channel, int count)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += s[i].count[channel][count];
	return n ? sum / (double)n : (double)NAN;
}

static double header_of(const struct protocols_sample *s, size_t n, int header)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += s[i].header[header];
	return n ? sum / (double)n : (double)NAN;
}

static double seconds_of(const struct protocols_sample *s, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += s[i].seconds;
	return n ? sum / (double)n : (double)NAN;
}

static void write_wire(struct rows *t, const struct protocols_sample *s, size_t n, int channel, int64_t seed)
{
	struct means m = { .v = calloc(n ? n : 1, sizeof(double)) };

	for (size_t i = 0; m.v && i < n; i++)
		means_add(&m, s[i].count[channel][PROTOCOLS_WIRE]);
	means_write(t, &m, 0, 2, seed);
	free(m.v);
}

static double share(double part, double of)
{
	return of > 0 ? 100 * part / of : (double)NAN;
}

static double quotient(double a, double b)
{
	return b > 0 ? a / b : (double)NAN;
}

static void write_figures(struct rows *t, const struct protocols_sample *s, size_t n, int64_t seed)
{
	double wire = mean_of(s, n, PROTOCOLS_TOTAL, PROTOCOLS_WIRE), ip = mean_of(s, n, PROTOCOLS_TOTAL, PROTOCOLS_IP);
	double packets = mean_of(s, n, PROTOCOLS_TOTAL, PROTOCOLS_PACKETS), messages = mean_of(s, n, PROTOCOLS_TOTAL, PROTOCOLS_MESSAGES);

	whole_number(t, seconds_of(s, n), 2);
	for (int c = 0; c < PROTOCOLS_CHANNELS; c++) {
		write_wire(t, s, n, c, seed);
		for (int i = PROTOCOLS_IP; i < PROTOCOLS_COUNTS; i++)
			whole_number(t, mean_of(s, n, c, i), 3);
	}
	whole_number(t, quotient(ip, messages), 2);
	whole_number(t, quotient(mean_of(s, n, PROTOCOLS_TOTAL, PROTOCOLS_PAYLOAD), messages), 2);
	whole_number(t, quotient(wire, packets), 2);
	whole_number(t, share(VIP_SAVED_BYTES * packets, ip), 2);
	for (int i = 0; i < PROTOCOLS_HEADERS; i++)
		whole_number(t, share(header_of(s, n, i), wire), 2);
}

void protocols_row_write(struct rows *t, const struct protocols_row *row, int64_t seed)
{
	bool same = row->n > 0, other = !same && row->others > 0;

	rows_str(t, row->protocol);
	rows_str(t, row->what);
	rows_str(t, same ? "complete" : other ? "different" : "failed");
	rows_int(t, (int64_t)(same ? row->n : row->others));
	rows_int(t, (int64_t)row->failed);
	rows_int(t, (int64_t)row->marked);
	rows_int(t, (int64_t)row->others);
	rows_int(t, (int64_t)row->restless);
	whole_number(t, row->differs_percent, 4);
	write_figures(t, same ? row->sample : row->other, same ? row->n : row->others, seed);
	rows_end(t);
}
