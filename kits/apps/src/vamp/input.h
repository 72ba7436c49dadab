/* SPDX-License-Identifier: GPL-3.0-or-later */
/* input - events that open an episode: keys, buttons, lines through a fifo, starting sound. A source is a struct of functions. */
#pragma once

#include "why.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct input_event {
	int64_t seen_ns;	/* time when the event was read (CLOCK_MONOTONIC) */
	char what[32];		/* "Return", "button 1", "audio", or the line through the fifo */
};

#define INPUT_KEYS 16
/* The keys and buttons that open an episode. Names are X11 keysyms ("Return", "KP_Enter"), "button" and "any". */
struct trigger_keys_and_buttons {
	int n;
	uint32_t keysym[INPUT_KEYS];	/* keys whose press counts; by default Return and KP_Enter */
	bool any;			/* every key counts */
	bool button;			/* the release of a mouse button counts (default); not of the wheel's buttons */
};

struct input_source;
struct input_source_ops {
	const char *name;		/* "x11", "evdev", "control", "audio" */
	/* Reads the events that have come, and calls `each` for those that count. More may be left: poll again. 0, or -errno if the
	 * source has ended (-EPIPE: the display went away). Does not block. */
	int (*read)(struct input_source *s, void (*each)(void *arg, const struct input_event *event), void *arg);
	void (*close)(struct input_source *s);
};
struct input_source {
	const struct input_source_ops *ops;
	int fd;				/* descriptor to poll */
};

/* Parses --keys "Return,KP_Enter,button". 0, or -EINVAL with the reason in `why`, and *keys is unchanged. Pure. */
int trigger_keys_parse(const char *text, struct trigger_keys_and_buttons *keys, struct why *why);
bool trigger_keys_include_keysym(const struct trigger_keys_and_buttons *keys, uint32_t keysym);	/* does this key count? */

/* Open a source. 0, or -errno with one line (what, why, cure) in `why`. */
/* Raw events of all devices, by the X input extension. `display` NULL: $DISPLAY. After a change of the keyboard map, read() asks
 * the display for it and waits for the answer. */
int input_x11_open(struct input_source **out, const char *display, const struct trigger_keys_and_buttons *keys, struct why *why);
/* Events of one /dev/input/eventN. */
int input_evdev_open(struct input_source **out, const char *device, const struct trigger_keys_and_buttons *keys, struct why *why);
/* Lines through a fifo, which is made if it does not exist, and then removed at the end. Every line is an event. Tools that send
 * RFB input write to it. */
int input_fifo_open(struct input_source **out, const char *path, struct why *why);

struct sound_server_watch;
/* Watches the sound server (PulseAudio, or PipeWire's replacement of it) of this user, or at `server`. 0; -ENOENT: no server runs
 * (`why`), but *out is made: each audio_connect_and_average_wakeups() looks for a server again. Other errors: *out is NULL.
 * Needs pactl (pulseaudio-utils). Counting wake-ups needs the right to trace; without it only clients with a playing stream
 * count, and audio_describe_server_watch() says so. Waits up to 2 s for the server's answer; the other functions do not wait.
 * Forks children:
 * call it after undo_create_recorder(). */
int audio_open_server_watch(struct sound_server_watch **out, const char *server, struct why *why);
/* The source of "audio" events: a stream starts to play. Owned by `a`. Its read() also updates the list of streams, and never
 * fails. */
struct input_source *audio_input_source_of_watch(struct sound_server_watch *a);
/* Is the process the sound server, a client with a playing stream or, while a stream plays, the process that wakes the server
 * most? */
bool audio_process_plays_sound(const struct sound_server_watch *a, int pid);
/* Does any stream play? */
bool audio_has_playing_stream(const struct sound_server_watch *a);
/* Averages the wake-up counts: at the start of every episode, and every max_int_period without one. `tagged`: the background
 * processes, whose confidence grows by 1 (up to 10); that of others shrinks by 1. */
void audio_connect_and_average_wakeups(struct sound_server_watch *a, const int *tagged, size_t n);
/* The figures of a process that wakes the sound server, for the log. audio_copy_wakeup_counters() copies up to `room` and returns
 * how many. */
struct audio_wakeup_counter {
	int pid;
	char comm[16];
	int64_t wakeups;	/* wake-ups of the server since the last averaging */
	double average;		/* moving average of the wake-ups */
	int confidence;		/* confidence that the process is a background task: 0 to 10 */
	bool stream;		/* has a playing stream */
};
size_t audio_copy_wakeup_counters(const struct sound_server_watch *a, struct audio_wakeup_counter *out, size_t room);
void audio_describe_server_watch(const struct sound_server_watch *a, char *text, size_t size);
void audio_close_server_watch(struct sound_server_watch *a);
