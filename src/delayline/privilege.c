// SPDX-License-Identifier: GPL-3.0-or-later
#include "privilege.h"

#include <cap-ng.h>
#include <errno.h>
#include <stddef.h>
#include <sys/prctl.h>

int wire_drop_privilege(void)
{
	static const capng_type_t sets = CAPNG_EFFECTIVE | CAPNG_PERMITTED;
	/* Locked memory grows when a report is begun. The report and the fifo may stand in somebody else's folder. */
	static const unsigned needed[] = { CAP_IPC_LOCK, CAP_DAC_OVERRIDE, CAP_FOWNER };
	const size_t n = sizeof(needed) / sizeof(*needed);
	int had[sizeof(needed) / sizeof(*needed)];

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	if (capng_get_caps_process())
		return -EPERM;
	if (capng_have_capabilities(CAPNG_SELECT_CAPS) == CAPNG_NONE)
		return 0;
	for (size_t i = 0; i < n; i++)
		had[i] = capng_have_capability(CAPNG_PERMITTED, needed[i]);
	capng_clear(CAPNG_SELECT_CAPS);
	for (size_t i = 0; i < n; i++) {
		if (had[i] && capng_update(CAPNG_ADD, sets, needed[i]))
			return -EPERM;
	}
	return capng_apply(CAPNG_SELECT_CAPS) ? -EPERM : 0;
}
