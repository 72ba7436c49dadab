/* SPDX-License-Identifier: GPL-3.0-or-later */
/* account - what a meter measured, told to a report. */
#ifndef PROTOTAP_ACCOUNT_H
#define PROTOTAP_ACCOUNT_H

#include "meter.h"
#include "rec.h"

/* flows, channels, headers, session, updates, largest gap and stalls, into the object that is open. After meter_finish(). */
void account_tell(struct rec *r, struct meter *m);

#endif
