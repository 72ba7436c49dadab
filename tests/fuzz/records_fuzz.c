// SPDX-License-Identifier: GPL-3.0-or-later
/* records_fuzz - a file of any bytes through prototap's reader; of pcap, libpcap must tell the same packets and the same damage.
 *
 * Input: one byte that is ignored, then the file. */
#include "wire/records.h"

#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool what)
{
	if (!what)
		abort();
}

/* libpcap takes a time after 2038 for one before 1970 in some files, and not in others; 32-bit numbers hold no damaged time. */
static bool same_time(const struct pcap_pkthdr *h, int64_t time_ns)
{
	return sizeof(h->ts.tv_usec) < sizeof(time_ns) || (uint32_t)h->ts.tv_sec > INT32_MAX || h->ts.tv_usec < 0 ||
	       h->ts.tv_usec / 1000 > INT32_MAX || time_ns == (int64_t)h->ts.tv_sec * 1000000000 + h->ts.tv_usec;
}

static void compare(pcap_t *p, struct record_reader *r)
{
	struct packet packet;
	struct pcap_pkthdr *h;
	const u_char *bytes;
	bool beyond = false; /* a first fraction over a second: nanoseconds to us, microseconds to libpcap, as the file says */
	int64_t packets = 0;
	int n, mine;

	do {
		n = pcap_next_ex(p, &h, &bytes);
		mine = records_next(r, &packet);
		if (n == 1 && mine < 0) { /* a later one is damage */
			must(beyond || h->ts.tv_usec < 0 || h->ts.tv_usec > 1000000000);
			break;
		}
		must(mine == (n == 1 ? 1 : n == PCAP_ERROR ? -1 : 0));
		if (mine != 1)
			break;
		beyond |= !packets++ && (h->ts.tv_usec < 0 || h->ts.tv_usec > 1000000000);
		must(packet.captured == h->caplen && packet.original == h->len && (beyond || same_time(h, packet.time_ns)));
		must(!memcmp(packet.bytes, bytes, h->caplen));
	} while (true);
	must(mine == 0 || *records_facts(r)->error.text);
	must(records_next(r, &packet) == mine);
}

static FILE *open_input(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", 0);

	must(fd >= 0 && write(fd, data, size) == (ssize_t)size && !lseek(fd, 0, SEEK_SET));
	return fdopen(fd, "rb");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char error[PCAP_ERRBUF_SIZE];
	FILE *f = size ? open_input(data + 1, size - 1) : NULL;
	struct record_reader *r;
	struct packet packet;
	struct why why;
	pcap_t *p;

	if (!f)
		return 0;
	r = records_open(f, &why);
	p = r && data[1] != 0x0a
		    ? pcap_fopen_offline_with_tstamp_precision(open_input(data + 1, size - 1), PCAP_TSTAMP_PRECISION_NANO, error)
		    : NULL;
	if (p)
		compare(p, r);
	while (r && records_next(r, &packet) > 0)
		must(packet.captured <= size);
	if (r && records_facts(r)->mixed)
		records_explain_mixture(r, "it", &why);
	records_close(r);
	fclose(f);
	if (p)
		pcap_close(p);
	return 0;
}
