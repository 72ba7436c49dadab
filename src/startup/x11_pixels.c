// SPDX-License-Identifier: GPL-3.0-or-later
/* Pixels of the screen. The root window's, not a window's own: what a person sees, also where something covers it. */
#include "x11.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/shm.h>

#define COLOUR 0xffffffu	/* the fourth byte of a pixel is nobody's */

struct x11_area x11_both(const struct x11_area *a, const struct x11_area *b)
{
	int left = a->x > b->x ? a->x : b->x, right = a->x + a->w < b->x + b->w ? a->x + a->w : b->x + b->w;
	int top = a->y > b->y ? a->y : b->y, bottom = a->y + a->h < b->y + b->h ? a->y + a->h : b->y + b->h;

	return (struct x11_area){ left, top, right > left ? right - left : 0, bottom > top ? bottom - top : 0 };
}

/* Shared memory saves the copy through the socket; over the network, or where it is refused, the plain way does. */
static bool share(struct x11_picture *p, Window root, int w, int h)
{
	Display *d = p->display;
	XImage *image;
	bool attached;

	if (!XShmQueryExtension(d))
		return false;
	image = XShmCreateImage(d, DefaultVisual(d, DefaultScreen(d)), (unsigned)DefaultDepth(d, DefaultScreen(d)), ZPixmap,
				NULL, &p->shm, (unsigned)w, (unsigned)h);
	if (!image)
		return false;
	p->shm.shmid = shmget(IPC_PRIVATE, (size_t)image->bytes_per_line * (size_t)image->height, IPC_CREAT | 0600);
	p->shm.shmaddr = p->shm.shmid < 0 ? (void *)-1 : shmat(p->shm.shmid, NULL, 0);
	p->shm.readOnly = False;
	attached = p->shm.shmaddr != (void *)-1;
	if (attached) {
		image->data = p->shm.shmaddr;
		attached = XShmAttach(d, &p->shm) != 0;
		XSync(d, False);
		/* A server on another machine, or in another namespace, answers with an error, which shows in the first picture. */
		attached = attached && XShmGetImage(d, root, image, 0, 0, AllPlanes);
	}
	if (p->shm.shmid >= 0)
		shmctl(p->shm.shmid, IPC_RMID, NULL);
	if (!attached) {
		if (p->shm.shmaddr != (void *)-1)
			shmdt(p->shm.shmaddr);
		image->data = NULL;
		XDestroyImage(image);
		return false;
	}
	p->image = image;
	p->shared = true;
	return true;
}

bool x11_pixels_open(struct screen *s)
{
	size_t pixels = (size_t)s->width * (size_t)s->height;

	s->picture.display = s->display;
	s->before = calloc(pixels, sizeof(*s->before));
	s->now = calloc(pixels, sizeof(*s->now));
	if (!s->before || !s->now)
		return false;
	if (!share(&s->picture, s->root, s->width, s->height))
		s->picture.image = NULL;
	return true;
}

void x11_pixels_close(struct screen *s)
{
	struct x11_picture *p = &s->picture;

	if (p->shared) {
		if (!s->broken)
			XShmDetach(p->display, &p->shm);
		shmdt(p->shm.shmaddr);
		p->image->data = NULL;
		XDestroyImage(p->image);
	}
	free(s->before);
	free(s->now);
}

static void copy_rows(const XImage *image, const struct x11_area *at, uint32_t *to, size_t stride)
{
	to += (size_t)at->y * stride + (size_t)at->x;
	for (int y = 0; y < at->h; y++, to += stride) {
		const char *row = image->data + (size_t)y * (size_t)image->bytes_per_line;

		if (image->bits_per_pixel == 32) {
			memcpy(to, row, (size_t)at->w * sizeof(*to));
			for (int x = 0; x < at->w; x++)
				to[x] &= COLOUR;
			continue;
		}
		for (int x = 0; x < at->w; x++)
			to[x] = (uint32_t)XGetPixel((XImage *)(uintptr_t)image, x, y);
	}
}

bool x11_pixels_read(struct screen *s, const struct x11_area *at, uint32_t *to)
{
	XImage *image = s->picture.image;
	Display *d = s->display;

	if (!at->w || !at->h)
		return true;
	if (!s->picture.shared) {
		image = XGetImage(d, s->root, at->x, at->y, (unsigned)at->w, (unsigned)at->h, AllPlanes, ZPixmap);
		if (!image || s->broken)
			return false;
		copy_rows(image, at, to, (size_t)s->width);
		XDestroyImage(image);
		return true;
	}
	/* The server fills the segment with rows of the length asked for. */
	image->width = at->w;
	image->height = at->h;
	image->bytes_per_line = (at->w * image->bits_per_pixel + image->bitmap_pad - 1) / image->bitmap_pad * (image->bitmap_pad / 8);
	if (!XShmGetImage(d, s->root, image, at->x, at->y, AllPlanes) || s->broken)
		return false;
	copy_rows(image, at, to, (size_t)s->width);
	return true;
}

static uint64_t mix(uint64_t z)		/* the end of SplitMix64 */
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* The rows' hashes are summed, so each carries its place. */
static uint64_t row_hash(const uint32_t *pixel, int n, int y)
{
	uint64_t h = (uint64_t)y + 1;

	for (int x = 0; x < n; x++) {
		h = (h ^ pixel[x]) * 0x9e3779b97f4a7c15u;
		h ^= h >> 29;
	}
	return mix(h);
}

/* More than one colour, and not merely what lay below a window without a background. */
static bool shows_something(const struct screen *s, const struct x11_area *at)
{
	uint32_t first = s->now[(size_t)at->y * (size_t)s->width + (size_t)at->x];
	bool two = false, new = false;

	for (int y = at->y; y < at->y + at->h && !(two && new); y++) {
		size_t i = (size_t)y * (size_t)s->width + (size_t)at->x;

		new = new || memcmp(s->now + i, s->before + i, (size_t)at->w * sizeof(*s->now)) != 0;
		for (int x = 0; x < at->w && !two; x++)
			two = s->now[i + (size_t)x] != first;
	}
	return two && new;
}

void x11_window_read(struct screen *s, struct x11_window *w, const struct x11_area *part)
{
	if (!part->w || !part->h || !x11_pixels_read(s, part, s->now))
		return;
	for (int y = part->y; y < part->y + part->h; y++) {
		uint64_t *row = &w->row[y - w->at.y];

		w->sum -= *row;
		*row = row_hash(s->now + (size_t)y * (size_t)s->width + (size_t)w->at.x, w->at.w, y - w->at.y);
		w->sum += *row;
	}
	if (!w->painted)
		w->painted = shows_something(s, &w->at);
}
