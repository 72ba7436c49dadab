// SPDX-License-Identifier: GPL-3.0-or-later
/* hog - memory that addresses cannot hold is refused; each page of the kernel is filled, and touched once a round. */
#include "memhog/hog.h"

#include <errno.h>
#include <unistd.h>
#include "../unit.h"

TEST(more_than_addresses_can_hold)
{
	struct hog_cfg cfg = { .bytes = INTPTR_MAX, .threads = 1 };
	struct memory_hog *h;

	assert_int_equal(hog_new(&h, &cfg), -EFBIG);
}

/* Of a kernel with larger pages (arm64, ppc64el); 0: of this one. */
static long page;
long __real_sysconf(int name);
long __wrap_sysconf(int name);
long __wrap_sysconf(int name)
{
	return page && name == _SC_PAGESIZE ? page : __real_sysconf(name);
}

TEST(pages_are_those_of_the_kernel)
{
	static const long sizes[] = { 0, 16384, 65536 };

	for (size_t i = 0; i < COUNT(sizes); i++) {
		struct hog_cfg cfg = { .threads = 1 };
		struct memory_hog *h;

		page = sizes[i];
		cfg.bytes = (int64_t)(3 * hog_page_bytes()) + 1;
		assert_int_equal(hog_page_bytes(), page ? page : __real_sysconf(_SC_PAGESIZE));
		assert_int_equal(hog_new(&h, &cfg), 0);
		assert_int_equal(h->bytes, 4 * hog_page_bytes());
		assert_int_equal((uintptr_t)h->base % hog_huge_bytes(), 0);
		assert_int_equal(hog_start_fill(h), 0);
		while (!h->fill_end_ns)
			usleep(1000);
		hog_stop(h);
		assert_int_equal(hog_start_touch(h), 0);
		assert_int_equal(h->pattern.pages, 4);
		hog_stop(h);
		hog_free(h);
	}
	page = 0;
}
