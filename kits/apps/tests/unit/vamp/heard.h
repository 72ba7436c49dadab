/* SPDX-License-Identifier: GPL-3.0-or-later */
/* heard - what the sources of input report, kept in the order of its coming. Included by tests, behind cmocka.h. */
#pragma once

#include "vamp/input.h"
#include "why.h"

static struct why why;

struct heard {
	int n;
	struct input_event event[32];
};

static void hear(void *arg, const struct input_event *event)
{
	struct heard *h = arg;

	assert_true(h->n < 32);
	h->event[h->n++] = *event;
}
