#include "source.h"
#include "clock.h"
#include "drops.h"
#include "merge.h"

#include <errno.h>
#include <net/if.h>
#include <pcap/pcap.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* Not immediate mode: with it the kernel wakes us for every packet. Packets wait this long in the ring at most;
 * their times are the kernel's, so nothing is measured late. */
#define RING_TIMEOUT_MS 20
#define FILE_BUFFER (256 * 1024)	/* libpcap reads through stdio, whose 4 KB cost a third of the speed */
#define BATCH 4096		/* packets a call: under a flood there is always one more, and who calls has an end to keep */
#define FLUSH_NS NS_PER_S	/* killed, a capture loses no more than this of its file */

struct file {
	const char *path;
	FILE *stream;
	char *buffer;
	pcap_t *pcap;
	struct packet head;	/* when files are merged: the next one */
};

struct source {
	pcap_t *live;
	pcap_dumper_t *dump;
	char *dump_buffer;
	int64_t dumped_ns;	/* when the file last was brought up to date */
	struct file *file;
	int files;
	struct merge order;	/* of the files' heads, where there are several */
	int64_t drops;		/* that the files tell of; -1: they don't */
	int damaged;
	char damage[SOURCE_WHY];
	int link;		/* DLT_* */
	packet_fn *fn;
	void *context;
	bool nanoseconds;
};

static const struct { int dlt; enum link_type link; } links[] = {
	{ DLT_EN10MB, LINK_ETHERNET }, { DLT_LINUX_SLL, LINK_COOKED }, { DLT_LINUX_SLL2, LINK_COOKED2 },
};

static bool supported(int dlt)
{
	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++)
		if (links[i].dlt == dlt)
			return true;
	return false;
}

static const char *link_name(int dlt)
{
	const char *name = pcap_datalink_val_to_name(dlt);

	return name ? name : "unknown";
}

static int64_t time_of(const struct pcap_pkthdr *h)
{
	/* Nanoseconds were asked for: tv_usec holds them. */
	return (int64_t)h->ts.tv_sec * NS_PER_S + h->ts.tv_usec;
}

static void set_packet(struct packet *p, int64_t time_ns, const struct pcap_pkthdr *h, const u_char *bytes)
{
	p->time_ns = time_ns;
	p->bytes = bytes;
	p->captured = h->caplen;
	p->original = h->len;
}

/* Live */

static void take_live(u_char *context, const struct pcap_pkthdr *h, const u_char *bytes)
{
	struct source *s = (struct source *)(void *)context;
	int64_t fraction = s->nanoseconds ? h->ts.tv_usec : h->ts.tv_usec * NS_PER_US;
	struct packet p;

	set_packet(&p, (int64_t)h->ts.tv_sec * NS_PER_S + fraction, h, bytes);
	if (s->dump)
		pcap_dump((u_char *)s->dump, h, bytes);
	s->fn(s->context, &p);
}

static void explain(char *why, const char *interface, int status, pcap_t *p)
{
	switch (status) {
	case PCAP_ERROR_NO_SUCH_DEVICE:
		snprintf(why, SOURCE_WHY, "no interface %s here; `ip link` lists them", interface);
		break;
	case PCAP_ERROR_PERM_DENIED:
	case PCAP_ERROR_PROMISC_PERM_DENIED:
		snprintf(why, SOURCE_WHY, "not allowed to capture on %s; run as root, in a network namespace of your own, or with cap_net_raw",
			 interface);
		break;
	case PCAP_ERROR_IFACE_NOT_UP:
		snprintf(why, SOURCE_WHY, "interface %s is down; `ip link set %s up`", interface, interface);
		break;
	default:
		snprintf(why, SOURCE_WHY, "cannot capture on %s: %s", interface, *pcap_geterr(p) ? pcap_geterr(p) : pcap_statustostr(status));
	}
}

static int activate(struct source *s, const struct source_live_cfg *cfg, char *why)
{
	char error[PCAP_ERRBUF_SIZE] = "";
	struct bpf_program filter;
	int status;

	pcap_set_snaplen(s->live, cfg->snaplen);
	pcap_set_timeout(s->live, RING_TIMEOUT_MS);
	pcap_set_buffer_size(s->live, (int)cfg->buffer_bytes);
	pcap_set_tstamp_precision(s->live, PCAP_TSTAMP_PRECISION_NANO);
	status = pcap_activate(s->live);
	if (status < 0) {
		explain(why, cfg->interface, status, s->live);
		return -1;
	}
	/* Where the capture is cooked, v2 carries the device's kind in all cases. Older kernels and libpcap have v1 only. */
	if (pcap_datalink(s->live) == DLT_LINUX_SLL)
		pcap_set_datalink(s->live, DLT_LINUX_SLL2);
	s->link = pcap_datalink(s->live);
	if (!supported(s->link)) {
		snprintf(why, SOURCE_WHY, "%s has link type %s; prototap knows Ethernet and Linux cooked: use -i any", cfg->interface, link_name(s->link));
		return -1;
	}
	if (pcap_compile(s->live, &filter, cfg->filter, 1, PCAP_NETMASK_UNKNOWN)) {
		snprintf(why, SOURCE_WHY, "cannot filter by port: %s", pcap_geterr(s->live));
		return -1;
	}
	status = pcap_setfilter(s->live, &filter);
	pcap_freecode(&filter);
	if (status || pcap_setnonblock(s->live, 1, error)) {
		snprintf(why, SOURCE_WHY, "cannot capture on %s: %s", cfg->interface, status ? pcap_geterr(s->live) : error);
		return -1;
	}
	s->nanoseconds = pcap_get_tstamp_precision(s->live) == PCAP_TSTAMP_PRECISION_NANO;
	return 0;
}

struct source *source_live(const struct source_live_cfg *cfg, char *why)
{
	struct source *s = calloc(1, sizeof(*s));
	char error[PCAP_ERRBUF_SIZE] = "";

	if (!s) {
		snprintf(why, SOURCE_WHY, "out of memory");
		return NULL;
	}
	s->live = pcap_create(cfg->interface, error);
	if (!s->live) {
		snprintf(why, SOURCE_WHY, "cannot capture on %s: %s", cfg->interface, error);
		source_close(s);
		return NULL;
	}
	if (activate(s, cfg, why)) {
		source_close(s);
		return NULL;
	}
	if (cfg->write_path) {
		FILE *f = fopen(cfg->write_path, "we");

		s->dump_buffer = malloc(FILE_BUFFER);
		if (f && s->dump_buffer)
			setvbuf(f, s->dump_buffer, _IOFBF, FILE_BUFFER);
		s->dump = f ? pcap_dump_fopen(s->live, f) : NULL;
		if (!s->dump) {
			snprintf(why, SOURCE_WHY, "cannot write %s: %s", cfg->write_path, f ? pcap_geterr(s->live) : strerror(errno));
			if (f)
				fclose(f);
			source_close(s);
			return NULL;
		}
		pcap_dump_flush(s->dump);
	}
	return s;
}

void source_wait(struct source *s, int64_t timeout_ns)
{
	struct pollfd p = { .fd = pcap_get_selectable_fd(s->live), .events = POLLIN };
	struct timespec ts = { .tv_sec = timeout_ns / NS_PER_S, .tv_nsec = timeout_ns % NS_PER_S };

	if (timeout_ns > 0)
		ppoll(&p, 1, &ts, NULL);
}

int64_t source_latency_ns(const struct source *s)
{
	return s->live ? RING_TIMEOUT_MS * NS_PER_MS : 0;
}

void source_drops(struct source *s, struct source_drops *out)
{
	struct pcap_stat stat;

	*out = (struct source_drops){ s->drops, -1 };
	if (s->live && !pcap_stats(s->live, &stat)) {
		out->kernel = stat.ps_drop;
		out->interface = stat.ps_ifdrop;
	}
}

/* Files */

struct source *source_files(char *const *paths, int n, char *why)
{
	struct source *s = calloc(1, sizeof(*s));
	struct rlimit limit;

	if (!getrlimit(RLIMIT_NOFILE, &limit)) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	if (s)
		s->file = calloc((size_t)n, sizeof(*s->file));
	if (!s || !s->file || merge_init(&s->order, n)) {
		snprintf(why, SOURCE_WHY, "out of memory");
		goto bad;
	}
	for (int i = 0; i < n; i++) {
		struct file *f = &s->file[s->files++];

		f->path = paths[i];
		f->stream = strcmp(paths[i], "-") ? fopen(paths[i], "re") : stdin;
		if (!f->stream) {
			snprintf(why, SOURCE_WHY, "cannot open %s: %s", paths[i], strerror(errno));
			goto bad;
		}
		f->buffer = malloc(FILE_BUFFER);
		if (f->buffer)
			setvbuf(f->stream, f->buffer, _IOFBF, FILE_BUFFER);
	}
	return s;
bad:
	if (s)
		source_close(s);
	return NULL;
}

/* What libpcap found wrong behind the header: damage, after which the rest of the file is unreadable; or packets of another
 * link type, with which all figures on frames would be wrong. */
static int broken(struct source *s, struct file *f, char *why)
{
	const char *error = pcap_geterr(f->pcap);

	if (strstr(error, "different from the type of the first interface")) {
		snprintf(why, SOURCE_WHY, "%s holds interfaces of different link types, which cannot be told in one report; capture them one by one, or all as -i any", f->path);
		return -1;
	}
	if (!s->damaged++)
		snprintf(s->damage, sizeof(s->damage), "%.200s: %.250s", f->path, error);
	return 0;
}

/* 1: the file has a next packet, 0: not any more, -1 with `why`. */
static int advance(struct source *s, struct file *f, char *why)
{
	struct pcap_pkthdr *h;
	const u_char *bytes;
	int n = pcap_next_ex(f->pcap, &h, &bytes);

	if (n == 1) {
		set_packet(&f->head, time_of(h), h, bytes);
		return 1;
	}
	return n == PCAP_ERROR ? broken(s, f, why) : 0;
}

static int begin_file(struct source *s, struct file *f, char *why)
{
	int64_t drops = drops_recorded(fileno(f->stream));
	char error[PCAP_ERRBUF_SIZE] = "";

	if (drops >= 0)
		s->drops = (s->drops < 0 ? 0 : s->drops) + drops;
	f->pcap = pcap_fopen_offline_with_tstamp_precision(f->stream, PCAP_TSTAMP_PRECISION_NANO, error);
	if (!f->pcap) {
		snprintf(why, SOURCE_WHY, "%s is no capture that can be read: %s; pcap and pcapng are", f->path, error);
		return -1;
	}
	f->stream = NULL;	/* libpcap's now */
	if (!supported(pcap_datalink(f->pcap))) {
		snprintf(why, SOURCE_WHY, "%s has link type %s; prototap reads Ethernet and Linux cooked captures", f->path,
			 link_name(pcap_datalink(f->pcap)));
		return -1;
	}
	if (f == s->file)
		s->link = pcap_datalink(f->pcap);
	if (pcap_datalink(f->pcap) == s->link)
		return 0;
	snprintf(why, SOURCE_WHY, "%s has link type %s and %s %s; read them one by one", s->file->path, link_name(s->link), f->path,
		 link_name(pcap_datalink(f->pcap)));
	return -1;
}

int source_begin(struct source *s, char *why)
{
	s->drops = -1;
	for (int i = 0; i < s->files; i++)
		if (begin_file(s, &s->file[i], why))
			return -1;
	for (int i = 0; s->files > 1 && i < s->files; i++) {
		int n = advance(s, &s->file[i], why);

		if (n < 0)
			return -1;
		if (n)
			merge_add(&s->order, i, s->file[i].head.time_ns);
	}
	return 0;
}

static void take_file(u_char *context, const struct pcap_pkthdr *h, const u_char *bytes)
{
	struct source *s = (struct source *)(void *)context;
	struct packet p;

	set_packet(&p, time_of(h), h, bytes);
	s->fn(s->context, &p);
}

static int take_merged(struct source *s, char *why)
{
	int taken = 0;

	while (s->order.n && taken < BATCH) {
		struct file *f = &s->file[s->order.head[0].row];
		int n;

		s->fn(s->context, &f->head);
		taken++;
		n = advance(s, f, why);
		if (n < 0)
			return -1;
		if (n)
			merge_advance(&s->order, f->head.time_ns);
		else
			merge_end(&s->order);
	}
	return taken;
}

int source_take(struct source *s, packet_fn *fn, void *context, char *why)
{
	int n;

	s->fn = fn;
	s->context = context;
	if (s->live) {
		n = pcap_dispatch(s->live, BATCH, take_live, (u_char *)s);
		if (n < 0)
			snprintf(why, SOURCE_WHY, "%s", pcap_geterr(s->live));
		if (n > 0 && s->dump && clock_now() - s->dumped_ns > FLUSH_NS) {
			pcap_dump_flush(s->dump);	/* trouble stays in the stream: source_close() tells it */
			s->dumped_ns = clock_now();
		}
		return n < 0 ? -1 : n;
	}
	if (s->files > 1)
		return take_merged(s, why);
	if (s->damaged)
		return 0;
	n = pcap_dispatch(s->file->pcap, BATCH, take_file, (u_char *)s);
	return n == PCAP_ERROR ? broken(s, s->file, why) : n;
}

int source_damage(const struct source *s, const char **why)
{
	*why = s->damaged ? s->damage : NULL;
	return s->damaged;
}

enum link_type source_link(const struct source *s)
{
	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++)
		if (links[i].dlt == s->link)
			return links[i].link;
	return LINK_ETHERNET;
}

const char *source_link_name(const struct source *s)
{
	return link_name(s->link);
}

int source_snaplen(const struct source *s)
{
	int most = s->live ? pcap_snapshot(s->live) : 0;

	for (int i = 0; i < s->files; i++)
		if (pcap_snapshot(s->file[i].pcap) > most)
			most = pcap_snapshot(s->file[i].pcap);
	return most;
}

bool source_nanoseconds(const struct source *s)
{
	return s->nanoseconds;
}

int source_close(struct source *s)
{
	int err = 0;

	if (s->dump) {
		errno = 0;
		if (pcap_dump_flush(s->dump) || ferror(pcap_dump_file(s->dump)))
			err = errno ? -errno : -EIO;
		pcap_dump_close(s->dump);
	}
	free(s->dump_buffer);
	if (s->live)
		pcap_close(s->live);
	for (int i = 0; i < s->files; i++) {
		if (s->file[i].pcap)
			pcap_close(s->file[i].pcap);
		else if (s->file[i].stream && s->file[i].stream != stdin)
			fclose(s->file[i].stream);
		free(s->file[i].buffer);
	}
	free(s->file);
	merge_free(&s->order);
	free(s);
	return err;
}
