// SPDX-License-Identifier: GPL-3.0-or-later
/* The noisy patch through real lossy coding: libvncserver's Tight encoder at JPEG quality 0, libvncclient as the reader. */
#include "refecho/face.h"
#include "refecho/scene.h"
#include "clock.h"
#include "../unit.h"
#include "../port.h"
#include "why.h"

#include <math.h>
#include <pthread.h>
#include <arpa/inet.h>
#include <rfb/rfbclient.h>

#define KEYS 100

/* libvncclient 0.9.14 forgets its JPEG decoders and its host name; that is not what is tested here. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libvncclient\n";
}
#define PATIENCE (30 * NS_PER_S)

static struct {
	struct echo_face *face;
	uint32_t number;
	int waiting;
	_Atomic bool over;
	pthread_t thread;
} server;

static void on_key(void *arg, int64_t now_ns, unsigned char character)
{
	server.waiting++;
}

static void on_flushed(void *arg, int64_t now_ns)
{
}

static void *serve(void *arg)
{
	struct why why;

	while (!server.over) {
		server.face->wait(server.face, clock_now() + 50 * NS_PER_MS, &why);
		for (; server.waiting; server.waiting--)
			server.face->draw(server.face, ++server.number, (const unsigned char *)"n", 1);
	}
	return NULL;
}

/* Returns its port: another program may be quicker to take one that was free. */
static int start_server(int cell, bool noise)
{
	struct echo_face_cfg cfg = {
		.listen = "127.0.0.1", .cell = cell, .noise = noise, .seed = 1, .key = on_key, .flushed = on_flushed
	};
	struct why why = { "" };

	memset(&server, 0, sizeof(server));
	for (int tries = 0; !server.face && tries < 5; tries++) {
		cfg.port = free_port();
		server.face = face_open_vnc(&cfg, &why);
	}
	if (!server.face)
		fail_msg("%s", why.text);
	assert_int_equal(pthread_create(&server.thread, NULL, serve, NULL), 0);
	return cfg.port;
}

static int luminance(const void *pixels, int x, int y)
{
	const uint8_t *p = (const uint8_t *)pixels + 4 * (y * SCENE_WIDTH + x);

	return (p[0] + p[1] + p[2]) / 3;
}

static int luminance_half(const void *pixels, int x, int y)
{
	return (luminance(pixels, 2 * x, 2 * y) + luminance(pixels, 2 * x + 1, 2 * y) + luminance(pixels, 2 * x, 2 * y + 1) +
		luminance(pixels, 2 * x + 1, 2 * y + 1)) /
	       4;
}

static int updates;

static void on_update(rfbClient *client)
{
	(void)client;
	updates++;
}

static void next_update(rfbClient *client)
{
	int64_t end = clock_now() + PATIENCE;

	for (updates = 0; !updates;) {
		int ready = WaitForMessage(client, 100000);

		assert_true(ready >= 0 && clock_now() < end);
		if (ready)
			assert_true(HandleRFBServerMessage(client));
	}
}

/* Spread of one colour channel inside the cells below the marker. */
static double spread(const rfbClient *client, int cell)
{
	double within = 0;

	for (int i = PATCH_COLUMNS; i < PATCH_ROWS * PATCH_COLUMNS; i++) {
		double sum = 0, squares = 0, n = cell * cell;

		for (int p = 0; p < cell * cell; p++) {
			int x = (2 + i % PATCH_COLUMNS) * cell + p % cell, y = (2 + i / PATCH_COLUMNS) * cell + p / cell;
			double v = client->frameBuffer[4 * (y * SCENE_WIDTH + x)];

			sum += v;
			squares += v * v;
		}
		within += (squares - sum * sum / n) / (n - 1) / (PATCH_ROWS * PATCH_COLUMNS - PATCH_COLUMNS);
	}
	return sqrt(within);
}

static void quiet(const char *format, ...)
{
	(void)format;
}

/* How many of the numbers were read right at full and at half scale; none wrong. *noise: mean spread inside cells. */
static void read_all(int cell, bool noise, int quality, int *full, int *halved, double *left)
{
	const struct patch_place at = { 2 * cell, 2 * cell, cell }, at_half = { cell, cell, cell / 2.0 };
	int port = start_server(cell, noise);
	rfbClient *client = rfbGetClient(8, 3, 4);

	rfbClientLog = rfbClientErr = quiet;
	client->serverHost = strdup("127.0.0.1");
	client->serverPort = port;
	client->appData.encodingsString = "tight";
	client->appData.qualityLevel = quality;
	client->appData.enableJPEG = TRUE;
	client->appData.compressLevel = 1;
	client->FinishedFrameBufferUpdate = on_update;
	assert_true(rfbInitClient(client, NULL, NULL));
	next_update(client);
	*full = *halved = 0;
	*left = 0;
	for (uint32_t n = 1; n <= KEYS; n++) {
		const struct patch_image image = { SCENE_WIDTH, SCENE_HEIGHT, luminance, client->frameBuffer };
		const struct patch_image half = { SCENE_WIDTH / 2, SCENE_HEIGHT / 2, luminance_half, client->frameBuffer };
		uint32_t got;

		SendKeyEvent(client, 'n', TRUE);
		/* The first picture may come twice; then the number before stands there again. */
		do
			next_update(client);
		while (patch_read(&image, &at, &got) && got == n - 1);
		if (patch_read(&image, &at, &got)) {
			assert_int_equal(got, n);
			++*full;
		}
		if (patch_read(&half, &at_half, &got)) {
			assert_int_equal(got, n);
			++*halved;
		}
		*left += spread(client, cell) / KEYS;
	}
	free(client->frameBuffer);
	rfbClientCleanup(client);
	server.over = true;
	pthread_join(server.thread, NULL);
	server.face->close(server.face);
}

TEST(noise_makes_the_coding_lossy_and_the_patch_survives)
{
	double left;
	int full, halved;

	read_all(8, true, 0, &full, &halved, &left);
	print_message("# 8 px: %d of %d, at half scale %d, spread left %.1f\n", full, KEYS, halved, left);
	/* Drawn with a standard deviation of 126/sqrt(12) = 36.4 a channel; what coding kept of it is far less. */
	assert_true(left < 30);
	assert_int_equal(full, KEYS);
	assert_int_equal(halved, KEYS);
	read_all(6, true, 0, &full, &halved, &left);
	print_message("# 6 px: %d of %d, at half scale %d, spread left %.1f\n", full, KEYS, halved, left);
	assert_int_equal(full, KEYS);
	read_all(4, true, 0, &full, &halved, &left);
	print_message("# 4 px: %d of %d, spread left %.1f\n", full, KEYS, left);
	assert_true(full >= KEYS * 9 / 10);
}

TEST(without_noise_nothing_is_lost)
{
	double left;
	int full, halved;

	read_all(8, false, 0, &full, &halved, &left);
	assert_int_equal(full, KEYS);
	assert_int_equal(halved, KEYS);
	assert_true(left == 0);
}
