/* play_picture - what was expected and what was there, as PPM: every viewer reads it, and nothing is needed to write it. */
#include "play.h"

#include <errno.h>
#include <stdio.h>

static uint32_t pixel_at(const struct screen *s, int x, int y)
{
	return x >= 0 && y >= 0 && x < s->width && y < s->height ? s->pixels[(size_t)y * (size_t)s->width + (size_t)x] : 0;
}

int play_picture(const char *path, const struct screen *s, const struct trace_event *shot, int around, bool expected)
{
	struct box b = { shot->box.x - around, shot->box.y - around, shot->box.w + 2 * around, shot->box.h + 2 * around };
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
