// SPDX-License-Identifier: GPL-3.0-or-later
/* animate - shows a looping animation of N different frames, writes it as raw video, or counts the frames that really appear on a
 * display.
 *
 * frame.c draws a frame, frames.c knows when frames are due and counts those seen, show.c and count.c work on an X display. This
 * file reads options, writes raw video, and reports. */
#include "clock.h"
#include "count.h"
#include "held_up.h"
#include "files.h"
#include "memory.h"
#include "proc.h"
#include "rec.h"
#include "say.h"
#include "show.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#define FRAMES_MAX 100000
#define FRAMES_DEFAULT 10
#define SIDE_MAX 4096 /* width and height of a frame, in pixels */
#define UNSET -1      /* of --frames and --hot: not given */

static struct {
	int64_t frames, hot, seed, time_ns, wait_ns, ready_fd;
	double rate_per_s;
	int width, height, x, y, order, content, draw;
	const char *display, *log;
} cfg = { .frames = UNSET,
	  .hot = UNSET,
	  .seed = 1,
	  .wait_ns = 10 * NS_PER_S,
	  .ready_fd = STDERR_FILENO,
	  .rate_per_s = 20,
	  .width = 100,
	  .height = 100,
	  .order = SEQUENCE_LOOP,
	  .content = FRAME_MIXED };
static struct rec_cfg out_cfg;

static int read_size(const char *text, void *value)
{
	char rest;

	(void)value;
	if (sscanf(text, "%4dx%4d%c", &cfg.width, &cfg.height, &rest) != 2 || cfg.width < FRAME_MARK_WIDTH ||
	    cfg.height < FRAME_MARK_HEIGHT || cfg.width > SIDE_MAX || cfg.height > SIDE_MAX)
		die_usage("--geometry %s: width and height in pixels, such as 100x100, from %dx%d to %dx%d", text, FRAME_MARK_WIDTH,
			  FRAME_MARK_HEIGHT, SIDE_MAX, SIDE_MAX);
	return 0;
}

static int read_place(const char *text, void *value)
{
	char rest;

	(void)value;
	if (sscanf(text, "%5d,%5d%c", &cfg.x, &cfg.y, &rest) != 2 || cfg.x < 0 || cfg.y < 0 || cfg.x > 32767 || cfg.y > 32767)
		die_usage("--at %s: the place of the window in pixels, such as 100,50", text);
	return 0;
}

static const struct cli_opt options[] = {
	{ CLI_INT, 0, "frames", &cfg.frames, 1, FRAMES_MAX,
	  .help = "number of different frames (10); count: needed for missed frames" },
	{ CLI_CALL, 0, "geometry", NULL, .of = "show, write", .help = "frame size in pixels (100x100)", .call = read_size,
	  .meta = "WxH" },
	{ CLI_REAL, 0, "rate", &cfg.rate_per_s, 0.1, 1000, .of = "show", .help = "frames a second (20)" },
	{ CLI_NS, 't', "time", &cfg.time_ns, 1e6, 30 * NS_PER_DAY, .of = "show, count",
	  .help = "stop after this time (default: on a signal)" },
	{ CLI_STR, 'd', "display", &cfg.display, .of = "show, count", .help = "X display ($DISPLAY)", .meta = "DISPLAY" },
	{ CLI_CALL, 0, "at", NULL, .of = "show", .help = "position of the window (0,0)", .call = read_place, .meta = "X,Y" },
	{ CLI_WORD, 0, "order", &cfg.order, .of = "show", .help = "order of the frames (loop)", .words = sequence_names },
	{ CLI_INT, 0, "hot", &cfg.hot, 1, FRAMES_MAX, .of = "show",
	  .help = "with --order hot: every second frame is one of the first N" },
	{ CLI_INT, 0, "seed", &cfg.seed, 0, 9e18, .of = "show, write", .help = "seed of pictures and random order (1)" },
	{ CLI_WORD, 0, "draw", &cfg.draw, .of = "show", .help = "send each frame every time, or once into a pixmap (image)",
	  .words = show_draws },
	{ CLI_WORD, 0, "content", &cfg.content, .of = "show, write", .help = "content of a frame (mixed)",
	  .words = frame_contents },
	{ CLI_NS, 0, "wait", &cfg.wait_ns, 0, 3600 * NS_PER_S, .of = "count", .help = "how long to look for the animation (10s)" },
	{ CLI_FILE, 0, "log", &cfg.log, .of = "show, count", .help = "write a row for each frame" },
	{ CLI_INT, 0, "ready-fd", &cfg.ready_fd, 0, 1023, .of = "show, count", .help = "write \"ready\" to this descriptor (2)",
	  .meta = "FD" },
	REC_OPTIONS(out_cfg),
	{ .type = CLI_END },
};

static void write_ready_line(void)
{
	proc_write_ready((int)cfg.ready_fd);
}

/* 0, or -errno with a warning: the log lacks rows. */
static int close_frame_log(struct row_file *log)
{
	int err = rows_close(log);

	if (err)
		warn("cannot write %s: %s; the report still counts the frames", cfg.log, strerror(-err));
	return err;
}

/* The exit status of the program. */
static int close_report(struct rec_report *r, int lost, bool stopped)
{
	rec_must_close(r);
	return stopped ? EXIT_INTERRUPTED : lost ? EXIT_LOSSY : EXIT_OK;
}

static double average_rate(int64_t n, int64_t from_ns, int64_t to_ns)
{
	return to_ns > from_ns ? (double)n * NS_PER_S / (double)(to_ns - from_ns) : (double)NAN;
}

/* True: the program itself did not run for a time. */
static bool report_shown(struct rec_report *r, const struct animation_cfg *show, struct show_result *got)
{
	rec_begin_object(r, "settings");
	rec_add_str(r, "display", cfg.display);
	rec_add_count(r, "frames", show->order == SEQUENCE_FRESH ? -1 : show->frames);
	rec_add_ints(r, { "width_pixels", show->picture.width }, { "height_pixels", show->picture.height });
	rec_add_real(r, "rate_per_s", show->rate_per_s, 3);
	rec_add_real(r, "time_s", show->time_ns ? (double)show->time_ns / NS_PER_S : NAN, 3);
	rec_add_str(r, "order", sequence_names[show->order]);
	rec_add_count(r, "hot", show->order == SEQUENCE_HOT ? show->hot : -1);
	rec_add_int(r, "seed", cfg.seed);
	rec_add_strs(r, { "draw", show_draws[show->draw] }, { "content", frame_contents[show->picture.content] });
	rec_end(r);
	rec_begin_object(r, "result");
	rec_add_ints(r, { "frames_due", got->due }, { "frames_shown", got->shown }, { "late_frames", got->late },
		     { "left_out_frames", got->left_out }, { "redrawn", got->redrawn });
	rec_add_real(r, "rate_per_s", average_rate(got->shown, got->start_ns, got->end_ns), 3);
	rec_add_real(r, "seconds", (double)(got->end_ns - got->start_ns) / NS_PER_S, 6);
	rec_add_ints(r, { "start_ns", got->start_ns }, { "frame_bytes", got->frame_bytes });
	rec_add_real(r, "information_bytes", got->information_bytes, 1);
	rec_add_sample(r, "lateness_us", &got->lateness_ns, NS_PER_US);
	held_up_report(r);
	rec_end(r);
	rec_say(r, "%s of %s shown at %s/s, %s late (worst %s)", count_text(got->shown), counted_text(got->due, "frame"),
		number_text(average_rate(got->shown, got->start_ns, got->end_ns)), got->late ? count_text(got->late) : "none",
		ns_text(sample_max(&got->lateness_ns).value));
	if (held_up_warn(r, "animate"))
		return true;
	if (got->left_out)
		rec_warn(r, "%s of %s frames were left out: this machine cannot show %s a second, or does not always give the CPU",
			 count_text(got->left_out), count_text(got->due), number_text(show->rate_per_s));
	return false;
}

static int64_t option_frames(void)
{
	return cfg.frames == UNSET ? FRAMES_DEFAULT : cfg.frames;
}

/* Refuses options that exclude each other, before anything is opened. */
static void refuse_show_conflicts(void)
{
	if (cfg.order == SEQUENCE_FRESH && (cfg.frames != UNSET || cfg.draw == SHOW_PIXMAP))
		die_usage("--order fresh: every frame is a new one, so no --frames and no --draw pixmap");
	if ((cfg.order == SEQUENCE_HOT) != (cfg.hot != UNSET))
		die_usage("--order hot and --hot N belong together");
	if (cfg.order == SEQUENCE_HOT && cfg.hot >= option_frames())
		die_usage("--hot %lld: must be fewer than --frames %lld", (long long)cfg.hot, (long long)option_frames());
	if (cfg.order == SEQUENCE_RANDOM && option_frames() < 2)
		die_usage("--order random: two frames at least");
}

static int run_show(struct rec_report *r)
{
	struct animation_cfg how = { .display = cfg.display,
				     .order = (enum sequence_order)cfg.order,
				     .frames = option_frames(),
				     .hot = cfg.hot,
				     .rate_per_s = cfg.rate_per_s,
				     .time_ns = cfg.time_ns,
				     .draw = (enum show_draw)cfg.draw,
				     .x = cfg.x,
				     .y = cfg.y,
				     .ready = write_ready_line,
				     .picture = { cfg.width, cfg.height, (enum frame_content)cfg.content, (uint64_t)cfg.seed } };
	struct show_result got;
	struct why why;
	int lost;

	how.log = rows_must_open(cfg.log, "frame/1", show_columns);
	held_up_watch(0);
	if (show_animation(&how, &got, &why))
		die(proc_stop ? EXIT_INTERRUPTED : EXIT_RUN, "%s", why.text);
	lost = close_frame_log(how.log);
	lost |= report_shown(r, &how, &got);
	show_result_free(&got);
	return close_report(r, lost, got.stopped);
}

/* Whether frames that were left out, but for whole rounds of the loop, would have been seen as such. */
static bool misses_are_known(int64_t loop, const struct frame_tally *seen)
{
	return loop > 1 && seen->frames > 1 && !seen->foreign;
}

static void say_frames_seen(struct rec_report *r, int64_t loop, struct count_result *got)
{
	struct frame_tally *seen = &got->seen;
	const char *frames = counted_text(seen->frames, "frame"), *seconds = ns_text((double)(got->end_ns - got->start_ns));
	const char *rate = number_text(average_rate(seen->frames - 1, seen->first_ns, seen->last_ns));

	if (misses_are_known(loop, seen))
		rec_say(r, "%s seen in %s: %s/s, %s of %s, %s missed (without whole rounds of the loop)", frames, seconds, rate,
			count_text(seen->distinct), counted_text(loop, "different frame"),
			seen->missed ? count_text(seen->missed) : "none");
	else if (loop > 1)
		rec_say(r, "%s seen in %s: %s/s, %s of %s; missed: unknown, %s", frames, seconds, rate, count_text(seen->distinct),
			counted_text(loop, "different frame"),
			seen->foreign ? "the loop has other frames than --frames says" : "the picture did not change");
	else
		rec_say(r, "%s seen in %s: %s/s, %s; missed: unknown, give --frames N", frames, seconds, rate,
			counted_text(seen->distinct, "different frame"));
	rec_say(r, "  gap %s (median), %s at worst", ns_text(sample_quantile(&seen->gap, 0.5).value),
		ns_text(sample_max(&seen->gap).value));
}

/* True: the program itself did not run for a time. */
static bool report_counted(struct rec_report *r, const struct frame_count_cfg *count, struct count_result *got)
{
	struct frame_tally *seen = &got->seen;

	rec_begin_object(r, "settings");
	rec_add_str(r, "display", cfg.display);
	rec_add_count(r, "frames", count->loop ? count->loop : -1);
	rec_add_real(r, "time_s", count->time_ns ? (double)count->time_ns / NS_PER_S : NAN, 3);
	rec_end(r);
	rec_begin_object(r, "result");
	rec_add_ints(r, { "frames_seen", seen->frames }, { "distinct", seen->distinct });
	rec_add_count(r, "missed", misses_are_known(count->loop, seen) ? seen->missed : -1);
	rec_add_int(r, "foreign", seen->foreign);
	/* from the first frame seen to the last: watching begins and ends in the middle of a frame */
	rec_add_real(r, "rate_per_s", average_rate(seen->frames - 1, seen->first_ns, seen->last_ns), 3);
	rec_add_real(r, "seconds", (double)(got->end_ns - got->start_ns) / NS_PER_S, 6);
	rec_add_ints(r, { "looks", got->looks }, { "unreadable", got->unreadable }, { "x_pixels", got->x }, { "y_pixels", got->y });
	rec_add_real(r, "cell_pixels", got->cell, 2);
	rec_add_sample(r, "gap_ms", &seen->gap, NS_PER_MS);
	held_up_report(r);
	rec_end(r);
	say_frames_seen(r, count->loop, got);
	return held_up_warn(r, "animate");
}

static int run_count(struct rec_report *r)
{
	struct frame_count_cfg how = { .display = cfg.display,
				       .loop = cfg.frames == UNSET ? 0 : cfg.frames,
				       .wait_ns = cfg.wait_ns,
				       .time_ns = cfg.time_ns,
				       .ready = write_ready_line };
	struct count_result got;
	struct why why;
	int lost;

	how.log = rows_must_open(cfg.log, "seen/1", count_columns);
	held_up_watch(0);
	if (count_frames(&how, &got, &why))
		die(proc_stop ? EXIT_INTERRUPTED : EXIT_RUN, "%s", why.text);
	lost = close_frame_log(how.log);
	lost |= report_counted(r, &how, &got);
	count_result_free(&got);
	return close_report(r, lost, got.stopped);
}

/* Writes one frame as raw video: four bytes a pixel, blue, green, red, 0. */
static bool write_frame(const struct frame_cfg *picture, uint32_t frame, uint32_t *rgb, unsigned char *bytes, FILE *out)
{
	size_t pixels = (size_t)picture->width * (size_t)picture->height;

	frame_draw(picture, frame, rgb);
	for (size_t i = 0; i < pixels; i++)
		for (size_t k = 0; k < 4; k++)
			bytes[4 * i + k] = (unsigned char)(rgb[i] >> 8 * k);
	return fwrite(bytes, 4, pixels, out) == pixels;
}

/* Writes frames 0 to `frames` - 1 to a file ("-": standard output), or ends the program. */
static void write_video(const struct frame_cfg *picture, int64_t frames, const char *path)
{
	size_t pixels = (size_t)picture->width * (size_t)picture->height;
	uint32_t *rgb = memory_new(pixels, sizeof(*rgb));
	unsigned char *bytes = memory_new(pixels, 4);
	FILE *out = strcmp(path, "-") ? fopen(path, "we") : stdout;
	bool good = out;
	int64_t n = 0;

	for (; n < frames && good && !proc_stop; n++)
		good = write_frame(picture, (uint32_t)n, rgb, bytes, out);
	if (n < frames || !good || fflush(out) || (out != stdout && fclose(out))) {
		if (out && out != stdout)
			files_remove_part(path);
		if (good && n < frames)
			die(EXIT_INTERRUPTED, "interrupted before all frames were written to %s", path);
		die(EXIT_RUN, "cannot write %s: %m", path);
	}
	free(bytes);
	free(rgb);
}

static int run_write_video(struct rec_report *r, const char *path)
{
	struct frame_cfg picture = { cfg.width, cfg.height, (enum frame_content)cfg.content, (uint64_t)cfg.seed };
	int64_t frames = option_frames();

	write_video(&picture, frames, path);
	rec_begin_object(r, "settings");
	rec_add_ints(r, { "width_pixels", cfg.width }, { "height_pixels", cfg.height });
	rec_add_str(r, "content", frame_contents[cfg.content]);
	rec_add_int(r, "seed", cfg.seed);
	rec_end(r);
	rec_begin_object(r, "result");
	rec_add_ints(r, { "frames", frames }, { "frame_bytes", (int64_t)cfg.width * cfg.height * 4 });
	rec_end(r);
	rec_say(r, "%s of %dx%d pixels written to %s, %s", counted_text(frames, "frame"), cfg.width, cfg.height, path,
		bytes_text((double)frames * cfg.width * cfg.height * 4));
	return close_report(r, 0, false);
}

static void refuse_foreign_options(const char *word)
{
	const struct cli_opt *other = cli_foreign_option(word);

	if (other)
		die_usage("animate %s has no option --%s", word, other->name);
}

int main(int argc, char **argv)
{
	int first = cli_parse(
		argc, argv,
		"animate [show] [--frames N] [--geometry WxH] [--rate R] [-t TIME] [options] | animate count [-t TIME] [options]"
		" | animate write FILE [--frames N] [--geometry WxH] [options]",
		"Shows an animation of numbered frames, writes it as raw video, or counts the frames that appear.", options);
	const char *word = first < argc ? argv[first] : "show";
	int words = word[0] == 'w' ? 2 : 1;
	const struct rec_output_path place[] = { { "-o", out_cfg.path ? out_cfg.path : "-" },
						 { "--log", cfg.log },
						 { "FILE", words == 2 && first + 1 < argc ? argv[first + 1] : NULL } };
	struct rec_report *out;

	if (strcmp(word, "show") != 0 && strcmp(word, "count") != 0 && strcmp(word, "write") != 0)
		die_usage("unexpected word %s: show, count or write", word);
	cli_refuse_operands(argc, argv, first + words);
	if (words == 2 && first + 2 > argc)
		die_usage("animate write: to which file?");
	refuse_foreign_options(word);
	if (word[0] == 's')
		refuse_show_conflicts();
	rec_refuse_same_outputs(place, 3);
	proc_require_ready_fd((int)cfg.ready_fd);
	proc_set_parent_death_term();
	proc_catch_stop(); /* before the output is opened, which a signal would otherwise leave incomplete */
	out = rec_must_open(&out_cfg, "animate");
	return word[0] == 's' ? run_show(out) : word[0] == 'c' ? run_count(out) : run_write_video(out, argv[first + 1]);
}
