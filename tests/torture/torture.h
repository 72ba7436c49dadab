/* SPDX-License-Identifier: GPL-3.0-or-later */
/* torture - what the tool and the shim in the tortured program share: a file that both have mapped. */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#define TORTURE_CALLS 120

struct torture_state {
	int64_t fail_at;	     /* the allocation to fail, from 1; 0: none */
	int64_t starve;		     /* 1: all later ones, too */
	_Atomic int64_t allocations; /* of all processes of the program */
	_Atomic int on, listener;    /* main() has begun; descriptor of the filter in the program, 0: not yet, -errno */
	_Atomic int taken;	     /* the tool has the descriptor */
	int calls, call[TORTURE_CALLS];
};
