/* The fuzz target of prototap under any compiler: over its seeds, and over many small changes to them, always the same. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <dirent.h>
#include <cmocka.h>

#include "../fuzz/prototap_fuzz.c"

#define SEED_MAX 16384
#define CHANGES 2000		/* of packets; */
#define CHANGES_OF_FILES 200	/* each costs ten times as much */

static uint32_t draw(uint32_t *state, size_t below)
{
	*state = *state * 1664525 + 1013904223;
	return below ? (*state >> 8) % (uint32_t)below : 0;
}

static void change(const uint8_t *bytes, size_t n, uint32_t *state)
{
	static const uint8_t edge[] = { 0, 1, 127, 128, 255 };
	static uint8_t copy[SEED_MAX];
	size_t size = n - draw(state, draw(state, 4) ? 1 : n);

	memcpy(copy, bytes, n);
	for (uint32_t i = draw(state, 8); size && i-- > 0;)
		copy[draw(state, size)] = draw(state, 2) ? (uint8_t)draw(state, 256) : edge[draw(state, 5)];
	LLVMFuzzerTestOneInput(copy, size);
}

static void seeds_and_changes_to_them(void **state)
{
	char folder[4096] = __FILE__, path[8192], *slash = strrchr(folder, '/');
	uint32_t dice = 1;
	int seeds = 0;
	DIR *d;

	(void)state;
	snprintf(slash ? slash + 1 : folder, sizeof(folder) / 2, "../fuzz/corpus/prototap");
	d = opendir(folder);
	if (!d)
		skip();		/* not run from the root of the source */
	for (struct dirent *e; (e = readdir(d)) != NULL;) {
		static uint8_t bytes[SEED_MAX];
		size_t n;
		FILE *f;

		snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
		f = e->d_name[0] == '.' ? NULL : fopen(path, "rb");
		if (!f)
			continue;
		n = fread(bytes, 1, sizeof(bytes), f);
		fclose(f);
		LLVMFuzzerTestOneInput(bytes, n);
		for (int i = 0; i < (n && (bytes[0] & 15) % KINDS < WHOLE_FILE ? CHANGES : CHANGES_OF_FILES); i++)
			change(bytes, n, &dice);
		seeds++;
	}
	closedir(d);
	assert_true(seeds >= 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(seeds_and_changes_to_them) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
