// SPDX-License-Identifier: GPL-3.0-or-later
/* A Wayland window (wl_shm, xdg-shell), as large as the compositor makes it; the scene is in its upper left corner. A picture is
 * committed at once, not at the next frame callback: a frame of our own would be measured.
 *
 * Servers of remote desktops make a seat for each client, or give a seat its keyboard when a client comes: all seats are used, at
 * whatever time they appear. The pointer's picture is hidden, since a compositor may paint it over the patch. */
#include "face.h"

#ifdef WITH_WAYLAND
#include "scene.h"
#include "downcast.h"
#include "clock.h"
#include "memory.h"
#include "proc.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wayland-client.h>
#include <presentation-time.h> /* made by wayland-scanner (Makefile) */
#include <xdg-shell.h>
#include <xkbcommon/xkbcommon.h>

#define BUFFERS 3		     /* one shown, one waiting for the next frame, one to draw into */
#define SEATS 16		     /* at a time */
#define WAITING 32		     /* pictures not presented yet, of which the compositor was asked to tell */
#define SHOW_WAIT_NS (10 * NS_PER_S) /* longest wait for the window to be taken */
#define KEYMAP_MOST (4 << 20)	     /* bytes; usual ones have 60,000 */
#define EVDEV_OFFSET 8		     /* xkb numbers keys from here on */
/* A listener must have a function for every event. */
#define IGNORE(name, ...) \
	static void name(void *data, __VA_ARGS__) \
	{ \
	}

struct face_buffer {
	struct wayland_face *face;
	struct wl_buffer *wl;
	struct pixel_area stale; /* of the scene, where the picture is older than the canvas */
	bool busy;		 /* the compositor reads it */
};

struct face_seat {
	struct wayland_face *face;
	struct wl_seat *wl; /* NULL: unused */
	uint32_t name;
	struct wl_keyboard *keyboard;
	struct wl_pointer *pointer;
	struct xkb_keymap *keymap;
	struct xkb_state *keys;
};

struct wayland_face {
	struct echo_face face;
	struct echo_face_cfg cfg;
	struct echo_canvas canvas;
	struct wl_display *display;
	struct wl_compositor *compositor;
	struct wl_shm *shm;
	struct wl_shm_pool *pool;
	struct xdg_wm_base *base;
	struct wp_presentation *presentation;
	struct wl_surface *surface;
	struct xdg_surface *role;
	struct xdg_toplevel *window;
	struct face_seat seat[SEATS];
	struct face_buffer buffer[BUFFERS];
	struct {
		struct wp_presentation_feedback *feedback; /* NULL: unused */
		uint32_t number;
	} waiting[WAITING];
	struct canvas_change changed; /* since the last commit */
	char *memory;		      /* of all buffers */
	size_t memory_bytes, bytes;   /* bytes: of one buffer */
	int fd, w, h, next_w, next_h; /* of the memory; size of the window, now and when it is configured next */
	uint32_t number;	      /* drawn last */
	clockid_t clock;	      /* of presentation times */
	bool mapped, closed, done;    /* done: the compositor is, with what was asked */
	struct why why;		      /* it was closed */
	bool owed, sending, blocked;  /* changed, and no buffer was free; a picture has not left the socket; it is full */
};

/* --- pictures ----------------------------------------------------------------------------------------------------- */

/* A time of the compositor's clock on ours; 0: not known, as one that is more than a second ahead. */
static int64_t convert_presentation_time(const struct wayland_face *w, int64_t at_ns)
{
	int64_t now = clock_now();
	struct timespec there;

	if (w->clock != CLOCK_MONOTONIC && at_ns) {
		if (clock_gettime(w->clock, &there))
			return 0;
		at_ns += now - ((int64_t)there.tv_sec * NS_PER_S + there.tv_nsec);
	}
	return at_ns > now + NS_PER_S ? 0 : at_ns;
}

static void forget_feedback(struct wayland_face *w, struct wp_presentation_feedback *feedback, int64_t at_ns)
{
	for (int i = 0; i < WAITING; i++) {
		if (w->waiting[i].feedback != feedback)
			continue;
		if (at_ns)
			w->cfg.presented(w->cfg.arg, w->waiting[i].number, at_ns);
		w->waiting[i].feedback = NULL;
	}
	wp_presentation_feedback_destroy(feedback);
}

static void on_presented(void *data, struct wp_presentation_feedback *feedback, uint32_t s_high, uint32_t s_low, uint32_t ns,
			 uint32_t refresh, uint32_t count_high, uint32_t count_low, uint32_t flags)
{
	/* (no clock has been running for 136 years: that is no time) */
	forget_feedback(data, feedback, s_high ? 0 : convert_presentation_time(data, s_low * NS_PER_S + ns));
}

static void on_discarded(void *data, struct wp_presentation_feedback *feedback)
{
	forget_feedback(data, feedback, 0);
}

IGNORE(on_output, struct wp_presentation_feedback *feedback, struct wl_output *output)

static const struct wp_presentation_feedback_listener feedback_listener = { on_output, on_presented, on_discarded };

static void ask_presentation(struct wayland_face *w)
{
	for (int i = 0; i < WAITING && w->presentation; i++) {
		if (w->waiting[i].feedback)
			continue;
		w->waiting[i].number = w->number;
		w->waiting[i].feedback = wp_presentation_feedback(w->presentation, w->surface);
		wp_presentation_feedback_add_listener(w->waiting[i].feedback, &feedback_listener, w);
		return;
	}
}

/* Copies what has changed since the buffer was shown last. */
static void refresh_buffer(struct wayland_face *w, struct face_buffer *b)
{
	struct pixel_area part = area_clip(b->stale, w->w, w->h);
	char *picture = w->memory + (size_t)(b - w->buffer) * w->bytes;

	for (int y = part.y; y < part.y + part.h; y++)
		memcpy(picture + 4 * (y * w->w + part.x), w->canvas.pixel + y * SCENE_WIDTH + part.x, 4 * (size_t)part.w);
	b->stale = (struct pixel_area){ 0 };
}

static void damage_box(struct wayland_face *w, const struct pixel_area *box)
{
	if (box->w)
		wl_surface_damage_buffer(w->surface, box->x, box->y, box->w, box->h);
}

static void show_picture(struct wayland_face *w)
{
	struct face_buffer *b = w->buffer;

	while (b < w->buffer + BUFFERS && b->busy)
		b++;
	w->owed = w->mapped && b == w->buffer + BUFFERS;
	if (w->owed || !w->mapped)
		return;
	refresh_buffer(w, b);
	b->busy = true;
	wl_surface_attach(w->surface, b->wl, 0, 0);
	damage_box(w, &w->changed.cells);
	damage_box(w, &w->changed.text);
	w->changed = (struct canvas_change){ 0 };
	ask_presentation(w);
	wl_surface_commit(w->surface);
	w->sending = true;
}

static void on_release(void *data, struct wl_buffer *wl)
{
	struct face_buffer *b = data;

	b->busy = false;
	if (b->face->owed)
		show_picture(b->face);
}

static const struct wl_buffer_listener buffer_listener = { on_release };

/* Makes the memory of the buffers larger where it must be: a confined program can make no other. */
static bool grow_memory(struct wayland_face *w, size_t bytes)
{
	void *memory;

	if (bytes <= w->memory_bytes)
		return true;
	if (ftruncate(w->fd, (off_t)bytes))
		return false;
	memory = w->pool ? mremap(w->memory, w->memory_bytes, bytes, MREMAP_MAYMOVE)
			 : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, w->fd, 0);
	if (memory == MAP_FAILED)
		return false;
	if (w->pool)
		wl_shm_pool_resize(w->pool, (int)bytes);
	else
		w->pool = wl_shm_create_pool(w->shm, w->fd, (int)bytes);
	w->memory = memory;
	w->memory_bytes = bytes;
	return true;
}

static void size_window(struct wayland_face *w, int width, int height)
{
	uint64_t pixels = (uint64_t)width * (uint64_t)height; /* as the compositor has it */
	size_t bytes = (size_t)pixels * 4;
	bool large = pixels > INT32_MAX / 4 / BUFFERS;

	if (w->closed)
		return;
	w->closed = large || !grow_memory(w, BUFFERS * bytes);
	if (w->closed) {
		why_say(&w->why, "cannot make a window of %d x %d pixels, as the Wayland compositor wants: %s", width, height,
			large ? "it is too large" : strerror(errno));
		return;
	}
	w->w = width, w->h = height, w->bytes = bytes;
	memset(w->memory, 0xff, BUFFERS * bytes);
	for (int i = 0; i < BUFFERS; i++) {
		struct face_buffer *b = &w->buffer[i];

		if (b->wl)
			wl_buffer_destroy(b->wl);
		*b = (struct face_buffer){ w, .stale = { 0, 0, SCENE_WIDTH, SCENE_HEIGHT } };
		b->wl = wl_shm_pool_create_buffer(w->pool, i * (int)bytes, width, height, 4 * width, WL_SHM_FORMAT_XRGB8888);
		wl_buffer_add_listener(b->wl, &buffer_listener, b);
	}
	w->changed.cells = (struct pixel_area){ 0, 0, width, height };
}

static void flush_requests(struct wayland_face *w)
{
	bool sent = wl_display_flush(w->display) >= 0;

	w->blocked = !sent && errno == EAGAIN;
	if (!sent || !w->sending)
		return;
	w->sending = false;
	w->cfg.flushed(w->cfg.arg, clock_now());
}

static void draw_keys(struct echo_face *f, uint32_t number, const unsigned char *typed, size_t n)
{
	struct wayland_face *w = DOWNCAST(f, struct wayland_face, f->draw == draw_keys);
	struct canvas_change changed = canvas_draw(&w->canvas, number, typed, n);

	w->number = number;
	area_include(&w->changed.cells, &changed.cells);
	area_include(&w->changed.text, &changed.text);
	for (int i = 0; i < BUFFERS; i++) {
		area_include(&w->buffer[i].stale, &changed.cells);
		area_include(&w->buffer[i].stale, &changed.text);
	}
	show_picture(w);
	flush_requests(w);
}

/* --- seats -------------------------------------------------------------------------------------------------------- */

static void on_keymap(void *data, struct wl_keyboard *keyboard, uint32_t format, int fd, uint32_t size)
{
	struct face_seat *seat = data;
	struct xkb_context *context = xkb_context_new(XKB_CONTEXT_NO_DEFAULT_INCLUDES);
	char *text = format == WL_KEYBOARD_KEYMAP_FORMAT_XKB_V1 && size <= KEYMAP_MOST ? memory_new(size + 1, 1) : NULL;
	/* read, not mapped: what is shorter than the compositor says, or becomes so, would end this program */
	ssize_t n = text ? pread(fd, text, size, 0) : -1;

	xkb_state_unref(seat->keys);
	xkb_keymap_unref(seat->keymap);
	seat->keys = NULL;
	seat->keymap = NULL;
	if (context)
		xkb_context_set_log_level(context, XKB_LOG_LEVEL_CRITICAL);
	if (context && n > 0)
		seat->keymap = xkb_keymap_new_from_string(context, text, XKB_KEYMAP_FORMAT_TEXT_V1, XKB_KEYMAP_COMPILE_NO_FLAGS);
	if (seat->keymap)
		seat->keys = xkb_state_new(seat->keymap);
	free(text);
	xkb_context_unref(context);
	close(fd);
}

static void on_key(void *data, struct wl_keyboard *keyboard, uint32_t serial, uint32_t time, uint32_t key, uint32_t state)
{
	int64_t now = clock_now();
	struct face_seat *seat = data;
	xkb_keycode_t code = key + EVDEV_OFFSET;
	char text[8] = "";

	if (state != WL_KEYBOARD_KEY_STATE_PRESSED ||
	    (seat->keys && face_is_modifier_key(xkb_state_key_get_one_sym(seat->keys, code))))
		return;
	if (!seat->keys || xkb_state_key_get_utf8(seat->keys, code, text, sizeof(text)) != 1)
		*text = 0;
	seat->face->cfg.key(seat->face->cfg.arg, now, (unsigned char)*text);
}

static void on_modifiers(void *data, struct wl_keyboard *keyboard, uint32_t serial, uint32_t down, uint32_t latched,
			 uint32_t locked, uint32_t group)
{
	struct face_seat *seat = data;

	if (seat->keys)
		xkb_state_update_mask(seat->keys, down, latched, locked, 0, 0, group);
}

IGNORE(on_focus, struct wl_keyboard *keyboard, uint32_t serial, struct wl_surface *surface, struct wl_array *keys)
IGNORE(on_focus_lost, struct wl_keyboard *keyboard, uint32_t serial, struct wl_surface *surface)

static const struct wl_keyboard_listener keyboard_listener = {
	.keymap = on_keymap, .enter = on_focus, .leave = on_focus_lost, .key = on_key, .modifiers = on_modifiers
};

static void on_pointer_enter(void *data, struct wl_pointer *pointer, uint32_t serial, struct wl_surface *surface, wl_fixed_t x,
			     wl_fixed_t y)
{
	wl_pointer_set_cursor(pointer, serial, NULL, 0, 0);
}

IGNORE(on_pointer_leave, struct wl_pointer *pointer, uint32_t serial, struct wl_surface *surface)
IGNORE(on_motion, struct wl_pointer *pointer, uint32_t time, wl_fixed_t x, wl_fixed_t y)
IGNORE(on_button, struct wl_pointer *pointer, uint32_t serial, uint32_t time, uint32_t button, uint32_t state)
IGNORE(on_axis, struct wl_pointer *pointer, uint32_t time, uint32_t axis, wl_fixed_t value)

static const struct wl_pointer_listener pointer_listener = {
	.enter = on_pointer_enter, .leave = on_pointer_leave, .motion = on_motion, .button = on_button, .axis = on_axis
};

/* Maps the window anew: so it gets the keyboard of a seat that came later, which weston gives to no window before a click. */
static void map_again(struct wayland_face *w)
{
	w->mapped = false;
	wl_surface_attach(w->surface, NULL, 0, 0);
	wl_surface_commit(w->surface);
	xdg_toplevel_set_fullscreen(w->window, NULL);
	wl_surface_commit(w->surface);
}

static void on_capabilities(void *data, struct wl_seat *wl, uint32_t has)
{
	struct face_seat *seat = data;

	if (has & WL_SEAT_CAPABILITY_KEYBOARD && !seat->keyboard) {
		seat->keyboard = wl_seat_get_keyboard(wl);
		wl_keyboard_add_listener(seat->keyboard, &keyboard_listener, seat);
		if (seat->face->mapped)
			map_again(seat->face);
	} else if (!(has & WL_SEAT_CAPABILITY_KEYBOARD) && seat->keyboard) {
		wl_keyboard_release(seat->keyboard);
		seat->keyboard = NULL;
	}
	if (has & WL_SEAT_CAPABILITY_POINTER && !seat->pointer) {
		seat->pointer = wl_seat_get_pointer(wl);
		wl_pointer_add_listener(seat->pointer, &pointer_listener, seat);
	} else if (!(has & WL_SEAT_CAPABILITY_POINTER) && seat->pointer) {
		wl_pointer_release(seat->pointer);
		seat->pointer = NULL;
	}
}

IGNORE(on_seat_name, struct wl_seat *wl, const char *name)

static const struct wl_seat_listener seat_listener = { on_capabilities, on_seat_name };

static void drop_seat(struct face_seat *seat)
{
	if (!seat->wl)
		return;
	on_capabilities(seat, seat->wl, 0);
	xkb_state_unref(seat->keys);
	xkb_keymap_unref(seat->keymap);
	wl_seat_destroy(seat->wl);
	*seat = (struct face_seat){ 0 };
}

/* --- what the compositor has -------------------------------------------------------------------------------------- */

static void on_ping(void *data, struct xdg_wm_base *base, uint32_t serial)
{
	xdg_wm_base_pong(base, serial);
}

static const struct xdg_wm_base_listener base_listener = { on_ping };

static void on_clock(void *data, struct wp_presentation *presentation, uint32_t clock)
{
	((struct wayland_face *)data)->clock = (clockid_t)clock;
}

static const struct wp_presentation_listener presentation_listener = { on_clock };

static void on_global(void *data, struct wl_registry *registry, uint32_t name, const char *has, uint32_t version)
{
	struct wayland_face *w = data;

	if (!strcmp(has, wl_shm_interface.name)) {
		w->shm = wl_registry_bind(registry, name, &wl_shm_interface, 1);
	} else if (!strcmp(has, wl_compositor_interface.name) && version >= 4) {
		w->compositor = wl_registry_bind(registry, name, &wl_compositor_interface, 4);
	} else if (!strcmp(has, xdg_wm_base_interface.name)) {
		w->base = wl_registry_bind(registry, name, &xdg_wm_base_interface, 1);
		xdg_wm_base_add_listener(w->base, &base_listener, w);
	} else if (!strcmp(has, wp_presentation_interface.name)) {
		w->presentation = wl_registry_bind(registry, name, &wp_presentation_interface, 1);
		wp_presentation_add_listener(w->presentation, &presentation_listener, w);
	} else if (!strcmp(has, wl_seat_interface.name) && version >= 3) {
		struct face_seat *seat = w->seat;

		while (seat->wl && seat < w->seat + SEATS - 1)
			seat++;
		drop_seat(seat);
		*seat = (struct face_seat){ .face = w,
					    .wl = wl_registry_bind(registry, name, &wl_seat_interface, 3),
					    .name = name };
		wl_seat_add_listener(seat->wl, &seat_listener, seat);
	}
}

static void on_global_remove(void *data, struct wl_registry *registry, uint32_t name)
{
	struct wayland_face *w = data;

	for (int i = 0; i < SEATS; i++)
		if (w->seat[i].name == name)
			drop_seat(&w->seat[i]);
}

static const struct wl_registry_listener registry_listener = { on_global, on_global_remove };

/* --- the window --------------------------------------------------------------------------------------------------- */

static void on_surface_configure(void *data, struct xdg_surface *role, uint32_t serial)
{
	struct wayland_face *w = data;
	int width = w->next_w > 0 ? w->next_w : SCENE_WIDTH, height = w->next_h > 0 ? w->next_h : SCENE_HEIGHT;

	xdg_surface_ack_configure(role, serial);
	if (w->mapped && width == w->w && height == w->h)
		return wl_surface_commit(w->surface);
	size_window(w, width, height);
	w->mapped = !w->closed;
	if (w->mapped)
		show_picture(w);
}

static const struct xdg_surface_listener role_listener = { on_surface_configure };

static void on_window_configure(void *data, struct xdg_toplevel *window, int32_t width, int32_t height, struct wl_array *states)
{
	struct wayland_face *w = data;

	w->next_w = width, w->next_h = height;
}

static void on_window_close(void *data, struct xdg_toplevel *window)
{
	struct wayland_face *w = data;

	w->closed = true;
	why_say(&w->why, "the window on the Wayland display was closed");
}

static const struct xdg_toplevel_listener window_listener = { .configure = on_window_configure, .close = on_window_close };

static int say_gone(struct wayland_face *w, struct why *why)
{
	return why_fail(-EPIPE, why, "the Wayland display went away: %s", strerror(wl_display_get_error(w->display)));
}

static int await_events(struct echo_face *f, int64_t until_ns, struct why *why)
{
	struct wayland_face *w = DOWNCAST(f, struct wayland_face, f->wait == await_events);
	int fd = wl_display_get_fd(w->display);
	fd_set in, out;

	for (; wl_display_prepare_read(w->display); until_ns = 0) /* events have come */
		if (wl_display_dispatch_pending(w->display) < 0)
			return say_gone(w, why);
	flush_requests(w);
	FD_ZERO(&in);
	FD_ZERO(&out);
	FD_SET(fd, &in);
	if (w->blocked)
		FD_SET(fd, &out);
	proc_select(fd + 1, &in, &out, until_ns);
	if (wl_display_read_events(w->display) < 0 || wl_display_dispatch_pending(w->display) < 0)
		return say_gone(w, why);
	flush_requests(w);
	if (w->closed)
		return why_fail(-ECONNRESET, why, "%s", w->why.text);
	return 0;
}

static void on_done(void *data, struct wl_callback *callback, uint32_t serial)
{
	((struct wayland_face *)data)->done = true;
	wl_callback_destroy(callback);
}

static const struct wl_callback_listener done_listener = { on_done };

/* Waits until the compositor has done all that was asked. */
static bool await_compositor(struct wayland_face *w, const char *what, struct why *why)
{
	int64_t patience = clock_now() + SHOW_WAIT_NS;

	w->done = false;
	wl_callback_add_listener(wl_display_sync(w->display), &done_listener, w);
	while (!w->done) {
		if (await_events(&w->face, patience, why))
			return false;
		if (clock_now() < patience && !proc_stop)
			continue;
		why_say(why, proc_stop ? "stopped before the window was shown" : "the Wayland compositor did not %s within 10 s",
			what);
		return false;
	}
	return true;
}

static void close_face(struct echo_face *f)
{
	struct wayland_face *w = DOWNCAST(f, struct wayland_face, f->close == close_face);

	if (w->display)
		wl_display_disconnect(w->display); /* with all that belongs to it; the program is at its end */
	for (int i = 0; i < SEATS; i++) {
		xkb_state_unref(w->seat[i].keys);
		xkb_keymap_unref(w->seat[i].keymap);
	}
	if (w->memory)
		munmap(w->memory, w->memory_bytes);
	if (w->fd >= 0)
		close(w->fd);
	canvas_free(&w->canvas);
	free(w);
}

static void discard_message(const char *format, va_list words)
{
}

static bool connect_display(struct wayland_face *w, struct why *why)
{
	const char *name = getenv("WAYLAND_DISPLAY");
	struct wl_registry *registry;

	w->display = wl_display_connect(NULL);
	if (!w->display)
		return why_fail(false, why, "cannot open the Wayland display %s: %s; WAYLAND_DISPLAY and XDG_RUNTIME_DIR name it",
				name ? name : "wayland-0", strerror(errno));
	registry = wl_display_get_registry(w->display);
	wl_registry_add_listener(registry, &registry_listener, w);
	if (!await_compositor(w, "say what it has", why))
		return false;
	if (!w->compositor || !w->shm || !w->base)
		return why_fail(false, why, "the Wayland compositor lacks %s",
				!w->compositor ? "wl_compositor of version 4"
				: !w->shm      ? "wl_shm"
					       : "xdg_wm_base, as one for a kiosk may");
	return true;
}

/* Opens the window and waits until the compositor has its first picture. */
static bool show_window(struct wayland_face *w, struct why *why)
{
	w->fd = memfd_create("refecho", MFD_CLOEXEC);
	w->surface = wl_compositor_create_surface(w->compositor);
	w->role = xdg_wm_base_get_xdg_surface(w->base, w->surface);
	xdg_surface_add_listener(w->role, &role_listener, w);
	w->window = xdg_surface_get_toplevel(w->role);
	xdg_toplevel_add_listener(w->window, &window_listener, w);
	xdg_toplevel_set_title(w->window, "refecho");
	xdg_toplevel_set_app_id(w->window, "refecho");
	xdg_toplevel_set_fullscreen(w->window, NULL);
	wl_surface_commit(w->surface);
	return await_compositor(w, "configure the window", why) && await_compositor(w, "show the window", why);
}

struct echo_face *face_open_wayland(const struct echo_face_cfg *cfg, struct why *why)
{
	struct wayland_face *w = memory_new(1, sizeof(*w));

	wl_log_set_handler_client(discard_message);
	w->cfg = *cfg;
	w->face = (struct echo_face){ .wait = await_events, .draw = draw_keys, .close = close_face };
	w->fd = -1;
	w->clock = CLOCK_MONOTONIC;
	canvas_init(&w->canvas, cfg->cell, cfg->noise, cfg->seed);
	if (connect_display(w, why) && show_window(w, why)) {
		w->face.presents = w->presentation != NULL;
		return &w->face;
	}
	close_face(&w->face);
	return NULL;
}

const bool face_wayland_built = true;
#else
struct echo_face *face_open_wayland(const struct echo_face_cfg *cfg, struct why *why)
{
	return NULL;
}

const bool face_wayland_built = false;
#endif
