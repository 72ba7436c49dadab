// SPDX-License-Identifier: GPL-3.0-or-later
#include "play.h"
#include "clock.h"
#include "proc.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LET_GO_NS (200 * NS_PER_MS) /* how long to wait for releases to reach the server */

const char *const play_status_words[] = { "complete", "timeout", "closed", "interrupted", "refused", "failed" };

int live_fail(struct live_replay *l, enum play_status status, const char *format, ...)
{
	va_list args;

	l->r->status = status;
	va_start(args, format);
	vsnprintf(l->r->why.text, sizeof(l->r->why.text), format, args);
	va_end(args);
	return -ECANCELED;
}

static void on_resized(void *whose, int width, int height)
{
	struct live_replay *l = whose;

	(void)width;
	(void)height;
	l->covered = (struct pixel_area){ 0 };
	l->whole = false;
}

static void on_painted(void *whose, struct pixel_area box)
{
	struct live_replay *l = whose;

	l->touched = true;
	area_include(&l->covered, &box);
	if (l->painted)
		l->painted(l->whose, box);
}

static void on_update_ended(void *whose)
{
	struct live_replay *l = whose;
	const struct screen *s = live_screen(l);

	l->r->updates++;
	if (l->covered.w >= s->width && l->covered.h >= s->height)
		l->whole = true;
}

static void on_cursor_shape(void *whose)
{
	struct live_replay *l = whose;

	l->shaped = true;
}

static const struct rfb_event_callbacks events = {
	.resized = on_resized, .painted = on_painted, .ended = on_update_ended, .shape = on_cursor_shape
};

static void log_bytes(void *whose, const uint8_t *bytes, size_t n, int64_t now_ns)
{
	struct live_replay *l = whose;
	int64_t ms = (now_ns - l->began_ns) / NS_PER_MS;
	int err;

	l->r->bytes += (int64_t)n;
	err = fbs_write(l->log, bytes, n, (uint32_t)(ms < 0 ? 0 : ms));
	if (err && !l->log_err)
		l->log_err = err;
	side_file_write_arrival(l->side, n, now_ns);
}

const struct screen *live_screen(const struct live_replay *l)
{
	return &rfb_state(l->server->rfb)->screen;
}

static int read_updates(struct live_replay *l)
{
	int done;

	l->touched = false;
	done = server_read(l->server, log_bytes, l);
	if (l->touched)
		l->painted_ns = clock_now();
	if (l->log_err)
		return live_fail(l, PLAY_FAILED, "cannot write the log: %s", strerror(-l->log_err));
	if (done < 0)
		return live_fail(l, PLAY_CLOSED, "the connection is over: %s", l->server->why.text);
	return 0;
}

int live_wait(struct live_replay *l, int64_t until_ns)
{
	struct pollfd p = { .fd = l->server->fd, .events = (short)(POLLIN | (l->server->queued ? POLLOUT : 0)) };
	int64_t left = until_ns - clock_now();
	struct timespec wait = { 0 };
	int ready, err;

	if (proc_stop)
		return live_fail(l, PLAY_INTERRUPTED, "interrupted");
	if (left > 0) {
		err = growing_file_flush(l->side); /* before this process sleeps */
		if (err)
			return live_fail(l, PLAY_FAILED, "cannot write the side file: %s", strerror(-err));
		left = until_ns - clock_now();
		if (left > NS_PER_S) /* (the caller waits again) */
			left = NS_PER_S;
		if (left > 0)
			wait = clock_timespec(left);
	}
	ready = ppoll(&p, 1, &wait, &l->outside);
	if (ready < 0 && errno != EINTR)
		return live_fail(l, PLAY_FAILED, "cannot wait: %s", strerror(errno));
	if (ready <= 0)
		return 0;
	if ((p.revents & POLLOUT) && server_flush(l->server))
		return live_fail(l, PLAY_CLOSED, "the connection is over: %s", l->server->why.text);
	return p.revents & ~POLLOUT ? read_updates(l) : 0;
}

int live_await_screen(struct live_replay *l, int64_t until_ns)
{
	int err = read_updates(l);

	while (!err && !l->whole) {
		if (clock_now() >= until_ns)
			return live_fail(l, PLAY_TIMEOUT, "the server sent no whole screen in time");
		err = live_wait(l, until_ns);
	}
	return err;
}

int live_send_pointer(struct live_replay *l, unsigned mask, int x, int y)
{
	if (server_send_pointer(l->server, (int)mask, x, y))
		return live_fail(l, PLAY_CLOSED, "the connection is over: %s", l->server->why.text);
	l->mask = mask;
	l->x = x;
	l->y = y;
	return 0;
}

int live_send_key(struct live_replay *l, uint32_t keysym, bool down)
{
	if (server_send_key(l->server, keysym, down))
		return live_fail(l, PLAY_CLOSED, "the connection is over: %s", l->server->why.text);
	held_keys_update(&l->down, keysym, down);
	return 0;
}

/* Releases all buttons and keys: a server repeats a key that it believes to be down for ever. */
static void release_all(struct live_replay *l)
{
	if (l->mask)
		server_send_pointer(l->server, 0, l->x, l->y);
	for (int i = 0; i < l->down.n; i++)
		server_send_key(l->server, l->down.key[i], false);
	server_drain(l->server, clock_now() + LET_GO_NS);
}

static int open_outputs(struct live_replay *l, const char *out)
{
	char path[PATH_MAX];
	int err;

	if (snprintf(path, sizeof(path), "%s.aux", out) >= (int)sizeof(path))
		return live_fail(l, PLAY_FAILED, "%.100s...: %s", out, strerror(ENAMETOOLONG));
	l->log = fbs_create(out);
	if (!l->log)
		return live_fail(l, PLAY_FAILED, "cannot write %s: %s", out, strerror(errno));
	l->began_ns = clock_now();
	err = fbs_write(l->log, l->server->greeting.bytes, l->server->greeting.n, 0);
	if (err)
		return live_fail(l, PLAY_FAILED, "cannot write %s: %s", out, strerror(-err));
	l->side = side_file_create(path, l->began_ns);
	if (!l->side)
		return live_fail(l, PLAY_FAILED, "cannot write %s: %s", path, strerror(errno));
	side_file_write_arrival(l->side, l->server->greeting.n, l->began_ns);
	return 0;
}

int live_open(struct live_replay *l, const struct play_cfg *cfg, const char *out, struct play_result *r)
{
	struct why why;
	sigset_t stops;

	*l = (struct live_replay){ .cfg = cfg, .r = r, .x = -1, .y = -1 };
	l->server = server_connect(&cfg->server, &events, l, &why);
	proc_fill_stop_set(&stops);
	sigprocmask(SIG_BLOCK, &stops, &l->outside);
	if (!l->server)
		return proc_stop ? live_fail(l, PLAY_INTERRUPTED, "interrupted") : live_fail(l, PLAY_REFUSED, "%s", why.text);
	return open_outputs(l, out);
}

void live_close(struct live_replay *l)
{
	int err = 0, side_err = 0;

	if (l->server)
		release_all(l);
	if (l->log) {
		l->r->log_ns = clock_now() - l->began_ns;
		err = growing_file_finish(l->log);
	}
	if (l->side) {
		side_file_write_end(l->side, clock_now(), play_status_words[l->r->status]);
		side_err = growing_file_finish(l->side);
	}
	if ((err || side_err) && l->r->status != PLAY_FAILED)
		live_fail(l, PLAY_FAILED, "cannot write the log or its side file: %s", strerror(err ? -err : -side_err));
	server_disconnect(l->server);
	sigprocmask(SIG_SETMASK, &l->outside, NULL);
}

#define AROUND 48 /* pixels of the screen around a snapshot that are shown as well */

static const char *const picture_names[] = { "actual", "expected" };

static int write_picture(const char *path, const struct screen *s, const struct trace_event *shot, bool expected)
{
	struct pixel_area b = shot->box;
	struct screen picture = { 0 };
	int err = screen_resize(&picture, b.w + 2 * AROUND, b.h + 2 * AROUND);

	for (int i = 0; !err && i < picture.width * picture.height; i++) {
		int x = i % picture.width - AROUND, y = i / picture.width - AROUND;
		bool inside = x >= 0 && y >= 0 && x < b.w && y < b.h;
		uint32_t p = screen_pixel(s, b.x + x, b.y + y);

		picture.pixels[i] = !expected ? p : inside ? shot->pixels[y * b.w + x] : p >> 1 & 0x7f7f7f;
	}
	if (!err)
		err = screen_write(&picture, path);
	screen_free(&picture);
	return err;
}

static int make_picture_path(char *path, const char *out, int which)
{
	return snprintf(path, PATH_MAX, "%s.%s.ppm", out, picture_names[which]) < PATH_MAX ? 0 : -ENAMETOOLONG;
}

int play_write_pictures(const char *out, const struct screen *s, const struct trace_event *shot)
{
	char path[PATH_MAX];
	int err = 0;

	for (int i = 1; !err && i >= 0; i--) {
		err = make_picture_path(path, out, i);
		if (!err)
			err = write_picture(path, s, shot, i);
	}
	return err;
}

void play_remove_pictures(const char *out)
{
	char path[PATH_MAX];

	for (int i = 0; i < 2; i++)
		if (!make_picture_path(path, out, i))
			unlink(path);
}
