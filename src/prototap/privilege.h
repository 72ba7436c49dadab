/* SPDX-License-Identifier: GPL-3.0-or-later */
/* privilege - gives up every right that reading packets does not need.
 *
 * Packets come from whoever can reach the wire: what decodes them should be able to do nothing else. */
#ifndef PROTOTAP_PRIVILEGE_H
#define PROTOTAP_PRIVILEGE_H

#include <stdbool.h>
#include <stddef.h>

/* Sets no_new_privs, drops all capabilities and, as root, becomes the user who called sudo, else
 * nobody. The ids stay where only one is mapped in the user namespace, or where `keep_file` could
 * not be put in its place otherwise (NULL: no file). What was done goes to `said`. 0 or -errno:
 * then the program should end. */
int privilege_drop(const char *keep_file, char *said, size_t size);

#endif
