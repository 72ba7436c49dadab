// SPDX-License-Identifier: GPL-3.0-or-later
#include "offload.h"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

void offload_describe(const char *interface, char *text, size_t size)
{
	static const struct { const char *name; unsigned command, mask; } features[] = {
		{ "tso", ETHTOOL_GTSO, 1 }, { "gso", ETHTOOL_GGSO, 1 }, { "gro", ETHTOOL_GGRO, 1 },
		{ "lro", ETHTOOL_GFLAGS, ETH_FLAG_LRO },
	};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	size_t n = 0, known = 0;

	text[0] = '\0';
	for (size_t i = 0; fd >= 0 && i < sizeof(features) / sizeof(*features); i++) {
		struct ethtool_value value = { .cmd = features[i].command };
		struct ifreq request = { .ifr_data = (void *)&value };

		snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", interface);
		if (ioctl(fd, SIOCETHTOOL, &request))
			continue;
		known++;
		if (value.data & features[i].mask && n < size)
			n += (size_t)snprintf(text + n, size - n, "%s%s", n ? " " : "", features[i].name);
	}
	if (fd >= 0)
		close(fd);
	if (!n)
		snprintf(text, size, known ? "none" : "unknown");
}
