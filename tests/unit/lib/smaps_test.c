// SPDX-License-Identifier: GPL-3.0-or-later
/* Sums of an smaps text written by hand, added up by hand; and what our own process locks. */
#include "smaps.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "../unit.h"

#define KB 1024LL

/* Six mappings: program text, program data partly changed (copies) and partly in swap, heap, shared
 * memory in swap, another's page shared by a fork, the vdso. Lines of kernels that we do not know
 * are in between. */
static const char text[] =
	"55b8fbb8a000-55b8fbbca000 r-xp 00002000 fe:00 247026                     /usr/bin/a name: with colons\n"
	"Size:                256 kB\nKernelPageSize:        4 kB\nMMUPageSize:           4 kB\n"
	"Rss:                 200 kB\nPss:                  90 kB\nPss_Dirty:             0 kB\n"
	"Shared_Clean:        160 kB\nShared_Dirty:          0 kB\nPrivate_Clean:        40 kB\nPrivate_Dirty:         0 kB\n"
	"Anonymous:             0 kB\nAnonHugePages:         0 kB\nSwap:                  0 kB\nSwapPss:               0 kB\n"
	"Locked:                0 kB\nTHPeligible:           0\nProtectionKey:         0\nVmFlags: rd ex mr mw me\n"
	"55b8fbbca000-55b8fbbd4000 rw-p 00042000 fe:00 247026                     /usr/bin/a name: with colons\n"
	"Size:                 40 kB\nRss:                  28 kB\nPss:                  28 kB\n"
	"Shared_Clean:          0 kB\nShared_Dirty:          0 kB\nPrivate_Clean:         8 kB\nPrivate_Dirty:        20 kB\n"
	"Anonymous:            20 kB\nSwap:                 12 kB\nSwapPss:              12 kB\nLocked:                0 kB\n"
	"VmFlags: rd wr mr mw me ac\n"
	"56000000a000-56000040a000 rw-p 00000000 00:00 0                          [heap]\n"
	"Size:               4096 kB\nRss:                 512 kB\nPss:                 510 kB\n"
	"Shared_Clean:          0 kB\nShared_Dirty:          4 kB\nPrivate_Clean:        16 kB\nPrivate_Dirty:       492 kB\n"
	"Anonymous:           512 kB\nAnonHugePages:       128 kB\nSwap:               3500 kB\nSwapPss:            3400 kB\n"
	"Locked:              508 kB\nVmFlags: rd wr mr mw me lo ac\n"
	"7f0000000000-7f0000100000 rw-s 00000000 00:01 32769                      /SYSV00000000 (deleted)\n"
	"Size:               1024 kB\nRss:                 100 kB\nPss:                  50 kB\n"
	"Shared_Clean:          0 kB\nShared_Dirty:        100 kB\nPrivate_Clean:         0 kB\nPrivate_Dirty:         0 kB\n"
	"Anonymous:             0 kB\nSwap:                700 kB\nSwapPss:             350 kB\nLocked:                0 kB\n"
	"VmFlags: rd wr sh mr mw me ms\n"
	"7f1000000000-7f1000010000 rw-p 00000000 00:00 0 \n"
	"Size:                 64 kB\nRss:                  24 kB\nPss:                  16 kB\n"
	"Shared_Clean:          0 kB\nShared_Dirty:         16 kB\nPrivate_Clean:         0 kB\nPrivate_Dirty:         8 kB\n"
	"Anonymous:            24 kB\nSwap:                  0 kB\nSwapPss:               0 kB\nLocked:                0 kB\n"
	"7ffe00bad000-7ffe00baf000 r-xp 00000000 00:00 0                          [vdso]\n"
	"Size:                  8 kB\nRss:                   8 kB\nPss:                   0 kB\n"
	"Shared_Clean:          8 kB\nShared_Dirty:          0 kB\nPrivate_Clean:         0 kB\nPrivate_Dirty:         0 kB\n"
	"Anonymous:             0 kB\nSwap:                  0 kB\nSwapPss:               0 kB\nLocked:                0 kB\n";

static int parse(const char *smaps, struct smaps_sum *sum, smaps_each *each, void *context)
{
	FILE *in = *smaps ? fmemopen((void *)(uintptr_t)smaps, strlen(smaps), "r") : fopen("/dev/null", "r");
	int err;

	assert_non_null(in);
	err = smaps_parse(in, sum, each, context);
	fclose(in);
	return err;
}

TEST(sums_by_hand)
{
	struct smaps_sum sum;

	assert_int_equal(parse(text, &sum, NULL, NULL), 0);
	assert_int_equal(sum.mappings, 6);
	assert_int_equal(sum.all.rss, 872 * KB);
	assert_int_equal(sum.all.pss, 694 * KB);
	assert_int_equal(sum.all.shared_clean, 168 * KB);
	assert_int_equal(sum.all.shared_dirty, 120 * KB);
	assert_int_equal(sum.all.private_dirty, 520 * KB);
	assert_int_equal(sum.all.anonymous, 556 * KB);
	assert_int_equal(sum.all.huge, 128 * KB);
	assert_int_equal(sum.all.swap, 4212 * KB);
	assert_int_equal(sum.all.locked, 508 * KB);
	assert_int_equal(sum.anonymous_resident, (20 + 512 + 24) * KB);
	assert_int_equal(sum.anonymous_swap, (12 + 3500) * KB);
	assert_int_equal(sum.shared_memory_resident, 100 * KB);
	assert_int_equal(sum.file_resident, (200 + 8) * KB);
	assert_int_equal(sum.file_shared, 160 * KB);
}

struct met {
	int n, stop_at;
	enum smaps_kind kind[8];
	char name[8][64], perms[8][5];
	uint64_t start[8], inode[8];
};

static int meet(void *context, const struct smaps_mapping *m)
{
	struct met *met = context;

	met->kind[met->n] = m->kind;
	met->start[met->n] = m->start;
	met->inode[met->n] = m->inode;
	snprintf(met->name[met->n], sizeof(met->name[0]), "%s", m->name);
	snprintf(met->perms[met->n], sizeof(met->perms[0]), "%s", m->perms);
	return ++met->n == met->stop_at ? -ECANCELED : 0;
}

TEST(each_mapping_is_told_as_it_stands)
{
	static const enum smaps_kind kinds[] = { SMAPS_FILE,	      SMAPS_FILE,      SMAPS_ANONYMOUS,
						 SMAPS_SHARED_MEMORY, SMAPS_ANONYMOUS, SMAPS_SPECIAL };
	struct met met = { 0 };
	struct smaps_sum sum;

	assert_int_equal(parse(text, &sum, meet, &met), 0);
	assert_int_equal(met.n, 6);
	for (int i = 0; i < 6; i++)
		assert_int_equal(met.kind[i], kinds[i]);
	assert_string_equal(met.name[0], "/usr/bin/a name: with colons");
	assert_string_equal(met.name[2], "[heap]");
	assert_string_equal(met.name[4], "");
	assert_string_equal(met.perms[3], "rw-s");
	assert_true(met.start[0] == 0x55b8fbb8a000u);
	assert_true(met.inode[0] == 247026);
	met = (struct met){ .stop_at = 2 };
	assert_int_equal(parse(text, &sum, meet, &met), -ECANCELED);
	assert_int_equal(met.n, 2);
}

TEST(what_is_no_smaps_is_refused)
{
	static const char *const bad[] = {
		"nonsense\n",
		"Rss: 4 kB\n", /* before any mapping */
		"55b8-55b9 r-xp 0 fe:00 1 /x\nRss: 4 MB\n",
		"55b8-55b9 r-xp 0 fe:00 1 /x\nRss: -4 kB\n",
		"55b8-55b9 r-xp 0 fe:00 1 /x\nRss: kB\n",
		"55b8-55b9 r-xp 0 fe:00 1 /x\nSwap: 99999999999999999999 kB\n",
		"55b8-55b9 rxp 0 fe:00 1 /x\n",
		"55b8-55b9 r-xp 0 fe:00\n",
	};
	struct smaps_sum sum;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(parse(bad[i], &sum, NULL, NULL), -EPROTO);
	assert_int_equal(parse("", &sum, NULL, NULL), 0);
	assert_int_equal(sum.mappings, 0);
	assert_int_equal(sum.all.rss, 0);
}

TEST(locked_memory_shows)
{
	struct smaps_sum before, after;
	char *room = mmap(NULL, 64 * 1024, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(room != MAP_FAILED);
	assert_int_equal(smaps_read(getpid(), &before, NULL, NULL), 0);
	if (syscall(SYS_mlock, room, (size_t)64 * 1024)) /* sanitizers have a mlock() that does nothing */
		skip();
	assert_int_equal(smaps_read(getpid(), &after, NULL, NULL), 0);
	assert_int_equal(after.all.locked - before.all.locked, 64 * 1024);
	assert_true(smaps_read(999999999, &after, NULL, NULL) == -ENOENT);
	munmap(room, 64 * 1024);
}
