// SPDX-License-Identifier: GPL-3.0-or-later
#include "lane.h"
#include "door.h"

#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#define BACKLOG_LEAST 16384
#define ETHERNET 1500

static void info_of(int fd, struct tcp_info *info)
{
	socklen_t size = sizeof(*info);

	memset(info, 0, sizeof(*info));
	getsockopt(fd, IPPROTO_TCP, TCP_INFO, info, &size);
}

static bool is_ipv6(int fd)
{
	struct door_place here;

	if (door_there(fd, &here) || here.addr.ss_family != AF_INET6)
		return false;
	return !IN6_IS_ADDR_V4MAPPED(&((struct sockaddr_in6 *)&here.addr)->sin6_addr);
}

void lane_begin(struct lane *l, int fd, bool udp, int64_t batch_bytes)
{
	struct tcp_info info;
	int backlog;

	*l = (struct lane){ .fd = fd, .udp = udp };
	if (udp) {
		/* a frame that came in pieces would be counted wrong: rather an error */
		setsockopt(fd, IPPROTO_IP, IP_MTU_DISCOVER, &(int){ IP_PMTUDISC_DO }, sizeof(int));
		setsockopt(fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, &(int){ IPV6_PMTUDISC_DO }, sizeof(int));
		door_set_buffer(fd, SO_RCVBUF, SO_RCVBUFFORCE);
		door_set_buffer(fd, SO_SNDBUF, SO_SNDBUFFORCE);
		l->header = frame_header(true, is_ipv6(fd), false);
		return;
	}
	/* What is not sent yet stays here, and is not a queue in the kernel that no link has. */
	backlog = (int)(batch_bytes > BACKLOG_LEAST / 2 ? 2 * batch_bytes : BACKLOG_LEAST);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));
	setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &backlog, sizeof(backlog));
	info_of(fd, &info);
	l->header = frame_header(false, is_ipv6(fd), info.tcpi_options & TCPI_OPT_TIMESTAMPS);
	l->mss = info.tcpi_snd_mss ? info.tcpi_snd_mss : 1448;
	l->base_bytes = (int64_t)info.tcpi_bytes_sent;
	l->base_frames = info.tcpi_data_segs_out;
	l->base_resent = info.tcpi_total_retrans;
}

void lane_read_sent(struct lane *l)
{
	struct lane_count *c = &l->count;
	struct tcp_info info;

	if (l->udp) {
		c->sent_wire = c->sent_payload + c->sent_frames * l->header;
		return;
	}
	info_of(l->fd, &info);
	if (!info.tcpi_snd_mss)
		return;
	/* 32 bits of frames: 6 TB */
	c->sent_frames = (int64_t)(uint32_t)(info.tcpi_data_segs_out - (uint32_t)l->base_frames);
	c->resent_frames = info.tcpi_total_retrans - l->base_resent;
	c->sent_payload = (int64_t)(info.tcpi_bytes_sent - info.tcpi_bytes_retrans) - l->base_bytes;
	c->sent_wire = (int64_t)info.tcpi_bytes_sent - l->base_bytes + c->sent_frames * l->header;
}

void lane_read_got(struct lane *l)
{
	struct lane_count *c = &l->count;
	struct tcp_info info;

	if (l->udp) {
		c->reordered = l->arrive.reordered;
		c->duplicate = l->arrive.duplicate;
	} else {
		info_of(l->fd, &info);
		/* the mark that opened it came in a frame of its own */
		c->got_frames = l->takes_mark && info.tcpi_data_segs_in ? (int64_t)info.tcpi_data_segs_in - 1 : info.tcpi_data_segs_in;
	}
	c->got_wire = c->got_payload + c->got_frames * l->header;
}

int64_t lane_most(int fd, bool udp, int64_t *header)
{
	struct tcp_info info;
	bool six = is_ipv6(fd);
	int mtu = 0;
	socklen_t size = sizeof(mtu);
	int64_t most = 1448 - (six ? 20 : 0);

	info_of(fd, &info);
	*header = frame_header(udp, six, info.tcpi_options & TCPI_OPT_TIMESTAMPS);
	if (udp) {
		getsockopt(fd, six ? IPPROTO_IPV6 : IPPROTO_IP, six ? IPV6_MTU : IP_MTU, &mtu, &size);
		most = (mtu > 0 && mtu < ETHERNET ? mtu : ETHERNET) - *header + 14;
	} else if (info.tcpi_snd_mss && info.tcpi_snd_mss < most) {
		most = info.tcpi_snd_mss;
	} else if (!(info.tcpi_options & TCPI_OPT_TIMESTAMPS)) {
		most += 12;
	}
	return most;
}

int64_t lane_dropped(const struct lane *l)
{
	uint32_t info[SK_MEMINFO_VARS];
	socklen_t size = sizeof(info);

	return l->udp && !getsockopt(l->fd, SOL_SOCKET, SO_MEMINFO, info, &size) ? info[SK_MEMINFO_DROPS] : 0;
}
