// SPDX-License-Identifier: GPL-3.0-or-later
#include "load_session.h"
#include "sock.h"

#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <string.h>

#define BACKLOG_LEAST 16384 /* least limit of unsent bytes in the kernel */
#define ETHERNET 1500	    /* bytes of the largest IP packet */

static void read_tcp_info(int fd, struct tcp_info *info)
{
	socklen_t size = sizeof(*info);

	memset(info, 0, sizeof(*info));
	getsockopt(fd, IPPROTO_TCP, TCP_INFO, info, &size);
}

static bool socket_is_ipv6(int fd)
{
	struct sock_address here;

	if (sock_peer_address(fd, &here) || here.addr.ss_family != AF_INET6)
		return false;
	return !IN6_IS_ADDR_V4MAPPED(&((struct sockaddr_in6 *)&here.addr)->sin6_addr);
}

void load_stream_init(struct load_stream *l, int fd, bool udp, int64_t batch_bytes)
{
	socklen_t size = sizeof(l->congestion);
	struct tcp_info info;
	int backlog;

	*l = (struct load_stream){ .fd = fd, .udp = udp };
	if (udp) {
		/* No IP fragments, which would be counted wrong: a datagram that is too large is an error. */
		setsockopt(fd, IPPROTO_IP, IP_MTU_DISCOVER, &(int){ IP_PMTUDISC_DO }, sizeof(int));
		setsockopt(fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, &(int){ IPV6_PMTUDISC_DO }, sizeof(int));
		sock_set_buffer(fd, SO_RCVBUF, SO_RCVBUFFORCE);
		sock_set_buffer(fd, SO_SNDBUF, SO_SNDBUFFORCE);
		l->header = load_header_bytes(true, socket_is_ipv6(fd), false);
		return;
	}
	/* Unsent data stays in this process instead of in a kernel queue that no real link has. */
	backlog = (int)(batch_bytes > BACKLOG_LEAST / 2 ? 2 * batch_bytes : BACKLOG_LEAST);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));
	setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &backlog, sizeof(backlog));
	getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, l->congestion, &size);
	read_tcp_info(fd, &info);
	l->header = load_header_bytes(false, socket_is_ipv6(fd), info.tcpi_options & TCPI_OPT_TIMESTAMPS);
	l->mss = info.tcpi_snd_mss ? info.tcpi_snd_mss : 1448;
	l->base_bytes = (int64_t)info.tcpi_bytes_sent;
	l->seen_out = info.tcpi_data_segs_out;
	l->seen_resent = info.tcpi_total_retrans;
}

int64_t load_stream_frame_header(const struct load_stream *l, int64_t size)
{
	return l->mss ? l->header * ((size + l->mss - 1) / l->mss) : l->header;
}

int64_t load_stream_advance(uint32_t *seen, uint32_t now)
{
	uint32_t more = now - *seen;

	*seen = now;
	return more;
}

void load_stream_count_tx(struct load_stream *l)
{
	struct stream_counts *c = &l->count;
	struct tcp_info info;

	if (l->udp) {
		c->sent_wire = c->sent_payload + c->sent_frames * l->header;
		return;
	}
	read_tcp_info(l->fd, &info);
	if (!info.tcpi_snd_mss)
		return;
	c->sent_frames += load_stream_advance(&l->seen_out, info.tcpi_data_segs_out);
	c->resent_frames += load_stream_advance(&l->seen_resent, info.tcpi_total_retrans);
	c->sent_payload = (int64_t)(info.tcpi_bytes_sent - info.tcpi_bytes_retrans) - l->base_bytes;
	c->sent_wire = (int64_t)info.tcpi_bytes_sent - l->base_bytes + c->sent_frames * l->header;
}

void load_stream_count_rx(struct load_stream *l)
{
	struct stream_counts *c = &l->count;
	struct tcp_info info;

	if (l->udp) {
		c->reordered = l->arrive.reordered;
		c->duplicate = l->arrive.duplicate;
	} else {
		read_tcp_info(l->fd, &info);
		if (info.tcpi_snd_mss)
			l->segments_in += load_stream_advance(&l->seen_in, info.tcpi_data_segs_in);
		/* The frame of the mark that opened the stream is not counted. */
		c->got_frames = l->segments_in - (l->takes_mark && l->segments_in);
	}
	c->got_wire = c->got_payload + c->got_frames * l->header;
}

int64_t load_stream_max_payload(int fd, const struct load_cfg *load, int64_t *header)
{
	bool udp = load->udp;
	struct tcp_info info;
	bool six = socket_is_ipv6(fd);
	int mtu = 0;
	socklen_t size = sizeof(mtu);
	int64_t most = 1448 - (six ? 20 : 0);

	read_tcp_info(fd, &info);
	*header = load_header_bytes(udp, six, info.tcpi_options & TCPI_OPT_TIMESTAMPS);
	if (udp) {
		getsockopt(fd, six ? IPPROTO_IPV6 : IPPROTO_IP, six ? IPV6_MTU : IP_MTU, &mtu, &size);
		most = (mtu > 0 && mtu < ETHERNET ? mtu : ETHERNET) - *header + 14;
	} else if (info.tcpi_snd_mss && info.tcpi_snd_mss < most) {
		most = info.tcpi_snd_mss;
	} else if (!load->random && load_burst_bytes(load) >= info.tcpi_snd_mss) {
		most = info.tcpi_snd_mss < LOAD_SIZE_MOST ? info.tcpi_snd_mss : LOAD_SIZE_MOST;
	} else if (!(info.tcpi_options & TCPI_OPT_TIMESTAMPS)) {
		most += 12;
	}
	return most;
}

int64_t load_stream_dropped(const struct load_stream *l)
{
	uint32_t info[SK_MEMINFO_VARS];
	socklen_t size = sizeof(info);

	return l->udp && !getsockopt(l->fd, SOL_SOCKET, SO_MEMINFO, info, &size) ? info[SK_MEMINFO_DROPS] : 0;
}
