// SPDX-License-Identifier: GPL-3.0-or-later
/* records_fuzz - a file of any bytes through prototap's own reader and through libpcap: both must
 * tell the same packets and the same damage.
 *
 * Input: one byte that chooses how much is read ahead, then the file. */
#include "prototap/records.h"

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

static void compare(pcap_t *p, struct pcap_reader *r)
{
	struct packet packet;
	struct pcap_pkthdr *h;
	const u_char *bytes;
	int n, mine;

	do {
		n = pcap_next_ex(p, &h, &bytes);
		mine = pcap_reader_next(r, &packet);
		must(mine == (n == 1 ? 1 : n == PCAP_ERROR ? -1 : 0));
		if (mine != 1)
			break;
		must(packet.captured == h->caplen && packet.original == h->len && same_time(h, packet.time_ns));
		must(!memcmp(packet.bytes, bytes, h->caplen));
	} while (true);
	must(mine == 0 || *pcap_reader_error(r));
	must(pcap_reader_next(r, &packet) == mine);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char error[PCAP_ERRBUF_SIZE];
	int fd = size ? memfd_create("fuzz", 0) : -1;
	FILE *f =
		fd >= 0 && write(fd, data + 1, size - 1) == (ssize_t)size - 1 && !lseek(fd, 0, SEEK_SET) ? fdopen(fd, "rb") : NULL;
	pcap_t *p = f ? pcap_fopen_offline_with_tstamp_precision(f, PCAP_TSTAMP_PRECISION_NANO, error) : NULL;
	struct pcap_reader *r = NULL;

	if (p && find_link_layer(pcap_datalink(p)))
		r = pcap_reader_open(fd, 0, 1 + (size_t)data[0], (uint32_t)pcap_snapshot(p));
	if (r)
		compare(p, r);
	pcap_reader_close(r);
	if (p)
		pcap_close(p);
	else if (f)
		fclose(f);
	else if (fd >= 0)
		close(fd);
	return 0;
}
