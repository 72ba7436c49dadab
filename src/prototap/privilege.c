// SPDX-License-Identifier: GPL-3.0-or-later
#include "run.h"
#include "cli.h"

#include <cap-ng.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOBODY 65534

/* Whether the user namespace's map file has this id. */
static bool is_id_mapped(const char *map, int64_t id)
{
	FILE *f = fopen(map, "re");
	long long first, outside, count;
	bool found = false;

	if (!f)
		return false;
	while (!found && fscanf(f, "%lld %lld %lld", &first, &outside, &count) == 3)
		found = id >= first && id < first + count;
	fclose(f);
	return found;
}

/* Returns the id in an environment variable (SUDO_UID, SUDO_GID); NOBODY where there is none, or it is root's. */
static int64_t read_id_variable(const char *name)
{
	const char *text = getenv(name);
	int64_t n;

	return text && !cli_parse_int(text, &n) && n > 0 && n < INT32_MAX ? n : NOBODY;
}

/* Whether this user may rename the finished report to `path`; a sticky directory counts as no. */
static bool may_user_rename(const char *path, uid_t uid, gid_t gid)
{
	char copy[4096];
	struct stat st;
	bool may;

	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return true; /* a device or a pipe is written directly, and already open */
	snprintf(copy, sizeof(copy), "%s", path);
	path = dirname(copy);
	if (stat(path, &st) || st.st_mode & S_ISVTX)
		return false;
	setfsgid(gid);
	setfsuid(uid);
	may = !faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS);
	setfsuid(geteuid());
	setfsgid(getegid());
	return may;
}

int drop_privileges(const char *const *keep, size_t n, char *said, size_t size)
{
	int64_t uid = read_id_variable("SUDO_UID"), gid = read_id_variable("SUDO_GID");
	const char *ids = "";
	bool had, may = true;
	int err;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	if (capng_get_caps_process())
		return -EPERM;
	had = capng_have_capabilities(CAPNG_SELECT_CAPS) != CAPNG_NONE;
	if (!had && geteuid()) {
		snprintf(said, size, "had none; no_new_privs");
		return 0;
	}
	for (size_t i = 0; i < n; i++)
		may = may && (!keep[i] || !strcmp(keep[i], "-") || may_user_rename(keep[i], (uid_t)uid, (gid_t)gid));
	capng_clear(CAPNG_SELECT_ALL);
	if (geteuid())
		ids = "";
	else if (!is_id_mapped("/proc/self/uid_map", uid) || !is_id_mapped("/proc/self/gid_map", gid))
		ids = ", user id kept (no other is mapped here)";
	else if (!may)
		ids = ", user id kept (it must place the files)";
	else {
		err = capng_change_id((int)uid, (int)gid, CAPNG_DROP_SUPP_GRP | CAPNG_CLEAR_BOUNDING);
		if (err)
			return -EPERM;
		snprintf(said, size, "capabilities dropped, now user %lld, no_new_privs", (long long)uid);
		return 0;
	}
	/* Dropping the bounding set needs CAP_SETPCAP; with no_new_privs it gives no capability back anyway. */
	if (capng_apply(CAPNG_SELECT_ALL) && capng_apply(CAPNG_SELECT_CAPS))
		return -EPERM;
	snprintf(said, size, "capabilities dropped%s, no_new_privs", ids);
	return 0;
}
