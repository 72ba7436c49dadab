// SPDX-License-Identifier: GPL-3.0-or-later
#include "picture.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/shm.h>

int x11_pixel_luminance(const void *pixels, int x, int y)
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

static void x11_set_image_colour_masks(Display *d, XImage *image)
{
	const Visual *v = DefaultVisual(d, DefaultScreen(d));

	/* XShmCreateImage() and XGetImage() of the root window leave the colour masks 0 */
	image->red_mask = v->red_mask;
	image->green_mask = v->green_mask;
	image->blue_mask = v->blue_mask;
}

XImage *x11_read_screen_image(Display *d, int x, int y, int w, int h)
{
	XImage *image = XGetImage(d, DefaultRootWindow(d), x, y, (unsigned)w, (unsigned)h, AllPlanes, ZPixmap);

	if (image)
		x11_set_image_colour_masks(d, image);
	return image;
}

/* Tries shared memory, which saves the copy through the socket. False: the X server is on another machine or refuses it. */
static bool x11_screen_pixels_use_shm(struct x11_screen_pixels *p, int w, int h)
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
	if (p->shm.shmaddr == (void *)-1) {
		if (p->shm.shmid >= 0)
			shmctl(p->shm.shmid, IPC_RMID, NULL);
		XDestroyImage(image);
		return false;
	}
	image->data = p->shm.shmaddr;
	attached = XShmAttach(d, &p->shm) != 0;
	XSync(d, False);
	/* A server on another machine, or in another namespace, refuses XShmAttach() later: the first picture fails. */
	attached = attached && XShmGetImage(d, RootWindow(d, DefaultScreen(d)), image, 0, 0, AllPlanes);
	shmctl(p->shm.shmid, IPC_RMID, NULL);
	if (!attached) {
		shmdt(p->shm.shmaddr);
		image->data = NULL;
		XDestroyImage(image);
		return false;
	}
	x11_set_image_colour_masks(d, image);
	p->image = image;
	p->shared = true;
	return true;
}

bool x11_screen_pixels_alloc(struct x11_screen_pixels *p, Display *display, int w, int h)
{
	p->display = display;
	if (!x11_screen_pixels_use_shm(p, w, h))
		p->image = x11_read_screen_image(display, 0, 0, w, h);
	return p->image;
}

bool x11_screen_pixels_read(struct x11_screen_pixels *p, int x, int y, int w, int h)
{
	Window root = DefaultRootWindow(p->display);
	XImage *image = p->image;

	if (!p->shared)
		return XGetSubImage(p->display, root, x, y, (unsigned)w, (unsigned)h, AllPlanes, ZPixmap, image, 0, 0);
	/* The server fills the segment with rows of the length asked for. */
	image->width = w;
	image->height = h;
	image->bytes_per_line = (w * image->bits_per_pixel + image->bitmap_pad - 1) / image->bitmap_pad * (image->bitmap_pad / 8);
	return XShmGetImage(p->display, root, image, x, y, AllPlanes);
}

void x11_screen_pixels_copy_to_rgb(const struct x11_screen_pixels *p, int w, int h, uint32_t *out, size_t stride)
{
	XImage *image = p->image;
	uint32_t colours = (uint32_t)(image->red_mask | image->green_mask | image->blue_mask);

	for (int y = 0; y < h; y++, out += stride) {
		if (image->bits_per_pixel == 32)
			memcpy(out, image->data + (size_t)y * (size_t)image->bytes_per_line, (size_t)w * sizeof(*out));
		for (int x = 0; x < w; x++)	/* bits outside the colour masks are undefined: cleared */
			out[x] = (image->bits_per_pixel == 32 ? out[x] : (uint32_t)XGetPixel(image, x, y)) & (colours ? colours : UINT32_MAX);
	}
}

void x11_screen_pixels_free(struct x11_screen_pixels *p, bool broken)
{
	if (p->shared) {
		if (!broken)
			XShmDetach(p->display, &p->shm);
		shmdt(p->shm.shmaddr);
		p->image->data = NULL;
	}
	if (p->image)
		XDestroyImage(p->image);
	p->image = NULL;
	p->shared = false;
}
