/* SPDX-License-Identifier: GPL-3.0-or-later */
/* confine - gives up what reading bytes of others does not need: capabilities, files and TCP ports (landlock), system calls
 * (seccomp), unlimited memory, descriptors and environment of whoever started the program. All of this passes on to threads and
 * children that are made later, and cannot be taken back (no_new_privs).
 *
 * A program opens what it needs, confines itself, and only then reads. docs/sandbox.md has what each profile closes. */
#pragma once

#include "cli.h"
#include "why.h"

#include <linux/capability.h>

enum confine_mode { CONFINE_AUTO, CONFINE_STRICT, CONFINE_OFF };
extern const char *const confine_words[];

#define CONFINE_OPTIONS(mode) \
	{ CLI_WORD, \
	  0, \
	  "sandbox", \
	  &(mode), \
	  .help = "strict: exit if the kernel lacks a part of the sandbox (auto)", \
	  .words = confine_words }, \
	{ \
		CLI_SET, 0, "no-sandbox", &(mode), CONFINE_OFF, 0, .help = "give up only capabilities" \
	}

/* What a profile leaves open. A thread can always be started, files of the system read, and a finished report put in its place. */
enum confine_need {
	CONFINE_SHARES = 1,   /* shared memory, with an X server */
	CONFINE_CREATES = 2,  /* files in the folders of `files` */
	CONFINE_CONNECTS = 4, /* new connections, to the TCP ports of `port`; names can no longer be resolved */
	CONFINE_LISTENS = 8,  /* new TCP ports here */
	CONFINE_FORKS = 16    /* new processes, never other programs */
};

enum confine_profile_number { CONFINE_DECODE, CONFINE_DISPLAY, CONFINE_RECORD, CONFINE_CALL, CONFINE_PROXY, CONFINE_SERVE };
extern const struct confine_profile {
	const char *name;
	unsigned needs; /* of enum confine_need */
} confine_profiles[];	/* by enum confine_profile_number; the last has no name */

#define CONFINE_FILES 4
struct confine_cfg {
	enum confine_profile_number profile;
	int mode;			  /* enum confine_mode */
	const char *files[CONFINE_FILES]; /* written or replaced later; NULL and "-": none */
	const char *read[2];		  /* read later; NULL: none */
	const uint16_t *port;		  /* CONFINE_CONNECTS */
	size_t ports;
	uint64_t keep; /* capabilities that are not dropped, 1 << CAP_...; also files of other users, if `files` need it */
	uid_t uid;     /* the user to become, with group `gid`; 0: none */
	gid_t gid;
	size_t memory_bytes; /* the most that it may have allocated; 0: no limit */
	bool secret; /* its memory may have a password or a picture of a screen: no core file, and no look by other processes */
};

/* To be called while the program has one thread. 0, or -errno with the reason in `why`: rights could not be given up, or, with
 * CONFINE_STRICT, the kernel or the container lacks a part. Without CONFINE_STRICT, missing parts are left out. */
int confine_apply(const struct confine_cfg *cfg, struct why *why);
/* The same; ends the program with EXIT_RUN if it fails. */
void confine_must_apply(const struct confine_cfg *cfg);
/* Closes what a narrower profile closes, too, for a child that has opened what it needs. Missing parts are left out. */
void confine_tighten(enum confine_profile_number profile);

/* Closes all descriptors but the standard streams and this one: for a child that was forked to read what comes there. */
void confine_keep_descriptor(int fd);

/* What is in force, for the settings of the report: "landlock 7, seccomp"; "no landlock (...), seccomp"; "off"; "none": not yet. */
const char *confine_state(void);
/* Whether this process has a capability. */
bool confine_has_rights(void);
