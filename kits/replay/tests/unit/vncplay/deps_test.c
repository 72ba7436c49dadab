// SPDX-License-Identifier: GPL-3.0-or-later
/* Files of dependencies: what is written comes back, what is no such file is refused with a line that names the line. */
#include "vncplay/common/deps.h"
#include "why.h"
#define BEFORE_ALL make_folder
#define AFTER_ALL remove_folder
#include "../../../../../tests/unit/folder.h"

#include <errno.h>

static struct why why;

static int read_text(const char *text, struct dependencies *d)
{
	put("deps", text);
	why.text[0] = '\0';
	return deps_read(in_folder("deps"), d, &why);
}

TEST(test_good)
{
	const struct dependency *b;
	struct dependencies d;
	int n;

	assert_int_equal(
		read_text(
			"vncplay-deps 1\ninputs 12\n# a remark\n\nignore 0 464 64 16 alone\nignore 8 8 16 16 sometimes\n"
			"before 7 change 16 32 160 48 00000000deadbeef\nbefore 9 change 0 0 16 16 *\nbefore 9 change 32 0 16 16 *\n",
			&d),
		0);
	assert_int_equal(d.inputs, 12);
	assert_int_equal(d.n_ignore, 2);
	assert_int_equal(d.ignore[0].box.y, 464);
	assert_int_equal(d.ignore[1].why, DEPS_SOMETIMES);
	b = deps_find(&d, 7, &n);
	assert_int_equal(n, 1);
	assert_int_equal(b->hash, 0xdeadbeef);
	assert_false(b->any);
	assert_int_equal(b->file_line, 7);
	b = deps_find(&d, 9, &n);
	assert_int_equal(n, 2);
	assert_true(b[1].any);
	assert_int_equal(b[1].box.x, 32);
	assert_null(deps_find(&d, 8, &n));
	assert_int_equal(n, 0);
	deps_free(&d);
}

TEST(test_bad)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
		{ "", "an empty file" },
		{ "vncplay-deps 2\n", "line 1: not a file of vncplay learn" },
		{ "vncplay-trace 1\n", "line 1: not a file" },
		{ "vncplay-deps 1\nwhat 1\n", "line 2: neither" },
		{ "vncplay-deps 1\nbefore 7 change 16 32 160 48\n", "line 2: not of the form" },
		{ "vncplay-deps 1\nbefore 7 change 16 32 160 48 * more\n", "line 2: not of the form" },
		{ "vncplay-deps 1\nbefore 7 change 16 32 160 48 xyz\n", "line 2: a value" },
		{ "vncplay-deps 1\nbefore 7 change 16 32 160 48 123\n", "line 2: a value" },
		{ "vncplay-deps 1\nbefore 7 change 16 32 0 48 *\n", "line 2: a value" },
		{ "vncplay-deps 1\nbefore 7 change -1 32 5 48 *\n", "line 2: a value" },
		{ "vncplay-deps 1\nbefore 0 change 1 32 5 48 *\n", "line 2: a value" },
		{ "vncplay-deps 1\n\nbefore 7 change 1 1 1 1 *\nbefore 6 change 1 1 1 1 *\n", "line 4: its line" },
		{ "vncplay-deps 1\nignore 0 0 16 99999 alone\n", "line 2: not of the form" },
		{ "vncplay-deps 1\ninputs many\n", "line 2: neither" },
	};
	struct dependencies d;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(read_text(bad[i].text, &d), -EPROTO);
		if (!strstr(why.text, bad[i].says))
			fail_msg("%s is not \"%s\"", why.text, bad[i].says);
		assert_null(d.before);
		assert_null(d.ignore);
	}
	assert_int_equal(deps_read(in_folder("no such"), &d, &why), -ENOENT);
}

TEST(test_round_trip)
{
	struct dependencies d = { .inputs = 3 }, back;
	struct dependency b = { .line = 8, .box = { 1, 2, 3, 4 }, .hash = 0x0123456789abcdefu };
	struct ignored_part g = { .box = { 5, 6, 7, 8 }, .why = DEPS_SOMETIMES };
	FILE *f = fopen(in_folder("deps"), "w");

	deps_add_dependency(&d, &b);
	b.any = true;
	deps_add_dependency(&d, &b);
	deps_add_ignored(&d, &g);
	assert_int_equal(deps_write(&d, f), 0);
	fclose(f);
	assert_int_equal(deps_read(in_folder("deps"), &back, &why), 0);
	assert_int_equal(back.inputs, 3);
	assert_int_equal(back.n_before, 2);
	assert_int_equal(back.before[0].hash, 0x0123456789abcdefu);
	assert_true(back.before[1].any);
	assert_memory_equal(&back.ignore[0], &g, sizeof(g));
	deps_free(&d);
	deps_free(&back);
}

/* FNV-1a of the bytes 00 00 00, and of "foo" (0x6f6f66: blue first), from the tables of its authors. */
TEST(test_hash)
{
	uint32_t pixels[2] = { 0x6f6f66, 0 };
	struct screen s = { 2, 1, pixels };

	assert_int_equal(deps_hash_part(&s, (struct pixel_area){ 0, 0, 1, 1 }), 0xdcb27518fed9d577u);
	assert_int_equal(deps_hash_part(&s, (struct pixel_area){ 1, 0, 1, 1 }),
			 deps_hash_part(&s, (struct pixel_area){ 7, 7, 1, 1 }));
	assert_int_not_equal(deps_hash_part(&s, (struct pixel_area){ 0, 0, 2, 1 }),
			     deps_hash_part(&s, (struct pixel_area){ 0, 0, 1, 1 }));
}
