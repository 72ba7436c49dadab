/* SPDX-License-Identifier: GPL-3.0-or-later */
/* audio_pactl - finds the sound server, runs pactl (of pulseaudio-utils) to ask it, and reads its list of streams. */
#pragma once

#include "why.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Address of the sound server: $PULSE_SERVER, or its socket in $PULSE_RUNTIME_PATH or $XDG_RUNTIME_DIR. */
struct audio_server {
	char name[160];		/* for pactl --server; never empty, since pactl might start a server then */
	const char *socket;	/* path within `name`; NULL: not a Unix socket */
	pid_t pid;		/* process of the server; 0: not known */
	uid_t uid;		/* owner of the socket */
	gid_t gid;
};
/* Finds the server, and connects once to check that it runs. 0, or -errno with the reason in `why`. Does not block. */
int audio_find_server_address_and_pid(struct audio_server *s, const char *name, struct why *why);

/* A child that runs pactl; if we are root, as the user of the server, which may refuse others. */
struct audio_pactl {
	pid_t pid;		/* 0: no child runs */
	int pidfd;		/* readable once the child has ended */
	int out;		/* output of pactl: a non-blocking pipe, or a file in memory */
};
/* `words`: arguments, NULL-terminated. `stream`: pactl goes on printing, into a pipe. 0 or -errno. */
int audio_pactl_start(struct audio_pactl *p, const struct audio_server *s, const char *const *words, bool stream);
/* Kills pactl if it still runs, and closes its descriptors. Returns its exit status; 127: pactl is not installed; -1: killed. */
int audio_pactl_end(struct audio_pactl *p);

#define AUDIO_STREAMS 64	/* maximum; further streams are ignored */

/* The streams that play (not corked), as `pactl -f json list sink-inputs` prints them. */
struct audio_stream_list {
	size_t n;
	struct {
		int64_t index;	/* number that the server gave the stream; never used twice */
		int pid;	/* reported by the client, in its own pid namespace; 0: not reported */
	} stream[AUDIO_STREAMS];
};

/* 0; -EPROTO: the file is not such a list. */
int audio_parse_stream_list(const char *path, struct audio_stream_list *out);
/* Does `now` have a playing stream that `before` has not? */
bool audio_stream_list_has_new_stream(const struct audio_stream_list *before, const struct audio_stream_list *now);
bool audio_stream_list_has_pid(const struct audio_stream_list *l, int pid);
