/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vm_report - the result of `vamp vm`. */
#ifndef VAMP_VM_REPORT_H
#define VAMP_VM_REPORT_H

#include "rec.h"
#include "vm_watch.h"

/* Settings and result of a run that has ended. `left`: changes that could not be undone. */
void vm_report(struct rec *out, const struct vm_watch *w, const char *ratio, size_t left);
/* Of --status: as it is now. */
void vm_report_status(struct rec *out, const struct vm *vm);

#endif
