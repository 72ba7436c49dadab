/* SPDX-License-Identifier: GPL-3.0-or-later */
/* guest - one client of the reference server, RFB or HTTP: what it asks, and how it is answered. */
#ifndef THINPROBE_VUSERS_GUEST_H
#define THINPROBE_VUSERS_GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is alike for all guests. */
struct guest_way {
	bool http;
	uint16_t width, height;
	uint8_t *answer;	/* HTTP: head and body; RFB: an update of one square, black; owned */
	uint8_t *turned;	/* RFB: the same square in white, as long: each key changes it; owned */
	size_t size;
	uint8_t *whole;		/* RFB: the first update; owned */
	size_t whole_size;
};

struct guest {
	int fd;
	uint32_t serial;	/* 0: nobody */
	uint8_t stage, have;
	bool wants, told, black;	/* RFB: it waits for an update; it has had its first; its square is black */
	uint32_t owed;		/* RFB: keys that no update has shown yet */
	uint64_t skip;
	size_t left;		/* of the answer, or of the first update, that the socket did not take yet */
	uint8_t head[20];
};

/* 0 or -ENOMEM. */
int guest_way_open(struct guest_way *w, bool http, int64_t size, uint16_t width, uint16_t height);
void guest_way_close(struct guest_way *w);

void guest_start(struct guest *g, int fd, uint32_t serial);
int guest_greet(struct guest *g, const struct guest_way *w);
/* How many requests these bytes have brought; -EPROTO: it speaks something else, or another -errno. */
int guest_feed(struct guest *g, const struct guest_way *w, const uint8_t *bytes, size_t n);
/* One of them is through. 0 or -errno. */
int guest_answer(struct guest *g, const struct guest_way *w);
/* The socket takes more again. 0 or -errno. */
int guest_go_on(struct guest *g, const struct guest_way *w);

#endif
