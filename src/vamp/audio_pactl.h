/* SPDX-License-Identifier: GPL-3.0-or-later */
/* audio_pactl - children that ask the sound server (pactl of pulseaudio-utils), and where that is. */
#ifndef VAMP_AUDIO_PACTL_H
#define VAMP_AUDIO_PACTL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Where the server is: $PULSE_SERVER, or its socket in $PULSE_RUNTIME_PATH or $XDG_RUNTIME_DIR. */
struct audio_server {
	char name[160];		/* for pactl --server; never empty, else it might start a server */
	const char *socket;	/* within `name`; NULL: not a socket of this machine */
	pid_t pid;		/* 0: not known */
	uid_t uid;		/* whose it is */
	gid_t gid;
};
/* Finds it, and connects once to see that it runs. 0, or -errno with a line in `why`. Does not block. */
int audio_server_find(struct audio_server *s, const char *name, char *why, size_t size);

/* A pactl that runs, where we are root as the user of the server, which may refuse others. */
struct audio_pactl {
	pid_t pid;		/* 0: none runs */
	int pidfd;		/* readable when it has ended */
	int out;		/* what it prints: a pipe that does not block, or a file in memory */
};
/* `words`: NULL-terminated. `stream`: it goes on printing, read the pipe. 0 or -errno. */
int audio_pactl_start(struct audio_pactl *p, const struct audio_server *s, const char *const *words, bool stream);
/* Kills it if it runs still, and closes all. Its exit status; 127: there is no pactl; -1: killed. */
int audio_pactl_end(struct audio_pactl *p);

#define AUDIO_STREAMS 64	/* further ones are passed over */

/* The streams that play (not corked). */
struct audio_list {
	size_t n;
	struct {
		int64_t index;	/* of the server; never used again */
		int pid;	/* reported by the client, in its own pid namespace; 0: not reported */
	} stream[AUDIO_STREAMS];
};

/* 0; -EPROTO: no such list. */
int audio_list_read(const char *path, struct audio_list *out);
/* Does one play that did not before? */
bool audio_list_has_new_stream(const struct audio_list *before, const struct audio_list *now);
bool audio_list_has_pid(const struct audio_list *l, int pid);

#endif
