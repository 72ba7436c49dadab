/* SPDX-License-Identifier: GPL-3.0-or-later */
/* login - a run of the session-memory experiment: RUN/cells/SYSTEM-NNN/REPEAT/{cell.json,samples.tsv,machine.tsv} to tables.
 *
 *	summary.tsv	(login/1) a row for each system and number of logins, none included: memory of all its logins together, process by process
 *			added up, and what the kernel says beside it
 *	slope.tsv	(login-slope/1) what one more login costs: a least-squares line over the numbers of logins in each repeat (none is not
 *			one of them), its slope, and where it begins
 *	who.tsv		(login-who/1) the processes: of one login, on average over all there were
 *
 * A figure is the mean over the complete repeats; its interval is Student's t over the repeats (BCa bootstrap from ten on), none from one. */
#ifndef THINPROBE_SUMMARIZE_LOGIN_H
#define THINPROBE_SUMMARIZE_LOGIN_H

#include "inputs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of processes, added up; bytes. private is private dirty and swap; pss holds the share of what is in swap too. */
enum login_figure { LOGIN_PRIVATE, LOGIN_DIRTY, LOGIN_SWAP, LOGIN_CLEAN, LOGIN_PSS, LOGIN_SHARED, LOGIN_RSS, LOGIN_TABLES, LOGIN_PROCESSES, LOGIN_THREADS, LOGIN_FIGURES };

/* By the kernel's accounts, bytes: the machine (server: what is in use without what the lab itself runs for the logins), and the logins' memory groups. */
enum login_account { LOGIN_SERVER, LOGIN_MACHINE, LOGIN_LAB, LOGIN_MACHINE_PROCESSES, LOGIN_MACHINE_KERNEL, LOGIN_MACHINE_CACHE, LOGIN_MACHINE_TOTAL,
		     LOGIN_GROUP, LOGIN_GROUP_KERNEL, LOGIN_GROUP_SHARED_MEMORY, LOGIN_GROUP_CACHE, LOGIN_ACCOUNTS };

/* One reading: one system, one repeat, one number of logins. NAN: not known. */
struct login_reading {
	bool there;
	double sum[LOGIN_FIGURES], account[LOGIN_ACCOUNTS];
};

/* Processes of one name (and class) in a system: their sums in every reading. */
struct login_kind {
	char name[64], class[16];
	double (*sum)[LOGIN_FIGURES];	/* repeats x steps; owned */
};

struct login_system {
	char name[64], protocol[48], kind[16];
	bool *complete, *marked;	/* each repeat */
	struct login_reading *reading;	/* repeats x steps */
	struct login_kind *process;
	size_t processes;
};

struct login_run {
	struct login_system *system;
	size_t systems, steps;
	int64_t *logins;	/* each step; the first is 0 */
	int64_t repeats, seed;
};

/* 0 or -errno with "FILE: what is wrong with it" in `why`. A cell that is not complete is counted as failed; a file of a complete one that is missing
 * or broken is an error. */
int login_summarize(const char *folder, struct inputs_counts *out, char *why, size_t size);

/* `repeat` counts from 0. */
static inline struct login_reading *login_at(const struct login_run *run, const struct login_system *s, int64_t repeat, size_t step)
{
	return &s->reading[(size_t)repeat * run->steps + step];
}

/* The three tables; 0 or -errno, *file: which one. */
int login_tables(const char *folder, const struct login_run *run, const char **file);

#endif
