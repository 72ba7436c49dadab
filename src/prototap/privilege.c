// SPDX-License-Identifier: GPL-3.0-or-later
#include "run.h"
#include "apart.h"
#include "cli.h"
#include "clock.h"
#include "proc.h"

#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
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

/* Whether this user may rename a finished file to `path`, a report also where a link leads; a sticky directory counts as no. */
static bool may_user_rename(const char *path, bool follow, uid_t uid, gid_t gid)
{
	char copy[PATH_MAX];
	struct stat st;
	bool may;

	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return true; /* a device or a pipe is written directly, and already open */
	if (!follow || !realpath(path, copy))
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

int drop_privileges(struct confine_cfg *confine, char *said, size_t size, struct why *why)
{
	int64_t uid = read_id_variable("SUDO_UID"), gid = read_id_variable("SUDO_GID");
	bool had = confine_has_rights(), may = true;
	const char *ids = "";

	for (int i = 0; i < CONFINE_FILES; i++)
		may = may && (!confine->files[i] || !strcmp(confine->files[i], "-") ||
			      may_user_rename(confine->files[i], i == 0, (uid_t)uid, (gid_t)gid));
	if (geteuid()) {
		snprintf(said, size, had ? "capabilities dropped, no_new_privs" : "had none; no_new_privs");
	} else if (is_id_mapped("/proc/self/uid_map", uid) && is_id_mapped("/proc/self/gid_map", gid) && may) {
		confine->uid = (uid_t)uid;
		confine->gid = (gid_t)gid;
		snprintf(said, size, "capabilities dropped, now user %lld, no_new_privs", (long long)uid);
	} else {
		ids = may ? "no other is mapped here" : "it must place the files";
		snprintf(said, size, "capabilities dropped, user id kept (%s), no_new_privs", ids);
	}
	return confine_apply(confine, why);
}

/* Waits until the interface exists. Exits if a stop signal or until_ns come first. */
static void wait_interface(const char *interface, const sigset_t *stop, int64_t until_ns)
{
	const struct timespec second = { .tv_sec = 1 };

	do {
		bool stopped = sigtimedwait(stop, NULL, &second) > 0;

		if (stopped || (until_ns && clock_now() > until_ns)) {
			warn("%s is gone: no report", interface);
			exit(stopped && until_ns ? EXIT_INTERRUPTED : EXIT_LOSSY);
		}
	} while (strcmp(interface, "any") != 0 && !if_nametoindex(interface));
}

bool supervise_fork(const char *interface, int64_t until_ns)
{
	sigset_t stop, before;
	bool again = false;
	int status;

	proc_fill_stop_set(&stop);
	sigprocmask(SIG_BLOCK, &stop, &before);
	for (;; again = true) {
		if (apart_fork(&status)) {
			sigprocmask(SIG_SETMASK, &before, NULL);
			return again;
		}
		if (WIFSIGNALED(status))
			exit(128 + WTERMSIG(status));
		if (WEXITSTATUS(status) == SUPERVISE_GONE)
			warn("%s is gone; the capture goes on when it is back", interface);
		else if (WEXITSTATUS(status) != SUPERVISE_NOT_YET)
			exit(WEXITSTATUS(status));
		wait_interface(interface, &stop, until_ns);
	}
}
