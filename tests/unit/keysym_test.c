/* Key names against keysymdef.h, and scripts line by line. */
#include "keyrepeat/keysym.h"
#include "keyrepeat/script.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void names_are_keysymdef(void **state)
{
	static const struct { const char *text; uint32_t keysym; } good[] = {
		{ "a", 0x61 }, { "A", 0x41 }, { "0", 0x30 }, { "#", 0x23 }, { " ", 0x20 }, { "space", 0x20 }, { "~", 0x7e },
		{ "\303\244", 0xe4 } /* a with diaeresis, Latin-1 */, { "\342\202\254", 0x010020ac } /* euro */, { "U20AC", 0x010020ac },
		{ "U41", 0x41 }, { "\360\237\231\202", 0x0101f642 }, { "Return", 0xff0d }, { "BackSpace", 0xff08 }, { "Escape", 0xff1b },
		{ "F12", 0xffc9 }, { "Page_Down", 0xff56 }, { "0xff0d", 0xff0d }, { "U", 0x55 },
	};
	static const char *const bad[] = { "", "ab", "Retur", "Return ", "0x", "0xzz", "0x0", "0xffffffff", "U110000", "U1F", "\303",
					   "\200", "\377", "\t", "U20ACx", "0x123456789" };
	uint32_t keysym;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		assert_int_equal(keysym_read(good[i].text, &keysym), 0);
		assert_int_equal(keysym, good[i].keysym);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(keysym_read(bad[i], &keysym), -EINVAL);
}

static int read_text(const char *text, struct script *s, size_t *line)
{
	FILE *f = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	int err;

	assert_non_null(f);
	err = script_read(f, s, line);
	fclose(f);
	return err;
}

static void script_adds_up_delays(void **state)
{
	struct script s;
	size_t line;

	(void)state;
	assert_int_equal(read_text("# greeting\n\n0 h\n120 i\n  50.5\tReturn  \n0 0x23", &s, &line), 0);
	assert_int_equal(s.n, 4);
	assert_int_equal(s.offset_ns[0], 0);
	assert_int_equal(s.offset_ns[1], 120000000);
	assert_int_equal(s.offset_ns[2], 170500000);
	assert_int_equal(s.offset_ns[3], 170500000);
	assert_int_equal(s.keysym[0], 'h');
	assert_int_equal(s.keysym[2], 0xff0d);
	assert_int_equal(s.keysym[3], '#');
	script_free(&s);
}

static void script_names_the_wrong_line(void **state)
{
	static const char *const bad[] = { "10 a\n20\n", "10 a\nx b\n", "10 a\n-1 b\n", "10 a\n10 a b\n", "10 a\n10 nokey\n", "10 a\n1e99 a" };
	struct script s;
	size_t line;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(read_text(bad[i], &s, &line), -EINVAL);
		assert_int_equal(line, 2);
		script_free(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_keysymdef), cmocka_unit_test(script_adds_up_delays),
		cmocka_unit_test(script_names_the_wrong_line),
	};

	return cmocka_run_group_tests_name("keysym", tests, NULL, NULL);
}
