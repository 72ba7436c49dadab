/* SPDX-License-Identifier: GPL-3.0-or-later */
/* privilege - drops every right that reading packets does not need, since anybody may send packets to be decoded. */
#ifndef PROTOTAP_PRIVILEGE_H
#define PROTOTAP_PRIVILEGE_H

#include <stdbool.h>
#include <stddef.h>

/* Sets no_new_privs, drops all capabilities and, as root, becomes the user who called sudo, else nobody. The user id stays where
 * the user namespace maps no other, or where the other user could not put `keep_file` in its place (NULL: no file). Describes in
 * `said` what was done. 0, or -errno: the program should end. */
int privilege_drop(const char *keep_file, char *said, size_t size);

#endif
