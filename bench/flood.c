// SPDX-License-Identifier: GPL-3.0-or-later
/* flood - sends the packets of a capture through an interface at an even rate.
 *
 * usage: flood INTERFACE FILE PER_SECOND
 * The frames leave from the mapped file as they are (AF_PACKET), every 100 us as many as are due by then, whatever their
 * times in the file. Prints how many went, the seconds it took, the rate reached and the longest that the sender was behind, in
 * ms; exit status 3 if it could not hold the rate by 2 %. Trusts its file: it is our own. */
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <net/ethernet.h>
#include <netpacket/packet.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { BATCH = 64, FILE_HEADER = 24, RECORD_HEADER = 16 };

static void die(const char *what)
{
	fprintf(stderr, "flood: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static int open_socket(const char *interface)
{
	struct sockaddr_ll to = { .sll_family = AF_PACKET, .sll_ifindex = (int)if_nametoindex(interface) };
	int fd, one = 1;

	if (!to.sll_ifindex)
		die(interface);
	fd = socket(AF_PACKET, SOCK_RAW, 0); /* protocol 0: receives nothing */
	if (fd < 0 || bind(fd, (struct sockaddr *)&to, sizeof(to)))
		die("cannot send raw packets");
	setsockopt(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &one, sizeof(one)); /* no queue that could drop */
	return fd;
}

static const uint8_t *open_file(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	const uint8_t *map;
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		die(path);
	*size = (size_t)st.st_size;
	map = mmap(NULL, *size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	if (map == MAP_FAILED)
		die(path);
	close(fd);
	return map;
}

static void send_all(int fd, struct mmsghdr *message, unsigned n)
{
	for (unsigned done = 0; done < n;) {
		int sent = sendmmsg(fd, message + done, n - done, 0);

		if (sent < 0 && errno != ENOBUFS && errno != EAGAIN && errno != EINTR)
			die("cannot send");
		done += sent > 0 ? (unsigned)sent : 0;
	}
}

int main(int argc, char **argv)
{
	struct mmsghdr message[BATCH] = { 0 };
	struct iovec part[BATCH];
	uint64_t sent = 0;
	int64_t start, behind = 0, taken;
	double per_s;
	const uint8_t *map;
	size_t size, at = FILE_HEADER;
	int fd;

	if (argc != 4 || (per_s = atof(argv[3])) < 1) {
		fputs("usage: flood INTERFACE FILE PER_SECOND\n", stderr);
		return 2;
	}
	fd = open_socket(argv[1]);
	map = open_file(argv[2], &size);
	for (int i = 0; i < BATCH; i++)
		message[i].msg_hdr = (struct msghdr){ .msg_iov = &part[i], .msg_iovlen = 1 };
	start = now_ns();
	for (;;) {
		uint64_t due = (uint64_t)((double)(now_ns() - start) * per_s / 1e9);
		unsigned n = 0;

		for (; n < BATCH && sent + n < due && at + RECORD_HEADER <= size; n++) {
			uint32_t bytes;

			memcpy(&bytes, map + at + 8, 4);
			part[n] = (struct iovec){ (void *)(uintptr_t)(map + at + RECORD_HEADER), bytes };
			at += RECORD_HEADER + bytes;
		}
		if (n) {
			int64_t late = (int64_t)((double)(due - sent) * 1e9 / per_s);

			if (late > behind)
				behind = late;
			send_all(fd, message, n);
			sent += n;
		} else if (at + RECORD_HEADER > size) {
			break;
		} else {
			struct timespec rest = { .tv_nsec = 100000 };

			nanosleep(&rest, NULL);
		}
	}
	taken = now_ns() - start;
	printf("%llu %.3f %.0f %.1f\n", (unsigned long long)sent, (double)taken / 1e9, (double)sent / ((double)taken / 1e9),
	       (double)behind / 1e6);
	return (double)taken > 1.02e9 * (double)sent / per_s + 1e6 ? 3 : 0;
}
