/* SPDX-License-Identifier: GPL-3.0-or-later */
/* input - events that open an episode. A source is a struct of functions in its own file. */
#ifndef VAMP_INPUT_H
#define VAMP_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct input_event {
	int64_t seen_ns;	/* CLOCK_MONOTONIC, taken first thing when it was read */
	char what[32];		/* "Return", "button 1", "audio", a control line */
};

/* Which of a source's events count. Names are X's keysyms ("Return", "KP_Enter", "any"). */
#define INPUT_KEYS 16
struct input_keys {
	int n;
	uint32_t keysym[INPUT_KEYS];	/* by default Return and KP_Enter, pressed */
	bool any;			/* all keys */
	bool button;			/* the release of a mouse button (default); of the wheel's "buttons" never */
};

struct input_source;
struct input_ops {
	const char *name;		/* "x11", "evdev", "control", "audio" */
	/* Reads the events that have come; poll again, more may be left. Calls `each` for those that count. 0 or -errno: the source
	 * has ended (-EPIPE: the display went away). Never blocks. */
	int (*read)(struct input_source *s, void (*each)(void *arg, const struct input_event *event), void *arg);
	void (*close)(struct input_source *s);
};
struct input_source {
	const struct input_ops *ops;
	int fd;				/* to poll */
};

/* Reads --keys "Return,KP_Enter,button" into *keys. 0 or -EINVAL with a line in `why`; then *keys is as before. Pure. */
int input_keys_read(const char *text, struct input_keys *keys, char *why, size_t size);
bool input_keys_match(const struct input_keys *keys, uint32_t keysym);	/* for the sources */

/* Each opens a source: 0, or -errno with one line (what, why, cure) in `why`. */
/* Raw events of the X input extension, of all devices; display NULL: $DISPLAY. Where the keyboard's map has changed, read asks the
 * display for it, and waits for the answer. */
int input_x11_open(struct input_source **out, const char *display, const struct input_keys *keys, char *why, size_t size);
/* One /dev/input/eventN. */
int input_evdev_open(struct input_source **out, const char *device, const struct input_keys *keys, char *why, size_t size);
/* A fifo (made if absent, removed at the end); every line is an event. Tools that send RFB input write to it. */
int input_control_open(struct input_source **out, const char *path, char *why, size_t size);

/* ---- sound ---- */

struct audio;
/* Watches the sound server (PulseAudio, or PipeWire's stand-in for it) of this user, or at `server`. 0; -ENOENT: there is none now
 * (why), and *out is made all the same: every audio_average looks again. Others: *out is NULL. Needs pactl (pulseaudio-utils).
 * The remote wake-ups need the right to trace; without it only the server's list of clients is used, and audio_tell says so.
 * May wait for 2 s for the server's answer; the other functions do not wait. Forks children: after undo_start. */
int audio_open(struct audio **out, const char *server, char *why, size_t size);
/* The start of a stream is an event ("audio"); one while an episode lasts is for the caller to pass over. Owned by the audio. Its
 * read is needed for audio_is, too, and never says that it has ended. */
struct input_source *audio_source(struct audio *a);
/* Is the process the server or a client: with a stream that plays or, while any plays, the dominant waker of the server? */
bool audio_plays_sound(const struct audio *a, int pid);
/* Does any stream play? */
bool audio_has_playing_stream(const struct audio *a);
/* At the start of every episode, and every max_int_period without one: counters are divided by the background confidence (which
 * grows by 1, up to 10, for the processes tagged now, and shrinks by 1 for others) and averaged. */
void audio_average_wakeups(struct audio *a, const int *tagged, size_t n);
/* For the log: up to `room` are written; how many. */
struct audio_counter {
	int pid;
	char comm[16];
	int64_t wakeups;	/* of the server, since the last average */
	double average;		/* moving */
	int confidence;		/* 0 to 10 */
	bool stream;		/* on the server's list, playing */
};
size_t audio_copy_counters(const struct audio *a, struct audio_counter *out, size_t room);
void audio_describe(const struct audio *a, char *text, size_t size);
void audio_close(struct audio *a);

#endif
