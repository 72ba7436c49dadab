// SPDX-License-Identifier: GPL-3.0-or-later
/* Sends keys and pointer events as messages of RFB. */
#include "array.h"
#include "vnc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int vnc_prepare_act(void *p, const struct input_act *act, struct why *why)
{
	struct vnc_client *self = p;

	if (act->kind == ACT_MOVE && (act->x >= self->client->width || act->y >= self->client->height))
		return fail_with_reason(-1, why, "move %d,%d: the screen of the VNC server is %dx%d", act->x, act->y,
				 self->client->width, self->client->height);
	if (array_room(&self->act, self->acts))
		return fail_with_reason(-1, why, "out of memory");
	self->act[self->acts] = *act;
	return self->acts++;
}

int vnc_target_socket_fd(void *p)
{
	return ((struct vnc_client *)p)->client->sock;
}

/* Presses the modifiers and then the key, or releases them in the opposite order. */
static bool send_key(const struct vnc_client *self, const struct input_act *act, bool down)
{
	uint32_t keysym[ACT_KEYSYMS];
	int n = act_list_keysyms(act, keysym);
	bool sent = true;

	for (int i = 0; i < n; i++)
		sent &= SendKeyEvent(self->client, keysym[down ? i : n - 1 - i], down);
	return sent;
}

static bool send_pointer_event(struct vnc_client *self, const struct input_act *act, bool down)
{
	int bit = act->kind == ACT_BUTTON ? 1 << (act->button - 1) : 0;
	bool press = act->way == ACT_CLICK ? down : act->way == ACT_DOWN;

	if (!down && (act->kind == ACT_MOVE || act->way != ACT_CLICK))
		return true;
	if (act->kind == ACT_MOVE) {
		self->x = act->x;
		self->y = act->y;
	} else {
		self->buttons = press ? self->buttons | bit : self->buttons & ~bit;
	}
	return SendPointerEvent(self->client, self->x, self->y, self->buttons);
}

int vnc_press_or_release(void *p, int number, bool down)
{
	struct vnc_client *self = p;
	const struct input_act *act = &self->act[number];

	return (act->kind == ACT_KEY ? send_key(self, act, down) : send_pointer_event(self, act, down)) ? 0 : -EPIPE;
}
