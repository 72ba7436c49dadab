// SPDX-License-Identifier: GPL-3.0-or-later
/* vusers_fuzz - what a server says to a user of VNC, and what users say to the reference server, as
 * a whole and in pieces: both must come to the same.
 *
 * Input: a byte that chooses (1: the patch is kept; 2: the user has asked before; 16: has a
 * password; 4: the reference server is what reads, 8: of HTTP), one with the length of pieces, and
 * what is said. */
#include "vusers/guest.h"
#include "vusers/vrfb.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const int32_t encodings[] = { 16, 5, 1, 0 };
static const struct rfb_update_detector_cfg known[] = { { encodings, 4, NULL }, { encodings, 4, "secret" } };

struct heard {
	int flags, err;
	size_t sent;		/* besides requests, of which there is one for each time that something came */
};

/* Pieces of their exact size: a read beyond is seen. */
static uint8_t *piece_of(const uint8_t *data, size_t n)
{
	uint8_t *piece = malloc(n);

	if (!piece)
		abort();
	memcpy(piece, data, n);
	return piece;
}

static struct heard hear(struct rfb_update_detector *v, const uint8_t *data, size_t size, size_t most)
{
	struct heard h = { 0 };

	for (size_t at = 0, now; at < size && !h.err; at += now) {
		uint8_t *piece;
		int got;

		now = size - at < most ? size - at : most;
		piece = piece_of(data + at, now);
		got = vrfb_parse_bytes(v, piece, now);
		free(piece);
		h.err = got < 0 ? got : 0;
		h.flags |= got < 0 ? 0 : got;
		if (v->n_out > sizeof(v->out) || v->have > sizeof(v->head) || (!got && v->need <= v->have && !v->skip))
			abort();
		h.sent += v->n_out;
		v->n_out = 0;
	}
	return h;
}

static void fuzz_user(const uint8_t *data, size_t size, uint8_t way, size_t most)
{
	static struct rfb_echo_patch kept[2];
	const struct rfb_update_detector_cfg *cfg = &known[way >> 4 & 1];
	bool patch = way & 1;
	struct rfb_update_detector whole, pieces;
	struct heard all, some;

	vrfb_init_detector(&whole, cfg, patch ? &kept[0] : NULL);
	vrfb_init_detector(&pieces, cfg, patch ? &kept[1] : NULL);
	if (way & 2) {
		vrfb_expect_answer(&whole);
		vrfb_expect_answer(&pieces);
	}
	some = hear(&pieces, data, size, most);
	/* (a server that does not wait for what is to be said to it overflows it; in pieces, it was sent) */
	all = hear(&whole, data, size, size);
	if (all.err == -ENOBUFS || some.err == -ENOBUFS)
		return;
	if (all.err != some.err)
		abort();
	if (all.err)
		return;
	if (all.flags != some.flags || whole.state != pieces.state || whole.skip != pieces.skip ||
	    whole.have != pieces.have || whole.width != pieces.width || whole.height != pieces.height || whole.asked != pieces.asked)
		abort();
	if (patch && memcmp(kept[0].luminance, kept[1].luminance, sizeof(kept[0].luminance)) != 0)
		abort();
}

static void fuzz_guest(const uint8_t *data, size_t size, bool http, size_t most)
{
	static struct reference_server_answers way[2];
	struct served_client g;
	int fd[2];

	if (!way[http].answer && reference_server_answers_make(&way[http], http, 10, 16, 16))
		abort();
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fd))
		abort();
	served_client_init(&g, fd[0], 1);
	for (size_t at = 0, now; at < size; at += now) {
		uint8_t *piece;
		int got;

		now = size - at < most ? size - at : most;
		piece = piece_of(data + at, now);
		got = served_client_count_requests(&g, &way[http], piece, now);
		free(piece);
		if (got < 0)
			break;
		if (got && served_client_send_answer(&g, &way[http]))
			break;
	}
	close(fd[0]);
	close(fd[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t most;

	if (size < 3)
		return 0;
	most = data[1] ? data[1] : 1;
	if (data[0] & 4)
		fuzz_guest(data + 2, size - 2, data[0] & 8, most);
	else
		fuzz_user(data + 2, size - 2, data[0], most);
	return 0;
}
