/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ends - the options of vusers, and its load generator side (the reference server side is in vusers.c). */
#pragma once

#include "area.h"
#include "rec.h"
#include "think.h"

#include <stdint.h>

enum echo_method { ECHO_NEXT, ECHO_PATCH };
enum think_unit { PER_OBJECT, PER_PAGE };

struct vusers_options {
	int64_t users, watched, think_ns, ramp_ns, time_ns, skip_ns, timeout_ns, threshold_ns, late_ns;
	int64_t start_at_ns; /* CLOCK_REALTIME; 0: at once */
	int64_t seed, ready_fd, priority, size, width, parallel;
	double rate, nz;
	const char *user, *known_servers;
	const char *think_text, *think_file, *password_file, *log, *jtl, *workload, *encodings, *stations, *pause;
	struct think_times think; /* distribution of --think-dist; its mean is set later */
	struct pixel_area screen; /* of an RDP session */
	bool cert_ignore, no_password;
	int asks, echo, per, service;
	int sandbox; /* enum confine_mode */
	struct rec_cfg out;
};

/* Runs the load generator. Returns the exit status; dies with a line if an option is wrong or the run cannot start. */
int ends_run_users(struct vusers_options *cfg, const char *target);

/* Asks for real-time priority and exact timers for this thread; `text` is what was granted. */
void ends_ask_priority(const struct vusers_options *cfg, char *text, size_t size);
