// SPDX-License-Identifier: GPL-3.0-or-later
/* play_picture - what was expected and what was there, as PPM: every viewer reads it, and nothing is needed to write it. */
#include "play.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#define AROUND 48	/* pixels of surroundings */

static const char *const names[] = { "actual", "expected" };

static uint32_t pixel_at(const struct screen *s, int x, int y)
{
	return x >= 0 && y >= 0 && x < s->width && y < s->height ? s->pixels[(size_t)y * (size_t)s->width + (size_t)x] : 0;
}

static int write_picture(const char *path, const struct screen *s, const struct trace_event *shot, bool expected)
{
	struct box b = { shot->box.x - AROUND, shot->box.y - AROUND, shot->box.w + 2 * AROUND, shot->box.h + 2 * AROUND };
	FILE *out = fopen(path, "we");
	int err = 0;

	if (!out)
		return -errno;
	fprintf(out, "P6\n%d %d\n255\n", b.w, b.h);
	for (int y = b.y; y < b.y + b.h; y++) {
		for (int x = b.x; x < b.x + b.w; x++) {
			bool inside = x >= shot->box.x && y >= shot->box.y && x < shot->box.x + shot->box.w && y < shot->box.y + shot->box.h;
			uint32_t p = pixel_at(s, x, y);

			if (inside && expected)
				p = shot->pixels[(y - shot->box.y) * shot->box.w + x - shot->box.x];
			else if (expected)
				p = p >> 1 & 0x7f7f7f;
			putc((int)(p >> 16 & 255), out);
			putc((int)(p >> 8 & 255), out);
			putc((int)(p & 255), out);
		}
	}
	errno = 0;
	if (ferror(out))
		err = errno ? -errno : -EIO;
	if (fclose(out) && !err)
		err = errno ? -errno : -EIO;
	return err;
}

static int name(char *path, const char *out, int which)
{
	return snprintf(path, PATH_MAX, "%s.%s.ppm", out, names[which]) < PATH_MAX ? 0 : -ENAMETOOLONG;
}

int play_pictures(const char *out, const struct screen *s, const struct trace_event *shot)
{
	char path[PATH_MAX];
	int err = 0;

	for (int i = 1; !err && i >= 0; i--) {
		err = name(path, out, i);
		if (!err)
			err = write_picture(path, s, shot, i);
	}
	return err;
}

void play_pictures_remove(const char *out)
{
	char path[PATH_MAX];

	for (int i = 0; i < 2; i++)
		if (!name(path, out, i))
			unlink(path);
}
