// SPDX-License-Identifier: GPL-3.0-or-later
/* animate - shows a looping animation of N different frames, writes it as raw video, or counts the frames that really appear on a
 * display.
 *
 * picture.c draws a frame, frames.c knows when frames are due and counts those seen, show.c and count.c work on an X display. This
 * file reads options, writes raw video, and reports. */
#include "clock.h"
#include "count.h"
#include "proc.h"
#include "rec.h"
#include "say.h"
#include "show.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES_MAX 100000
#define FRAMES_DEFAULT 10
#define SIDE_MAX 4096	/* width and height of a frame, in pixels */
#define UNSET -1	/* of --frames and --hot: not given */

static struct {
	int64_t frames, hot, seed, time_ns, wait_ns, ready_fd;
	double rate_per_s;
	int width, height, x, y, order, content, draw;
	const char *display, *log;
} cfg = { .frames = UNSET, .hot = UNSET, .seed = 1, .wait_ns = 10 * NS_PER_S, .ready_fd = STDERR_FILENO,
	  .rate_per_s = 20, .width = 100, .height = 100, .order = SEQUENCE_LOOP, .content = PICTURE_MIXED };
static struct rec_cfg out_cfg;

static int read_window_size(const char *text, void *value)
{
	char rest;

	(void)value;
	if (sscanf(text, "%4dx%4d%c", &cfg.width, &cfg.height, &rest) != 2 || cfg.width < PICTURE_MARK_WIDTH ||
	    cfg.height < PICTURE_MARK_HEIGHT || cfg.width > SIDE_MAX || cfg.height > SIDE_MAX)
		die_usage("--geometry %s: width and height in pixels, such as 100x100, from %dx%d to %dx%d", text,
			  PICTURE_MARK_WIDTH, PICTURE_MARK_HEIGHT, SIDE_MAX, SIDE_MAX);
	return 0;
}

static int read_window_place(const char *text, void *value)
{
	char rest;

	(void)value;
	if (sscanf(text, "%5d,%5d%c", &cfg.x, &cfg.y, &rest) != 2 || cfg.x < 0 || cfg.y < 0 || cfg.x > 32767 || cfg.y > 32767)
		die_usage("--at %s: the place of the window in pixels, such as 100,50", text);
	return 0;
}

static const struct cli_opt options[] = {
	{ CLI_INT, 0, "frames", &cfg.frames, 1, FRAMES_MAX,
	  "how many different frames (10); count: length of the loop, so that missed frames can be counted", NULL, NULL, NULL },
	{ CLI_CALL, 0, "geometry", NULL, 0, 0, "show, write: of a frame in pixels (100x100)", NULL, read_window_size, "WxH" },
	{ CLI_REAL, 0, "rate", &cfg.rate_per_s, 0.1, 1000, "show: frames a second (20)", NULL, NULL, NULL },
	{ CLI_NS, 't', "time", &cfg.time_ns, 1e6, 30.0 * (double)NS_PER_DAY,
	  "show, count: stop after this time (until a signal)", NULL, NULL, NULL },
	{ CLI_STR, 'd', "display", &cfg.display, 0, 0, "show, count: the X display ($DISPLAY)", NULL, NULL, "DISPLAY" },
	{ CLI_CALL, 0, "at", NULL, 0, 0, "show: place of the window (0,0)", NULL, read_window_place, "X,Y" },
	{ CLI_WORD, 0, "order", &cfg.order, 0, 0, "show: in which order frames follow each other (loop)", sequence_names, NULL, NULL },
	{ CLI_INT, 0, "hot", &cfg.hot, 1, FRAMES_MAX,
	  "show: with --order hot: every second frame is one of the first so many", NULL, NULL, NULL },
	{ CLI_INT, 0, "seed", &cfg.seed, 0, 9e18, "show, write: of the pictures and of the random order (1)", NULL, NULL, NULL },
	{ CLI_WORD, 0, "draw", &cfg.draw, 0, 0,
	  "show: send each frame every time, or once to a pixmap of the display (image)", show_draws, NULL, NULL },
	{ CLI_WORD, 0, "content", &cfg.content, 0, 0, "show, write: what a frame shows (mixed)", picture_contents, NULL, NULL },
	{ CLI_NS, 0, "wait", &cfg.wait_ns, 0, 3600.0 * (double)NS_PER_S, "count: look for the animation so long (10s)", NULL, NULL, NULL },
	{ CLI_STR, 0, "log", &cfg.log, 0, 0, "show, count: write a row for each frame shown, or seen, to this file", NULL, NULL, "FILE" },
	{ CLI_INT, 0, "ready-fd", &cfg.ready_fd, 0, 1023, "show, count: write \"ready\" to this descriptor (2)", NULL, NULL, "FD" },
	REC_OPTIONS(out_cfg),
	CLI_FORMER_NAME(0, "size", "geometry"),
	{ .type = CLI_END },
};

static void ready(void)
{
	proc_ready((int)cfg.ready_fd);
}

static struct rows *open_frame_log(const char *schema, const char *const *columns)
{
	struct rows *log = cfg.log ? rows_open(cfg.log, schema, columns) : NULL;

	if (cfg.log && !log)
		die(EXIT_RUN, "cannot write %s: %m", cfg.log);
	return log;
}

/* 0, or -errno with a warning: the log lacks rows. */
static int close_frame_log(struct rows *log)
{
	int err = log ? rows_close(log) : 0;

	if (err)
		warn("cannot write %s: %s; the report counts the frames all the same", cfg.log, strerror(-err));
	return err;
}

/* The exit status of the program. */
static int end_frame_report(struct rec *r, int lost, bool stopped)
{
	rec_must_close(r);
	return stopped ? EXIT_INTERRUPTED : lost ? EXIT_LOSSY : EXIT_OK;
}

static double per_second(int64_t n, int64_t from_ns, int64_t to_ns)
{
	return to_ns > from_ns ? (double)n * NS_PER_S / (double)(to_ns - from_ns) : (double)NAN;
}

static void report_show(struct rec *r, const struct show_cfg *show, struct show_result *got)
{
	rec_object(r, "settings");
	rec_str(r, "display", cfg.display);
	rec_count(r, "frames", show->order == SEQUENCE_FRESH ? -1 : show->frames);
	rec_int(r, "width_pixels", show->picture.width);
	rec_int(r, "height_pixels", show->picture.height);
	rec_real(r, "rate_per_s", show->rate_per_s, 3);
	rec_real(r, "time_s", show->time_ns ? (double)show->time_ns / NS_PER_S : NAN, 3);
	rec_str(r, "order", sequence_names[show->order]);
	rec_count(r, "hot", show->order == SEQUENCE_HOT ? show->hot : -1);
	rec_int(r, "seed", cfg.seed);
	rec_str(r, "draw", show_draws[show->draw]);
	rec_str(r, "content", picture_contents[show->picture.content]);
	rec_end(r);
	rec_object(r, "result");
	rec_int(r, "frames_due", got->due);
	rec_int(r, "frames_shown", got->shown);
	rec_int(r, "late_frames", got->late);
	rec_int(r, "left_out_frames", got->left_out);
	rec_int(r, "redrawn", got->redrawn);
	rec_real(r, "rate_per_s", per_second(got->shown, got->start_ns, got->end_ns), 3);
	rec_real(r, "seconds", (double)(got->end_ns - got->start_ns) / NS_PER_S, 6);
	rec_int(r, "start_ns", got->start_ns);
	rec_int(r, "frame_bytes", got->frame_bytes);
	rec_real(r, "information_bytes", got->information_bytes, 1);
	rec_timing(r, "lateness_us", &got->lateness_ns, NS_PER_US);
	rec_end(r);
	rec_say(r, "%s of %s frames shown at %s/s, %s late (worst %s)", say_count(got->shown), say_count(got->due),
		say_number(per_second(got->shown, got->start_ns, got->end_ns)), got->late ? say_count(got->late) : "none",
		say_ns(sample_max(&got->lateness_ns).value));
	if (got->left_out)
		rec_warn(r, "%s of %s frames were left out: this machine cannot show %s a second", say_count(got->left_out),
			 say_count(got->due), say_number(show->rate_per_s));
}

static int64_t frames_wanted(void)
{
	return cfg.frames == UNSET ? FRAMES_DEFAULT : cfg.frames;
}

/* Refuses options that exclude each other, before anything is opened. */
static void check_show_options(void)
{
	if (cfg.order == SEQUENCE_FRESH && (cfg.frames != UNSET || cfg.draw == SHOW_PIXMAP))
		die_usage("--order fresh: every frame is a new one, so no --frames and no --draw pixmap");
	if ((cfg.order == SEQUENCE_HOT) != (cfg.hot != UNSET))
		die_usage("--order hot and --hot N belong together");
	if (cfg.order == SEQUENCE_HOT && cfg.hot >= frames_wanted())
		die_usage("--hot %lld: must be fewer than --frames %lld", (long long)cfg.hot, (long long)frames_wanted());
	if (cfg.order == SEQUENCE_RANDOM && frames_wanted() < 2)
		die_usage("--order random: two frames at least");
}

static int show_frames(struct rec *r)
{
	struct show_cfg how = { .display = cfg.display, .order = (enum sequence_order)cfg.order,
				.frames = frames_wanted(), .hot = cfg.hot,
				.rate_per_s = cfg.rate_per_s, .time_ns = cfg.time_ns, .draw = (enum show_draw)cfg.draw, .x = cfg.x, .y = cfg.y, .ready = ready,
				.picture = { cfg.width, cfg.height, (enum picture_content)cfg.content, (uint64_t)cfg.seed } };
	struct show_result got;
	char why[256];
	int lost;

	how.log = open_frame_log("frame/1", show_columns);
	if (show_run(&how, &got, why, sizeof(why)))
		die(EXIT_RUN, "%s", why);
	lost = close_frame_log(how.log);
	report_show(r, &how, &got);
	show_free(&got);
	return end_frame_report(r, lost, got.stopped);
}

static void say_frames_seen(struct rec *r, int64_t loop, struct count_result *got)
{
	struct frame_tally *seen = &got->seen;
	const char *frames = say_count(seen->frames), *seconds = say_ns((double)(got->end_ns - got->start_ns));
	const char *rate = say_number(per_second(seen->frames - 1, seen->first_ns, seen->last_ns));

	if (loop > 1)
		rec_say(r, "%s frames seen in %s: %s/s, %s of %s kinds, %s missed", frames, seconds, rate, say_count(seen->distinct),
			say_count(loop), seen->missed ? say_count(seen->missed) : "none");
	else
		rec_say(r, "%s frames seen in %s: %s/s, %s kinds; missed: unknown, give --frames N", frames, seconds, rate,
			say_count(seen->distinct));
	rec_say(r, "  gap %s (median), %s at worst", say_ns(sample_quantile(&seen->gap, 0.5).value), say_ns(sample_max(&seen->gap).value));
}

static void report_count(struct rec *r, const struct count_cfg *count, struct count_result *got)
{
	struct frame_tally *seen = &got->seen;

	rec_object(r, "settings");
	rec_str(r, "display", cfg.display);
	rec_count(r, "frames", count->loop ? count->loop : -1);
	rec_real(r, "time_s", count->time_ns ? (double)count->time_ns / NS_PER_S : NAN, 3);
	rec_end(r);
	rec_object(r, "result");
	rec_int(r, "frames_seen", seen->frames);
	rec_int(r, "distinct", seen->distinct);
	rec_count(r, "missed", count->loop > 1 ? seen->missed : -1);
	rec_int(r, "foreign", seen->foreign);
	/* from the first frame seen to the last: watching begins and ends in the middle of a frame */
	rec_real(r, "rate_per_s", per_second(seen->frames - 1, seen->first_ns, seen->last_ns), 3);
	rec_real(r, "seconds", (double)(got->end_ns - got->start_ns) / NS_PER_S, 6);
	rec_int(r, "looks", got->looks);
	rec_int(r, "unreadable", got->unreadable);
	rec_int(r, "x_pixels", got->x);
	rec_int(r, "y_pixels", got->y);
	rec_real(r, "cell_pixels", got->cell, 2);
	rec_timing(r, "gap_ms", &seen->gap, NS_PER_MS);
	rec_end(r);
	say_frames_seen(r, count->loop, got);
}

static int count_frames(struct rec *r)
{
	struct count_cfg how = { .display = cfg.display, .loop = cfg.frames == UNSET ? 0 : cfg.frames,
				 .wait_ns = cfg.wait_ns, .time_ns = cfg.time_ns, .ready = ready };
	struct count_result got;
	char why[256];
	int lost;

	how.log = open_frame_log("seen/1", count_columns);
	if (count_run(&how, &got, why, sizeof(why)))
		die(EXIT_RUN, "%s", why);
	lost = close_frame_log(how.log);
	report_count(r, &how, &got);
	count_free(&got);
	return end_frame_report(r, lost, got.stopped);
}

/* Writes one frame as raw video: four bytes a pixel, blue, green, red, 0. */
static bool write_frame(const struct picture *picture, uint32_t frame, uint32_t *rgb, unsigned char *bytes, FILE *out)
{
	size_t pixels = (size_t)picture->width * (size_t)picture->height;

	picture_draw(picture, frame, rgb);
	for (size_t i = 0; i < pixels; i++)
		for (size_t k = 0; k < 4; k++)
			bytes[4 * i + k] = (unsigned char)(rgb[i] >> 8 * k);
	return fwrite(bytes, 4, pixels, out) == pixels;
}

/* Writes frames 0 to `frames` - 1 to a file ("-": standard output), or ends the program. */
static void write_video(const struct picture *picture, int64_t frames, const char *path)
{
	size_t pixels = (size_t)picture->width * (size_t)picture->height;
	uint32_t *rgb = malloc(pixels * sizeof(*rgb));
	unsigned char *bytes = malloc(pixels * 4);
	FILE *out = strcmp(path, "-") ? fopen(path, "we") : stdout;
	bool good = rgb && bytes && out;

	for (int64_t n = 0; n < frames && good; n++)
		good = write_frame(picture, (uint32_t)n, rgb, bytes, out);
	if (!good || fflush(out) || (out != stdout && fclose(out)))
		die(EXIT_RUN, "cannot write %s: %m", path);
	free(bytes);
	free(rgb);
}

static int write_frames(struct rec *r, const char *path)
{
	struct picture picture = { cfg.width, cfg.height, (enum picture_content)cfg.content, (uint64_t)cfg.seed };
	int64_t frames = frames_wanted();

	write_video(&picture, frames, path);
	rec_object(r, "settings");
	rec_int(r, "width_pixels", cfg.width);
	rec_int(r, "height_pixels", cfg.height);
	rec_str(r, "content", picture_contents[cfg.content]);
	rec_int(r, "seed", cfg.seed);
	rec_end(r);
	rec_object(r, "result");
	rec_int(r, "frames", frames);
	rec_int(r, "frame_bytes", (int64_t)cfg.width * cfg.height * 4);
	rec_end(r);
	rec_say(r, "%s frames of %dx%d pixels written to %s, %s", say_count(frames), cfg.width, cfg.height, path,
		say_bytes((double)frames * cfg.width * cfg.height * 4));
	return end_frame_report(r, 0, false);
}

/* Refuses an option of another command. The help of an option that not all commands have begins with the names of those that do. */
static void check_command_options(const char *word)
{
	static const char *const prefixes[] = { "show: ", "count: ", "show, count: ", "show, write: ", NULL };

	for (int i = 0; prefixes[i]; i++)
		if (!strstr(prefixes[i], word) && cli_given(prefixes[i]))
			die_usage("animate %s has no option --%s", word, cli_given(prefixes[i]));
}

int main(int argc, char **argv)
{
	int first = cli_parse(argc, argv,
			      "animate [show] [--frames N] [--geometry WxH] [--rate R] [-t TIME] [options] | animate count [-t TIME] [options]"
			      " | animate write FILE [--frames N] [--geometry WxH] [options]",
			      "Shows a looping animation of numbered frames, writes it as raw video, or counts the frames that really appear.",
			      options);
	const struct rec_place place[] = { { "-o", out_cfg.path ? out_cfg.path : "-" }, { "--log", cfg.log } };
	const char *word = first < argc ? argv[first] : "show";
	int words = word[0] == 'w' ? 2 : 1;
	struct rec *out;

	if (strcmp(word, "show") != 0 && strcmp(word, "count") != 0 && strcmp(word, "write") != 0)
		die_usage("unexpected word %s: show, count or write", word);
	if (first + words < argc)
		die_usage("unexpected word %s", argv[first + words]);
	if (words == 2 && first + 2 > argc)
		die_usage("animate write: to which file?");
	check_command_options(word);
	if (word[0] == 's')
		check_show_options();
	rec_check_apart(place, 2);
	proc_check_ready_fd((int)cfg.ready_fd);
	proc_stop_with_parent();
	proc_catch_stop();	/* before the output is opened, which a signal would otherwise leave incomplete */
	out = rec_must_open(&out_cfg, "animate");
	return word[0] == 's' ? show_frames(out) : word[0] == 'c' ? count_frames(out) : write_frames(out, argv[first + 1]);
}
