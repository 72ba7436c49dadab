// SPDX-License-Identifier: GPL-3.0-or-later
#include "capture.h"
#include "clock.h"
#include "files.h"
#include "memory.h"
#include "records.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <pcap/pcap.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* Not immediate mode, in which the kernel wakes us for every packet: a packet waits in the ring for up to CAPTURE_RING_MS. Its
 * time is the kernel's, so nothing is measured late. */
#define DUMP_BUFFER (256 * 1024) /* bytes of stdio's buffer for the file: its own 4 KB cost a third of the speed */
#define FILTER_MAX 4096		 /* instructions of a filter: BPF_MAXINSNS of Linux */
#define FLUSH_NS NS_PER_S	 /* a capture that is killed loses at most this much time of its file */

struct capture {
	pcap_t *pcap;
	struct record_reader *records; /* NULL: libpcap reads the file */
	FILE *stream;		       /* of `blocks`; else libpcap's */
	struct capture_format facts;
	bool live;
	pcap_dumper_t *dump;
	char *dump_buffer;
	int64_t dumped_ns; /* last flush of the file (CLOCK_MONOTONIC) */
	packet_fn *fn;
	void *context;
};

static const char *link_name(int type)
{
	static char number[24];
	const char *name = pcap_datalink_val_to_name(type);

	if (!name)
		snprintf(number, sizeof(number), "number %d", type);
	return name ? name : number;
}

/* tv_usec holds nanoseconds where the capture has them. */
static void convert_packet(struct packet *p, const struct pcap_pkthdr *h, const u_char *bytes, bool nanoseconds)
{
	int64_t s = h->ts.tv_sec;

	s = s < -PACKET_FAR_S ? -PACKET_FAR_S : s > PACKET_FAR_S ? PACKET_FAR_S : s;
	*p = (struct packet){ .time_ns = s * NS_PER_S + (nanoseconds ? h->ts.tv_usec : h->ts.tv_usec * NS_PER_US),
			      .bytes = bytes,
			      .captured = h->caplen,
			      .original = h->len };
}

static void take_live_packet(u_char *context, const struct pcap_pkthdr *h, const u_char *bytes)
{
	struct capture *c = (struct capture *)(void *)context;
	struct packet p;

	convert_packet(&p, h, bytes, c->facts.nanoseconds);
	if (c->fn(c->context, &p) && c->dump)
		pcap_dump((u_char *)c->dump, h, bytes);
}

int capture_deliver(struct capture *c, int most, packet_fn *fn, void *context)
{
	int n;

	c->fn = fn;
	c->context = context;
	n = pcap_dispatch(c->pcap, most, take_live_packet, (u_char *)c);
	if (c->dump && clock_now() - c->dumped_ns > FLUSH_NS) {
		pcap_dump_flush(c->dump); /* an error stays in the stream, and capture_close() returns it */
		c->dumped_ns = clock_now();
	}
	return n < 0 ? -1 : n;
}

int capture_next(struct capture *c, struct packet *p)
{
	struct pcap_pkthdr *h;
	const u_char *bytes;
	int n;

	if (c->records)
		return records_next(c->records, p);
	n = pcap_next_ex(c->pcap, &h, &bytes);
	if (n == 1)
		convert_packet(p, h, bytes, c->facts.nanoseconds);
	return n == 1 ? 1 : n == PCAP_ERROR ? -1 : 0;
}

/* --- live captures --- */

static void explain_error(struct why *why, const char *interface, int status, pcap_t *p)
{
	switch (status) {
	case PCAP_ERROR_NO_SUCH_DEVICE: why_say(why, "there is no interface %s; `ip link` lists the interfaces", interface); break;
	case PCAP_ERROR_PERM_DENIED:
	case PCAP_ERROR_PROMISC_PERM_DENIED:
		why_say(why, "not allowed to capture on %s; run as root, in a network namespace of your own, or with cap_net_raw",
			interface);
		break;
	case PCAP_ERROR_IFACE_NOT_UP: why_say(why, "interface %s is down; `ip link set %s up`", interface, interface); break;
	default: why_say(why, "cannot capture on %s: %s", interface, *pcap_geterr(p) ? pcap_geterr(p) : pcap_statustostr(status));
	}
}

/* Compiles the filter, applied also behind one and two VLAN tags. In filters "vlan" shifts everything after it, so it comes last;
 * cooked headers have no "vlan". There, and where the filter gets too long for the kernel, all tagged packets pass, and the meter
 * ignores those not selected. */
static int compile_filter(struct capture *c, const char *filter, struct bpf_program *out)
{
	bool cooked = c->facts.link->type == LINK_COOKED || c->facts.link->type == LINK_COOKED2;
	char text[3 * CAPTURE_FILTER + 64];
	int status;

	if (c->facts.link->type != LINK_ETHERNET && !cooked)
		return pcap_compile(c->pcap, out, filter, 1, PCAP_NETMASK_UNKNOWN);
	if (!cooked) {
		snprintf(text, sizeof(text), "(%s) or (vlan and ((%s) or (vlan and (%s))))", filter, filter, filter);
		status = pcap_compile(c->pcap, out, text, 1, PCAP_NETMASK_UNKNOWN);
		if (status || out->bf_len <= FILTER_MAX)
			return status;
		pcap_freecode(out);
	}
	snprintf(text, sizeof(text), "(%s) or %s", filter,
		 cooked ? "ether proto 0x8100 or ether proto 0x88a8 or ether proto 0x9100" : "vlan");
	return pcap_compile(c->pcap, out, text, 1, PCAP_NETMASK_UNKNOWN);
}

static int activate_capture(struct capture *c, const struct capture_cfg *cfg, struct why *why)
{
	char error[PCAP_ERRBUF_SIZE] = "";
	struct bpf_program filter;
	int status, link;
	bool ready;

	c->facts.nanoseconds = pcap_set_tstamp_precision(c->pcap, PCAP_TSTAMP_PRECISION_NANO) == 0;
	/* (a setting is refused of an active capture only) */
	ready = !pcap_set_snaplen(c->pcap, cfg->snaplen) && !pcap_set_timeout(c->pcap, CAPTURE_RING_MS) &&
		!pcap_set_buffer_size(c->pcap, (int)cfg->buffer_bytes) && !pcap_set_promisc(c->pcap, cfg->promiscuous);
	status = ready ? pcap_activate(c->pcap) : PCAP_ERROR_ACTIVATED;
	if (status < 0) {
		explain_error(why, cfg->interface, status, c->pcap);
		return -1;
	}
	/* In cooked captures, version 2 always has the kind of device; old kernels and libpcap have version 1 only. */
	link = pcap_datalink(c->pcap);
	if (link == DLT_LINUX_SLL && pcap_set_datalink(c->pcap, DLT_LINUX_SLL2) == 0)
		link = DLT_LINUX_SLL2;
	c->facts.link = find_link_layer(link);
	if (!c->facts.link)
		return why_fail(-1, why, "%s has link type %s; prototap knows " LINKS_KNOWN ": use -i any", cfg->interface,
				link_name(link));
	if (compile_filter(c, cfg->filter, &filter))
		return why_fail(-1, why, "cannot filter by port: %s", pcap_geterr(c->pcap));
	status = pcap_setfilter(c->pcap, &filter);
	pcap_freecode(&filter);
	if (status || pcap_setnonblock(c->pcap, 1, error))
		return why_fail(-1, why, "cannot capture on %s: %s", cfg->interface, status ? pcap_geterr(c->pcap) : error);
	return 0;
}

static int open_dump(struct capture *c, const char *path, struct why *why)
{
	FILE *f = files_create_private(path);

	c->dump_buffer = memory_new(1, DUMP_BUFFER);
	if (f)
		setvbuf(f, c->dump_buffer, _IOFBF, DUMP_BUFFER);
	c->dump = f ? pcap_dump_fopen(c->pcap, f) : NULL;
	if (c->dump) {
		pcap_dump_flush(c->dump);
		return 0;
	}
	why_say(why, "cannot write %s: %s", path, f ? pcap_geterr(c->pcap) : strerror(errno));
	if (f)
		fclose(f);
	return -1;
}

struct capture *capture_open_live(const struct capture_cfg *cfg, struct why *why)
{
	struct capture *c = memory_new(1, sizeof(*c));
	char error[PCAP_ERRBUF_SIZE] = "";

	c->live = true;
	c->pcap = pcap_create(cfg->interface, error);
	if (!c->pcap)
		why_say(why, "cannot capture on %s: %s", cfg->interface, error);
	else if (!activate_capture(c, cfg, why) && (!cfg->write_path || !open_dump(c, cfg->write_path, why)))
		return c;
	capture_close(c);
	return NULL;
}

void capture_wait(struct capture *c, int64_t timeout_ns)
{
	struct pollfd p = { .fd = pcap_get_selectable_fd(c->pcap), .events = POLLIN };
	struct timespec ts = clock_timespec(timeout_ns);

	if (timeout_ns > 0)
		ppoll(&p, 1, &ts, NULL);
}

void capture_read_drops(struct capture *c, struct capture_drops *out)
{
	struct pcap_stat stat;

	*out = (struct capture_drops){ .kernel = -1, .interface = -1 };
	if (c->records) {
		out->kernel = records_facts(c->records)->drops;
		out->untimed = records_facts(c->records)->untimed;
	} else if (c->live && !pcap_stats(c->pcap, &stat)) {
		out->kernel = stat.ps_drop;
		out->interface = stat.ps_ifdrop;
	}
}

void capture_list_offloads(const char *interface, char *text, size_t size)
{
	static const struct {
		const char *name;
		unsigned command, mask;
	} features[] = {
		{ "tso", ETHTOOL_GTSO, 1 },
		{ "gso", ETHTOOL_GGSO, 1 },
		{ "gro", ETHTOOL_GGRO, 1 },
		{ "lro", ETHTOOL_GFLAGS, ETH_FLAG_LRO },
	};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	size_t n = 0, known = 0;

	text[0] = '\0';
	for (size_t i = 0; fd >= 0 && i < sizeof(features) / sizeof(*features); i++) {
		struct ethtool_value value = { .cmd = features[i].command };
		struct ifreq request = { .ifr_data = (void *)&value };

		snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", interface);
		if (ioctl(fd, SIOCETHTOOL, &request)) {
			if (errno == EOPNOTSUPP)
				continue;
			known = n = 0; /* one that is not named would be off */
			break;
		}
		known++;
		if (value.data & features[i].mask && n < size)
			n += (size_t)snprintf(text + n, size - n, "%s%s", n ? " " : "", features[i].name);
	}
	if (fd >= 0)
		close(fd);
	if (!n)
		snprintf(text, size, known ? "none" : "unknown");
}

/* --- files --- */

struct capture *capture_open_file(FILE *stream, const char *path, struct why *why)
{
	struct capture *c = memory_new(1, sizeof(*c));
	char error[PCAP_ERRBUF_SIZE] = "";
	struct why damage;

	c->facts.nanoseconds = true; /* packet times are converted to nanoseconds */
	c->records = records_open(stream, &damage);
	if (c->records)
		c->facts.link = records_facts(c->records)->link;
	else if (!*damage.text)
		c->pcap = pcap_fopen_offline_with_tstamp_precision(stream, PCAP_TSTAMP_PRECISION_NANO, error);
	if (c->pcap)
		c->facts.link = find_link_layer(pcap_datalink(c->pcap));
	else
		c->stream = stream;
	if (c->facts.link && !capture_is_mixed(c, path, why))
		return c;
	if (!c->records && !c->pcap)
		why_say(why,
			"%.350s is not a readable capture: %s; give a pcap or pcapng file: tshark -r %.350s -F pcap -w one.pcap",
			path, *damage.text ? damage.text : error, path);
	else if (!capture_is_mixed(c, path, why) && !(c->records && records_explain_mixture(c->records, path, why)))
		why_say(why, "%s has link type %s; prototap reads " LINKS_KNOWN, path,
			link_name(c->pcap ? pcap_datalink(c->pcap) : (int)records_facts(c->records)->number));
	capture_close(c);
	return NULL;
}

bool capture_is_mixed(const struct capture *c, const char *path, struct why *why)
{
	if (!c->records || !records_facts(c->records)->mixed)
		return false;
	records_explain_mixture(c->records, path, why);
	return true;
}

const struct capture_format *capture_get_format(const struct capture *c)
{
	return &c->facts;
}

const char *capture_error(const struct capture *c)
{
	return c->records ? records_facts(c->records)->error.text : pcap_geterr(c->pcap);
}

int capture_close(struct capture *c)
{
	int err = 0;

	if (c->dump) {
		errno = 0;
		if (pcap_dump_flush(c->dump) || ferror(pcap_dump_file(c->dump)))
			err = errno ? -errno : -EIO;
		pcap_dump_close(c->dump);
	}
	free(c->dump_buffer);
	records_close(c->records);
	if (c->stream && c->stream != stdin)
		fclose(c->stream);
	if (c->pcap)
		pcap_close(c->pcap);
	free(c);
	return err;
}
