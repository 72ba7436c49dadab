/* SPDX-License-Identifier: GPL-3.0-or-later */
/* write - the frames as raw video, for a clip whose frames can be told apart when it is played. */
#ifndef ANIMATE_WRITE_H
#define ANIMATE_WRITE_H

#include "picture.h"

#include <stddef.h>
#include <stdint.h>

/* Writes that many frames to a file ("-": standard output), from number 0 on: four bytes a pixel, blue, green, red, 0. 0 or -errno,
 * with a line in `why`. */
int write_run(const struct picture *picture, int64_t frames, const char *path, char *why, size_t size);

#endif
