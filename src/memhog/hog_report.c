// SPDX-License-Identifier: GPL-3.0-or-later
#include "hog_report.h"
#include "clock.h"
#include "held_up.h"
#include "say.h"

#include <math.h>
#include <unistd.h>

const char *const report_access_words[] = { "read", "write", NULL };
const char *const report_touch_words[] = { "none", "keep", NULL };
const char *const report_pattern_words[] = { "seq", "random", "stream", NULL };
const char *const report_swap_words[] = { "process", "group", NULL };
static const char *const end_words[] = { "time", "signal", "reserve", "size" };

/* Sums the mappings within the hog's address range. */
struct hog_sum {
	uint64_t start, end;
	struct smaps_values sum;
};

static int add_mapping(void *context, const struct smaps_mapping *m)
{
	struct hog_sum *own = context;

	if (m->start >= own->start && m->end <= own->end) {
		own->sum.rss += m->is.rss;
		own->sum.swap += m->is.swap;
		own->sum.huge += m->is.huge;
	}
	return 0;
}

void report_read_hog(const struct memory_hog *h, struct hog_reading *p)
{
	struct smaps_sum all;
	struct hog_sum own = { 0 };

	getrusage(RUSAGE_SELF, &p->used);
	own.start = (uintptr_t)h->base;
	own.end = own.start + h->bytes;
	p->err = smaps_read(getpid(), &all, add_mapping, &own);
	p->is = own.sum;
}

static void report_settings(struct rec_report *r, const struct memhog_options *cfg, const struct hog_world *world)
{
	rec_begin_object(r, "settings");
	rec_add_int(r, "size_bytes", cfg->size);
	rec_add_known_int(r, "until_swap_bytes", cfg->until_swap, cfg->until_swap);
	rec_add_strs(r, { "swap_of", report_swap_words[cfg->swap_of] }, { "touch", report_touch_words[cfg->touching] },
		     { "pattern", cfg->touching == TOUCH_KEEP ? report_pattern_words[cfg->pattern] : NULL });
	rec_add_bool(r, "write", cfg->access != ACCESS_READ);
	rec_add_known_int(r, "rate_bytes_per_s", cfg->rate, cfg->rate);
	rec_add_ints(r, { "threads", cfg->threads }, { "page_bytes", (int64_t)(cfg->huge ? hog_huge_bytes() : hog_page_bytes()) },
		     { "reserve_bytes", world->reserve });
	rec_add_str(r, "cgroup", cfg->cgroup);
	rec_add_int(r, "seed", cfg->seed);
	rec_end(r);
}

static void say_fill_result(struct rec_report *r, const struct memory_hog *h, const struct hog_reading *filled)
{
	double bytes = (double)h->filled, fill_ns = (double)(h->fill_end_ns - h->fill_start_ns);
	char where[128] = "";

	if (!filled->err)
		snprintf(where, sizeof(where), filled->is.swap ? ", %s resident, %s in swap" : ", all resident, none in swap",
			 memory_text((double)filled->is.rss), memory_text((double)filled->is.swap));
	rec_say(r, "%s filled in %s (%s/s)%s", memory_text(bytes), ns_text(fill_ns),
		memory_text(fill_ns > 0 ? bytes / fill_ns * NS_PER_S : NAN), where);
}

static void say_touch_rate(struct rec_report *r, const struct memhog_options *cfg, int64_t touched, int64_t touch_ns,
			   int64_t faults)
{
	double rate = touch_ns > 0 ? (double)touched / (double)touch_ns * NS_PER_S : NAN;

	if (cfg->touching != TOUCH_KEEP)
		rec_say(r, "not touched for %s; %s", ns_text((double)touch_ns), counted_text(faults, "major fault"));
	else if (!cfg->rate)
		rec_say(r, "touched at %s/s; %s", memory_text(rate), counted_text(faults, "major fault"));
	else
		rec_say(r, "touched at %s/s of the requested %s/s; %s", memory_text(rate), memory_text((double)cfg->rate),
			counted_text(faults, "major fault"));
}

void report_hog(struct rec_report *r, const struct memhog_options *cfg, const struct hog_world *world, struct memory_hog *h,
		const struct hog_reading *filled, const struct hog_reading *last, int64_t touch_ns, enum report_end end)
{
	double fill_s = (double)(h->fill_end_ns - h->fill_start_ns) / NS_PER_S, touch_s = (double)touch_ns / NS_PER_S;
	int64_t touched = h->touched * (int64_t)h->page;

	report_settings(r, cfg, world);
	rec_begin_object(r, "result");
	rec_add_known_int(r, "resident_bytes", !last->err, last->is.rss);
	rec_add_known_int(r, "swapped_bytes", !last->err, last->is.swap);
	rec_add_int(r, "filled_bytes", (int64_t)h->filled);
	rec_add_known_int(r, "filled_resident_bytes", !filled->err, filled->is.rss);
	rec_add_known_int(r, "filled_swapped_bytes", !filled->err, filled->is.swap);
	rec_add_real(r, "fill_s", fill_s, 6);
	rec_add_real(r, "fill_bytes_per_s", fill_s > 0 ? (double)h->filled / fill_s : NAN, 0);
	rec_add_str(r, "fill_method", h->touching ? "touch" : "place");
	rec_add_int(r, "fill_major_faults", filled->used.ru_majflt);
	rec_add_int(r, "fill_minor_faults", filled->used.ru_minflt);
	rec_add_known_int(r, "until_swap_counted_bytes", cfg->until_swap, world->swapped_goal);
	/* the page size of most of the memory: the kernel may lack huge pages for the rest */
	rec_add_known_int(r, "page_bytes", !filled->err && filled->is.rss,
			  (int64_t)(filled->is.huge * 2 > filled->is.rss ? h->huge : h->page));
	rec_add_known_int(r, "huge_bytes", !filled->err, filled->is.huge);
	rec_add_str(r, "pattern", cfg->touching == TOUCH_KEEP ? report_pattern_words[cfg->pattern] : NULL);
	rec_add_int(r, "touched_bytes", touched);
	rec_add_real(r, "touch_bytes_per_s", cfg->touching == TOUCH_KEEP && touch_s > 0 ? (double)touched / touch_s : NAN, 0);
	rec_add_real(r, "behind_s", cfg->touching == TOUCH_KEEP && cfg->rate ? (double)h->pattern.given_up_ns / NS_PER_S : NAN, 6);
	held_up_report(r);
	rec_add_int(r, "major_faults", last->used.ru_majflt);
	rec_add_int(r, "minor_faults", last->used.ru_minflt);
	rec_add_str(r, "stopped_by", end_words[end]);
	rec_add_known_int(r, "left_least_bytes", world->left_least != INT64_MAX, world->left_least);
	rec_add_bool(r, "first_to_be_killed", world->marked);
	rec_add_bool(r, "confined", headroom_is_limited(&world->machine, &world->group));
	rec_add_str(r, "memory_group", world->group.version ? world->group.folder : NULL);
	rec_end(r);
	say_fill_result(r, h, filled);
	say_touch_rate(r, cfg, touched, touch_ns, last->used.ru_majflt - filled->used.ru_majflt);
	if (world->left_least != INT64_MAX)
		rec_say(r, "at least %s stayed free for other programs, at every check", memory_text((double)world->left_least));
}
