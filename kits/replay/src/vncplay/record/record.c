// SPDX-License-Identifier: GPL-3.0-or-later
/* record - the command: options, the recording, the report. recorder.c holds inputs back and takes snapshots; user_script.c or
 * user_proxy.c provides the inputs. */
#include "cli.h"
#include "clock.h"
#include "vncplay/commands.h"
#include "proc.h"
#include "rec.h"
#include "say.h"
#include "recorder.h"
#include "vncplay/common/server.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FIRST_NS NS_PER_S     /* wait for the rest of the first picture after its first update */
#define BYE_NS (2 * NS_PER_S) /* wait for the last inputs to reach the server */

static struct {
	struct server_cfg server;
	struct recorder_cfg recorder;
	bool headless;
	const char *script, *bind;
	int64_t port, snapshot, time_ns, ready_fd;
} cfg;
static struct rec_cfg out_cfg;

static int parse_key_area(const char *text, void *value)
{
	struct pixel_area *b = value;

	if (screen_parse_area(text, b) || b->x >= SCREEN_SIDE_MOST || b->y >= SCREEN_SIDE_MOST)
		return -1;
	return (int64_t)b->w * b->h <= TRACE_SNAPSHOT_MOST ? 0 : -1;
}

static const struct cli_opt options[] = {
	{ CLI_FLAG, 0, "headless", &cfg.headless, .help = "no viewer; needs --script, which implies it" },
	{ CLI_FILE, 0, "script", &cfg.script, .help = "take actions from this file, one a line; -: standard input" },
	{ CLI_INT, 'l', "listen", &cfg.port, 1, 65535, .help = "serve the screen to a viewer on this TCP port (a free one)",
	  .meta = "PORT" },
	{ CLI_STR, 0, "bind", &cfg.bind, .help = "listen at this address; 0.0.0.0 means all (127.0.0.1)", .meta = "ADDRESS" },
	SERVER_OPTIONS(cfg.server),
	CONFINE_OPTIONS(cfg.server.sandbox),
	{ CLI_NS, 't', "time", &cfg.time_ns, 1e6, (double)NS_PER_DAY, .help = "stop after this time (default: on a signal)" },
	{ CLI_NS, 0, "settle", &cfg.recorder.quiet_ns, 1e6, 10e9,
	  .help = "the screen is at rest if nothing changed or was sent for this time (150ms)" },
	{ CLI_NS, 0, "settle-timeout", &cfg.recorder.quiet_most_ns, 1e6, 60e9,
	  .help = "hold an input back for at most this time (2s)" },
	{ CLI_INT, 0, "snapshot-size", &cfg.snapshot, 3, 31, .help = "side of a snapshot around the pointer, in pixels (11)" },
	{ CLI_CALL, 0, "key-area", &cfg.recorder.key_area, .help = "area that keys change (learned while recording)",
	  .call = parse_key_area, .meta = "X,Y,W,H (of at most 65536 pixels)" },
	{ CLI_GONE, 0, "no-anchor", .help = "a second snapshot is taken where the first is of one colour" },
	{ CLI_GONE, 0, "double-click", .help = "presses on one spot within 400ms belong together" },
	{ CLI_GONE, 0, "key-pause", .help = "keys after a pause of 400ms begin a new run" },
	{ CLI_GONE, 0, "hover", .help = "what changes near the pointer within 800ms of a move is its doing" },
	{ CLI_INT, 0, "ready-fd", &cfg.ready_fd, 0, 1023, .help = "write \"ready\" to this descriptor (2)", .meta = "FD" },
	REC_OPTIONS_QUIET(out_cfg, "silent"),
	{ .type = CLI_END },
};

struct recording_session {
	struct server_connection *server;
	struct growing_file *trace;
	struct input_source *user;
	struct recorder *recorder; /* NULL until the first picture is complete */
	int64_t start_ns;	   /* when the recording began, CLOCK_MONOTONIC */
	int64_t covered;	   /* pixels painted before the recorder was opened */
	int err;
	bool updated, shape;
};

static void on_resized(void *whose, int width, int height)
{
	struct recording_session *r = whose;
	char text[64];
	int err;

	if (!r->recorder)
		return;
	snprintf(text, sizeof(text), "the screen is %dx%d from here on", width, height);
	err = trace_write_comment(r->trace, text);
	if (!err)
		err = recorder_note_resized(r->recorder);
	if (!err && r->user->resized)
		err = r->user->resized(r->user);
	r->err = r->err ? r->err : err;
}

static void on_painted(void *whose, struct pixel_area box)
{
	struct recording_session *r = whose;

	if (!r->recorder) {
		r->covered += (int64_t)box.w * box.h;
		return;
	}
	recorder_note_painted(r->recorder, clock_now(), box);
	if (r->user->painted)
		r->user->painted(r->user, box);
}

static void on_update_ended(void *whose)
{
	struct recording_session *r = whose;

	r->updated = true;
}

static void on_cursor_shape(void *whose)
{
	((struct recording_session *)whose)->shape = true;
}

static int send_pointer(void *whose, int mask, int x, int y)
{
	return server_send_pointer(((struct recording_session *)whose)->server, mask, x, y);
}

static int send_key(void *whose, uint32_t keysym, bool down)
{
	return server_send_key(((struct recording_session *)whose)->server, keysym, down);
}

static int log_event(void *whose, const struct trace_event *e)
{
	return trace_write_event(((struct recording_session *)whose)->trace, e);
}

static int log_comment(void *whose, const char *text)
{
	return trace_write_comment(((struct recording_session *)whose)->trace, text);
}

/* Sleeps until the server or the user sends, until `until_ns`, or until a stop signal. */
static void wait_input(struct recording_session *r, int64_t until_ns)
{
	fd_set in, out;
	int top = r->server->fd;

	FD_ZERO(&in);
	FD_ZERO(&out);
	FD_SET(top, &in);
	if (r->server->queued)
		FD_SET(top, &out);
	if (r->user) {
		int64_t wake_ns = r->user->wait(r->user, &in, &top);

		until_ns = wake_ns < until_ns ? wake_ns : until_ns;
	}
	proc_select(top + 1, &in, &out, until_ns);
}

/* Reads from the server for up to 50 ms. 0, or -errno: the connection is over. */
static int read_updates(struct recording_session *r)
{
	int64_t until = clock_now() + 50 * NS_PER_MS;
	int got = 1, err = server_flush(r->server);

	for (int i = 0; i < 64 && got == 1 && !err && (!i || clock_now() < until); i++)
		got = server_read(r->server, NULL, NULL);
	return err ? err : got < 0 ? got : 0;
}

/* Reads until the first picture is complete, or is not added to any more: before that, every update would count as a change.
 * The first updates may contain only the cursor or the screen's size. */
static int await_first_picture(struct recording_session *r)
{
	const struct screen *screen = &rfb_state(r->server->rfb)->screen;
	int64_t until = clock_now() + cfg.server.timeout_ns;
	int err = 0;

	while (!err && !proc_stop && clock_now() < until && (!r->updated || r->covered < (int64_t)screen->width * screen->height)) {
		bool before = r->updated;

		err = read_updates(r);
		if (r->updated && !before && until > clock_now() + FIRST_NS)
			until = clock_now() + FIRST_NS;
		if (!err)
			wait_input(r, until);
	}
	return err ? err : r->updated || proc_stop ? 0 : -ETIMEDOUT;
}

/* Records until the end. Returns the reason as a word for the report; sets *status to the exit status and `why` to an error,
 * if any. */
static const char *run_recording(struct recording_session *r, struct why *why, int *status)
{
	int64_t end = cfg.time_ns ? clock_now() + cfg.time_ns : INT64_MAX, wake;
	bool held;
	int err;

	for (;;) {
		err = read_updates(r);
		if (err) {
			*status = cfg.script ? EXIT_LOSSY
					     : EXIT_OK; /* the rest of a script is lost; a user saw the connection close */
			why_say(why, "%s", r->server->why.text);
			return "server closed";
		}
		err = r->err ? r->err : r->user->take(r->user, r->recorder, clock_now(), why);
		if (err == 1)
			return r->user->ended;
		held = recorder_has_queued(r->recorder);
		if (!err)
			err = recorder_send_due(r->recorder, clock_now(), &wake);
		if (held && !recorder_has_queued(r->recorder)) /* a script may be waiting for it */
			wake = clock_now();
		if (err < 0) {
			*status = EXIT_RUN;
			if (!*why->text)
				why_say(why, "%s", strerror(-err));
			return "failed";
		}
		if (proc_stop) {
			*status = EXIT_INTERRUPTED;
			return "interrupted";
		}
		if (clock_now() >= end)
			return "time is up";
		wait_input(r, wake < end ? wake : end);
	}
}

static void report_recording(struct rec_report *out, const struct recording_session *r, const char *trace, const char *ended)
{
	const struct recorder_statistics *c = recorder_get_statistics(r->recorder);
	const struct rfb_decoder *rfb = r->server->rfb;
	double seconds = (double)(clock_now() - r->start_ns) / NS_PER_S;
	int64_t snapshots = 0;

	rec_begin_object(out, "settings");
	rec_add_strs(out, { "server", cfg.server.address }, { "trace", trace }, { "by", cfg.script ? "script" : "proxy" });
	rec_add_real(out, "quiet_ms", (double)cfg.recorder.quiet_ns / NS_PER_MS, 1);
	rec_add_real(out, "quiet_most_ms", (double)cfg.recorder.quiet_most_ns / NS_PER_MS, 1);
	rec_add_int(out, "snapshot_size", cfg.recorder.snapshot);
	rec_add_str(out, "sandbox", confine_state());
	rec_end(out);
	rec_begin_object(out, "result");
	rec_add_str(out, "name", rfb_state(rfb)->name);
	rec_add_int(out, "width", rfb_state(rfb)->screen.width);
	rec_add_int(out, "height", rfb_state(rfb)->screen.height);
	rec_add_str(out, "ended", ended);
	rec_add_real(out, "seconds", seconds, 3);
	rec_add_ints(out, { "inputs", c->inputs }, { "presses", c->presses }, { "releases", c->releases }, { "keys", c->keys });
	rec_begin_object(out, "snapshots");
	for (int i = TRACE_FOR_CLICK; i <= TRACE_FOR_HOVER; i++) {
		rec_add_int(out, trace_why_words[i], c->snapshots[i]);
		snapshots += c->snapshots[i];
	}
	rec_end(out);
	rec_add_int(out, "quiesced", c->quiesced);
	rec_add_int(out, "restless", c->restless);
	rec_add_real(out, "held_most_ms", (double)c->held_most_ns / NS_PER_MS, 1);
	rec_add_bool(out, "pointer_shape", r->shape);
	rec_end(out);
	if (!c->presses && !c->keys)
		rec_warn(out, "no click and no key within %s: nothing to replay", ns_text(seconds * NS_PER_S));
	else
		rec_say(out, "recorded %s: %s (%s, %s), %s", ns_text(seconds * NS_PER_S), counted_text(c->inputs, "input"),
			counted_text(c->keys, "key"), counted_text(c->presses, "click"), counted_text(snapshots, "snapshot"));
	rec_say(out, "  inputs were held back %s at most", ns_text((double)c->held_most_ns));
	if (c->restless)
		rec_say(out, "  %s the screen did not come to rest before a snapshot", counted_text(c->restless, "time"));
}

static void check_options(void)
{
	if (cfg.headless && !cfg.script)
		die_usage("--headless needs --script FILE");
	if (cfg.script && (cfg.port || cfg.bind || cfg.ready_fd != STDERR_FILENO))
		die_usage("--script with --listen, --bind or --ready-fd: either a script or a viewer");
	proc_require_ready_fd((int)cfg.ready_fd);
	cfg.recorder.snapshot = (int)cfg.snapshot;
	if (cfg.recorder.quiet_most_ns < cfg.recorder.quiet_ns)
		die_usage("--settle-timeout is shorter than --settle");
}

/* Connects, awaits the first picture, opens the source of inputs, the trace and the recorder. Dies of what it cannot do. */
static void begin_recording(struct recording_session *r, const char *path)
{
	static const struct rfb_event_callbacks events = {
		.resized = on_resized, .painted = on_painted, .ended = on_update_ended, .shape = on_cursor_shape
	};
	static const struct recorder_callbacks out = {
		.pointer = send_pointer, .key = send_key, .log = log_event, .note = log_comment
	};
	const struct screen *screen;
	struct why why = { "" };
	char words[80];
	const char *name;
	int err;

	r->server = server_connect(&cfg.server, &events, r, &why);
	if (!r->server)
		die(proc_stop ? EXIT_INTERRUPTED : EXIT_RUN, "%s", why.text);
	screen = &rfb_state(r->server->rfb)->screen;
	name = rfb_state(r->server->rfb)->name;
	err = await_first_picture(r);
	if (err || proc_stop)
		die(proc_stop ? EXIT_INTERRUPTED : EXIT_RUN, "%s: no picture came: %s", cfg.server.address,
		    proc_stop		? "interrupted"
		    : err == -ETIMEDOUT ? "it took too long"
					: r->server->why.text);
	r->user = cfg.script ? script_source_open(screen, cfg.script, &why)
			     : viewer_source_open(screen, name, cfg.bind ? cfg.bind : "127.0.0.1", (int)cfg.port, words, &why);
	if (!r->user)
		die(cfg.script || strncmp(why.text, "--bind", 6) == 0 ? EXIT_USAGE : EXIT_RUN, "%s", why.text);
	r->trace = trace_create(path, name, screen->width, screen->height);
	if (!r->trace)
		die(EXIT_RUN, "cannot write %s: %m", path);
	r->start_ns = clock_now();
	r->recorder = recorder_open(&cfg.recorder, &out, r, screen, r->start_ns);
	if (!r->recorder)
		die(EXIT_RUN, "out of memory");
	if (cfg.script)
		return;
	warn("work in a viewer: %s; the recording ends when it leaves", words);
	proc_tell_ready((int)cfg.ready_fd);
}

int vncplay_record(int argc, char **argv)
{
	struct recording_session r = { 0 };
	const char *path, *ended;
	struct rec_report *rec;
	struct why why = { "" };
	int first, err, status = EXIT_OK;

	cfg.server.timeout_ns = 10 * NS_PER_S;
	cfg.recorder = recorder_defaults;
	cfg.snapshot = recorder_defaults.snapshot;
	cfg.ready_fd = STDERR_FILENO;
	first = cli_parse(argc, argv, "vncplay record [options] SERVER TRACE",
			  "Records a user's inputs in a session, and parts of the screen before them.", options);
	if (argc - first != 2)
		die_usage(argc - first < 2 ? "record: which SERVER, and which TRACE to write?" : "record: \"%s\" is too much",
			  argc - first < 2 ? "" : argv[first + 2]);
	cfg.server.address = argv[first];
	path = argv[first + 1];
	check_options();
	rec_refuse_same_outputs(
		(struct rec_output_path[]){ { "--script", cfg.script && strcmp(cfg.script, "-") != 0 ? cfg.script : NULL },
					    { "TRACE", path },
					    { "--output", out_cfg.path } },
		3);
	rec = rec_must_open(&out_cfg, "vncplay-record");
	proc_catch_stop();
	server_confine(&cfg.server, cfg.script ? CONFINE_CALL : CONFINE_PROXY, path, out_cfg.path, cfg.script);
	begin_recording(&r, path);
	ended = run_recording(&r, &why, &status);
	if (!recorder_finish(r.recorder, clock_now()))
		server_drain(r.server, clock_now() + BYE_NS);
	if (*why.text)
		rec_warn(rec, "%s", why.text);
	report_recording(rec, &r, path, ended);
	r.user->close(r.user);
	recorder_free(r.recorder);
	server_disconnect(r.server);
	err = growing_file_finish(r.trace);
	if (err)
		die(EXIT_RUN, "cannot write %s: %s", path, strerror(-err));
	rec_must_close(rec);
	return status;
}
