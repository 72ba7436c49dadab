/* SPDX-License-Identifier: GPL-3.0-or-later */
/* audio_list - the sound server's list of streams, as `pactl -f json list sink-inputs` prints it. */
#ifndef VAMP_AUDIO_LIST_H
#define VAMP_AUDIO_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
bool audio_list_started(const struct audio_list *before, const struct audio_list *now);
bool audio_list_has(const struct audio_list *l, int pid);

#endif
