// SPDX-License-Identifier: GPL-3.0-or-later
#include "join.h"
#include "inputs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int join_traces(const char *folder, bool blocks, int64_t base, struct train *t, char *why, size_t size)
{
	struct traces traces = { 0 };
	struct keys told;
	int err = inputs_rows(folder, "wire.tsv", false, traces_read_wire, &traces, why, size);

	if (!err)
		err = inputs_rows(folder, "echo.tsv", false, traces_read_echo, &traces, why, size);
	if (err) {
		traces_free(&traces);
		return err;
	}
	if (blocks) {
		truth_of(&t->keys, &traces, &t->truth);
		err = truth_wire_keys(&t->keys, &traces, &told);
		if (!err) {
			keys_free(&t->keys);
			t->keys = told;
		}
	} else {
		err = stages_of(&t->keys, &traces, base, &t->stages);
	}
	if (err)
		snprintf(why, size, "%s: %s", folder, strerror(-err));
	traces_free(&traces);
	return err;
}
