/* SPDX-License-Identifier: GPL-3.0-or-later */
/* findings - what was found in the payload, told to a report: TLS, and the messages of decoded protocols. */
#ifndef PROTOTAP_FINDINGS_H
#define PROTOTAP_FINDINGS_H

#include "meter.h"
#include "rec.h"

/* What TLS adds to its records, as far as it is known. */
uint64_t findings_tls_bytes(const struct contents *all);

/* tls, and if it was asked for decoded, into the object that is open. After meter_finish(). */
void findings_tell(struct rec *r, const struct meter *m);

#endif
