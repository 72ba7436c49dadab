/* The fuzz target of vncplay under any compiler: over its seeds, and over many cut and changed ones, always the same. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <dirent.h>
#include <cmocka.h>

#include "../fuzz/vncplay_fuzz.c"

#define SEED_MAX 65536

static uint8_t seed[SEED_MAX];
static int variants[KINDS];

static uint32_t draw(uint32_t *state, size_t below)
{
	*state = *state * 1664525 + 1013904223;
	return below ? (*state >> 8) % (uint32_t)below : 0;
}

/* Cut, with bits turned, bytes set to what lies at an edge, and a part of it there twice or not at all. The first byte stays. */
static void change(size_t n, uint32_t *state)
{
	static const uint8_t edge[] = { 0, 1, 127, 128, 255 };
	static uint8_t copy[2 * SEED_MAX];
	size_t size = n - draw(state, draw(state, 3) ? 1 : n - 3), from, to;

	memcpy(copy, seed, n);
	for (uint32_t i = 1 + draw(state, 5); i-- > 0;) {
		size_t at = 1 + draw(state, size - 1);

		copy[at] = (uint8_t)(draw(state, 2) ? copy[at] ^ 1u << draw(state, 8) : edge[draw(state, 5)]);
	}
	if (!draw(state, 4)) {
		from = 1 + draw(state, size - 1);
		to = 1 + draw(state, size - 1);
		memmove(copy + to, copy + from, size - from);
		size = size - from + to;
	}
	LLVMFuzzerTestOneInput(copy, size);
	variants[seed[0] % KINDS]++;
}

/* Of each kind so many, shared by its seeds. */
static const int wanted[KINDS] = { [LOG] = 1500, [STREAM] = 5500, [SIDE] = 2000, [TRACE] = 2000, [DEPS] = 500 };

static void seeds_and_changes_to_them(void **state)
{
	char folder[4096] = __FILE__, path[8192], *slash = strrchr(folder, '/');
	int seeds[KINDS] = { 0 };
	uint32_t dice = 1;
	DIR *d;

	(void)state;
	snprintf(slash ? slash + 1 : folder, sizeof(folder) / 2, "../fuzz/corpus/vncplay");
	d = opendir(folder);
	if (!d)
		skip();		/* not run from the root of the source */
	for (int pass = 0; pass < 2; pass++, rewinddir(d))
		for (struct dirent *e; (e = readdir(d)) != NULL;) {
			size_t n;
			FILE *f;

			snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
			f = e->d_name[0] == '.' ? NULL : fopen(path, "rb");
			if (!f)
				continue;
			n = fread(seed, 1, sizeof(seed), f);
			fclose(f);
			assert_true(n > 4 && n < SEED_MAX);
			if (!pass) {
				seeds[seed[0] % KINDS]++;
				LLVMFuzzerTestOneInput(seed, n);
			}
			for (int i = 0; pass && i <= wanted[seed[0] % KINDS] / seeds[seed[0] % KINDS]; i++)
				change(n, &dice);
		}
	closedir(d);
	for (int i = 0; i < KINDS; i++) {
		assert_true(seeds[i] > 0);
		assert_true(variants[i] >= wanted[i]);
	}
}

/* The seeds themselves are whole: changes to what is broken anyway would show little. */
static void seeds_are_sound(void **state)
{
	char folder[4096] = __FILE__, path[8192], *slash = strrchr(folder, '/');
	static const char *const names[] = { "xrgb.log", "565.log", "map.log", "quick.log" };
	struct file side = file_of(sent, sizeof(sent) - 1);

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct file log;
		struct replay run = { .label = "seed" };
		size_t n;
		FILE *f;

		snprintf(slash ? slash + 1 : folder, sizeof(folder) / 2, "../fuzz/corpus/vncplay");
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		f = fopen(path, "rb");
		if (!f)
			skip();
		n = fread(seed, 1, sizeof(seed), f);
		fclose(f);
		log = file_of(seed + 1, n - 1);
		run.file = log.path;
		assert_int_equal(replay_read(&run, side.path), 0);
		if (run.cut)
			fail_msg("%s: %s", names[i], run.why);
		assert_true(run.updates >= 12);
		replay_free(&run);
		close(log.fd);
	}
	close(side.fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(seeds_are_sound), cmocka_unit_test(seeds_and_changes_to_them) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
