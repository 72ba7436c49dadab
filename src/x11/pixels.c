// SPDX-License-Identifier: GPL-3.0-or-later
#include "pixels.h"
#include "memory.h"

#include <math.h>
#include <sys/ipc.h>
#include <sys/shm.h>

int x11_luminance(const void *pixels, int x, int y)
{
	XImage *image = (XImage *)(uintptr_t)pixels;
	unsigned long p = XGetPixel(image, x, y);
	unsigned long mask[3] = { image->red_mask, image->green_mask, image->blue_mask };
	static const int weight[3] = { 77, 150, 29 };
	int sum = 0;

	for (int i = 0; i < 3; i++)
		sum += mask[i] ? (int)((p & mask[i]) * 255 / mask[i]) * weight[i] : 0;
	return sum >> 8;
}

static void set_colour_masks(XImage *image, const Visual *v)
{
	/* XShmCreateImage() and XGetImage() of the root window leave the colour masks 0 */
	image->red_mask = v->red_mask;
	image->green_mask = v->green_mask;
	image->blue_mask = v->blue_mask;
}

/* Reads a rectangle of the screen; freed by XDestroyImage(). NULL: cannot be read. */
static XImage *x11_read_image(struct x11_connection *x, const struct pixel_area *at)
{
	XImage *image = XGetImage(x->display, x->root, at->x, at->y, (unsigned)at->w, (unsigned)at->h, AllPlanes, ZPixmap);

	if (image)
		set_colour_masks(image, x->visual);
	return image;
}

/* Tries shared memory, which saves the copy through the socket. False: the X server is on another machine or refuses it. */
static bool try_shared_memory(struct x11_pixels *p, int w, int h)
{
	Display *d = p->x->display;
	XImage *image = !XShmQueryExtension(d) ? NULL
					       : XShmCreateImage(d, p->x->visual, (unsigned)p->x->depth, ZPixmap, NULL, &p->shm,
								 (unsigned)w, (unsigned)h);

	if (!image)
		return false;
	p->shm.shmid = shmget(IPC_PRIVATE, (size_t)image->bytes_per_line * (size_t)image->height, IPC_CREAT | 0600);
	p->shm.shmaddr = p->shm.shmid < 0 ? (void *)-1 : shmat(p->shm.shmid, NULL, 0);
	p->shm.readOnly = False;
	if (p->shm.shmaddr != (void *)-1) {
		image->data = p->shm.shmaddr;
		p->shared = XShmAttach(d, &p->shm);
		XSync(d, False);
		/* A server on another machine, or in another namespace, refuses XShmAttach() later: the first picture fails. */
		p->shared = p->shared && XShmGetImage(d, p->x->root, image, 0, 0, AllPlanes);
	}
	if (p->shm.shmid >= 0)
		shmctl(p->shm.shmid, IPC_RMID, NULL);
	if (p->shared) {
		set_colour_masks(image, p->x->visual);
		p->image = image;
		return true;
	}
	if (p->shm.shmaddr != (void *)-1)
		shmdt(p->shm.shmaddr);
	image->data = NULL;
	XDestroyImage(image);
	return false;
}

bool x11_pixels_alloc(struct x11_pixels *p, struct x11_connection *x, int w, int h)
{
	p->x = x;
	if (!try_shared_memory(p, w, h))
		p->image = x11_read_image(x, &(struct pixel_area){ 0, 0, w, h });
	return p->image;
}

bool x11_pixels_read(struct x11_pixels *p, const struct pixel_area *at)
{
	XImage *image = p->image;

	if (!p->shared)
		return XGetSubImage(p->x->display, p->x->root, at->x, at->y, (unsigned)at->w, (unsigned)at->h, AllPlanes, ZPixmap,
				    image, 0, 0);
	/* The server fills the segment with rows of the length asked for. */
	image->width = at->w;
	image->height = at->h;
	image->bytes_per_line =
		(at->w * image->bits_per_pixel + image->bitmap_pad - 1) / image->bitmap_pad * (image->bitmap_pad / 8);
	return XShmGetImage(p->x->display, p->x->root, image, at->x, at->y, AllPlanes);
}

void x11_pixels_copy(const struct x11_pixels *p, int w, int h, uint32_t *out, size_t stride)
{
	XImage *image = p->image;
	uint32_t colours = (uint32_t)(image->red_mask | image->green_mask | image->blue_mask);

	for (int y = 0; y < h; y++, out += stride) {
		if (image->bits_per_pixel == 32)
			memcpy(out, image->data + (size_t)y * (size_t)image->bytes_per_line, (size_t)w * sizeof(*out));
		for (int x = 0; x < w; x++) /* bits outside the colour masks are undefined: cleared */
			out[x] = (image->bits_per_pixel == 32 ? out[x] : (uint32_t)XGetPixel(image, x, y)) &
				 (colours ? colours : UINT32_MAX);
	}
}

void x11_pixels_free(struct x11_pixels *p)
{
	if (p->shared) {
		if (!p->x->broken)
			XShmDetach(p->x->display, &p->shm);
		shmdt(p->shm.shmaddr);
		p->image->data = NULL;
	}
	if (p->image)
		XDestroyImage(p->image);
	p->image = NULL;
	p->shared = false;
}

XImage *x11_create_image(const struct x11_connection *x, int width, int height)
{
	const union {
		uint16_t word;
		uint8_t byte[2];
	} one = { 1 };
	XImage *image = must_alloc(XCreateImage(x->display, x->visual, (unsigned)x->depth, ZPixmap, 0, NULL, (unsigned)width,
						(unsigned)height, 32, 0));

	image->byte_order = one.byte[0] ? LSBFirst : MSBFirst; /* of this machine; Xlib swaps where the X server's differs */
	XInitImage(image);
	image->data = memory_new((size_t)image->bytes_per_line, (size_t)height);
	return image;
}

/* Scales a colour of 8 bits to the bits of `mask`, the place of the colour within a pixel. */
static unsigned long scale_colour(uint32_t value, unsigned long mask)
{
	unsigned long low = mask & (~mask + 1);

	return low ? (value * (mask / low) + 127) / 255 * low : 0;
}

void x11_fill_image(const struct x11_connection *x, XImage *image, const uint32_t *rgb)
{
	const Visual *v = x->visual;

	for (int y = 0; y < image->height; y++) {
		for (int c = 0; c < image->width; c++, rgb++) {
			unsigned long pixel = scale_colour(*rgb >> 16 & 0xff, v->red_mask) |
					      scale_colour(*rgb >> 8 & 0xff, v->green_mask) |
					      scale_colour(*rgb & 0xff, v->blue_mask);

			if (image->bits_per_pixel == 32)
				memcpy(image->data + (size_t)y * (size_t)image->bytes_per_line + (size_t)c * 4,
				       &(uint32_t){ (uint32_t)pixel }, 4);
			else
				XPutPixel(image, c, y, pixel);
		}
	}
}

bool x11_patch_read(struct x11_patch *p, uint32_t *number)
{
	return x11_pixels_read(&p->picture, &p->area) &&
	       patch_read(&(struct patch_image){ p->area.w, p->area.h, x11_luminance, p->picture.image }, &p->place, number);
}

bool x11_patch_find(struct x11_patch *p, struct x11_connection *x, const struct pixel_area *in, double max_cell, uint32_t *number)
{
	XImage *all = x11_read_image(x, in);
	struct patch_place at;
	struct pixel_area patch;
	bool found;

	if (!all)
		return false;
	found = patch_find(&(struct patch_image){ in->w, in->h, x11_luminance, all }, 3, max_cell, &at, number);
	XDestroyImage(all);
	if (!found)
		return false;
	/* one pixel of margin on the left and above, two on the right and below, where cells of a fraction of a pixel may end */
	patch = (struct pixel_area){ in->x + at.x - 1, in->y + at.y - 1, (int)ceil(at.cell * PATCH_COLUMNS) + 3,
				     (int)ceil(at.cell * PATCH_ROWS) + 3 };
	p->area = area_intersect(&patch, in);
	p->place = (struct patch_place){ in->x + at.x - p->area.x, in->y + at.y - p->area.y, at.cell };
	if (x11_pixels_alloc(&p->picture, x, p->area.w, p->area.h) && x11_patch_read(p, number))
		return true;
	x11_pixels_free(&p->picture);
	return false;
}
