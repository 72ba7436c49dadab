// SPDX-License-Identifier: GPL-3.0-or-later
#include "locking.h"
#include "lock.h"
#include "resident.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *why_not_locked(int err)
{
	switch (-err) {
	case ESRCH:
		return "there is none";
	case EPERM:
		return "no right to trace it, or somebody does already; run as root";
	case ENOSYS:
		return "only 64-bit programs on x86-64 can be made to";
	case EAGAIN:
		return "not all of it could be locked, or somebody stopped it just then: try again";
	case ETIMEDOUT:
		return "it does not stop to be told so: is it frozen, or does it wait for a disk that does not answer?";
	case ENOMEM:
		return "not all of it fits into memory, or its limit on locked memory cannot be lifted: give its group more, or run as root";
	default:
		return strerror(-err);
	}
}

/* All or none: of the first n, what we have locked. */
static void unlock_first(const pid_t *pid, size_t n)
{
	for (size_t i = 0; i < n; i++)
		lock_process(pid[i], false);
}

static int lock_one(pid_t pid, bool lock, struct resident *before, struct resident *after, char why[LOCKING_WHY])
{
	int err = resident_read(pid, before);

	if (!err)
		err = lock_process(pid, lock);
	if (err) {
		snprintf(why, LOCKING_WHY, "cannot %s process %d: %s", lock ? "lock" : "unlock", (int)pid, why_not_locked(err));
		return -1;
	}
	err = resident_read(pid, after);
	if (!err && (lock ? !after->memory.anonymous_swap && after->memory.all.locked : !after->memory.all.locked))
		return 0;
	snprintf(why, LOCKING_WHY, "process %d has made the call, but its memory is not %s", (int)pid, lock ? "locked" : "unlocked");
	if (lock)
		lock_process(pid, false);
	return -1;
}

int locking_all(const pid_t *pid, size_t n, bool lock, struct rec *out, char why[LOCKING_WHY])
{
	rec_object(out, "settings");
	rec_str(out, "action", lock ? "lock" : "unlock");
	rec_end(out);
	rec_object(out, "result");
	rec_array(out, "processes");
	for (size_t i = 0; i < n; i++) {
		struct resident before, after;

		if (lock_one(pid[i], lock, &before, &after, why)) {
			if (lock)
				unlock_first(pid, i);
			return -1;
		}
		rec_object(out, NULL);
		rec_int(out, "pid", pid[i]);
		rec_str(out, "name", after.name);
		rec_int(out, "locked_bytes", after.memory.all.locked);
		rec_int(out, "resident_bytes", after.memory.all.rss);
		rec_int(out, "resident_before_bytes", before.memory.all.rss);
		rec_int(out, "swap_before_bytes", before.memory.anonymous_swap);
		rec_end(out);
	}
	rec_end(out);
	rec_end(out);
	return 0;
}
