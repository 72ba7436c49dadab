/* SPDX-License-Identifier: GPL-3.0-or-later */
/* privilege - gives up what makes a link once it is there: from then on bytes of strangers pass through. */
#ifndef THINPROBE_DELAYLINE_PRIVILEGE_H
#define THINPROBE_DELAYLINE_PRIVILEGE_H

/* Keeps only what a report that is written later, and memory that is locked, may take; nothing
 * comes back (no_new_privs). 0 or -errno. */
int wire_drop_privilege(void);

#endif
