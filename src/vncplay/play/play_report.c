// SPDX-License-Identifier: GPL-3.0-or-later
/* play_report - what one replay has to tell. */
#include "play.h"

#include "clock.h"
#include "proc.h"
#include "rec.h"
#include "say.h"

#include <math.h>
#include <unistd.h>

void play_report(struct rec *out, const char *path, const struct input_trace *t, struct play_result *r)
{
	int inputs = 0, snapshots = 0;

	for (int i = 0; i < t->n; i++)
		*(t->events[i].kind == TRACE_SNAPSHOT ? &snapshots : &inputs) += 1;
	rec_object(out, NULL);
	rec_str(out, "file", path);
	rec_str(out, "status", play_status_words[r->status]);
	rec_str(out, "why", *r->why ? r->why : NULL);
	if (!r->began) {	/* nothing was replayed: zeros would be taken for figures */
		rec_end(out);
		rec_row(out, "%s\tnothing was replayed", path);
		return;
	}
	rec_int(out, "inputs", r->inputs);
	rec_int(out, "inputs_of_trace", inputs);
	rec_object(out, "snapshots");
	rec_int(out, "of_trace", snapshots);
	rec_int(out, "matched", r->snapshots);
	rec_int(out, "at_once", r->at_once);
	rec_int(out, "waited", r->waited);
	rec_int(out, "moved", r->moved);
	rec_int(out, "without_pointer", r->pointer_masked);
	rec_end(out);
	rec_int(out, "dependencies", r->dependencies);
	rec_int(out, "wiggles", r->wiggles);
	rec_timing(out, "waits_ms", &r->wait_ns, NS_PER_MS);
	rec_real(out, "shifted_s", (double)r->shifted_ns / NS_PER_S, 3);
	rec_timing(out, "input_lateness_us", &r->late_ns, NS_PER_US);
	rec_real(out, "total_s", (double)r->total_ns / NS_PER_S, 3);
	rec_real(out, "log_s", (double)r->log_ns / NS_PER_S, 3);
	rec_int(out, "bytes", r->bytes);
	rec_int(out, "updates", r->updates);
	rec_real(out, "cpu_percent", r->log_ns > 0 ? 100 * (double)r->cpu_ns / (double)r->log_ns : (double)NAN, 2);
	rec_count(out, "memory_peak_bytes", proc_memory_peak(getpid()) ? proc_memory_peak(getpid()) : -1);
	rec_end(out);
	rec_row(out, "%s\t%s\t%s of %s\t%s of %s\t%s\t%s", path, play_status_words[r->status], say_count(r->inputs), say_count(inputs),
		say_count(r->snapshots), say_count(snapshots), say_ns((double)r->total_ns), say_ns((double)r->shifted_ns));
	rec_rank(out, r->status == PLAY_COMPLETE ? 0 : 1);
}
