/* SPDX-License-Identifier: GPL-3.0-or-later */
/* swap - what the machine says about its swap devices. */
#ifndef PAGEIN_SWAP_H
#define PAGEIN_SWAP_H

#include <stdbool.h>
#include <stdint.h>

bool swap_is_on(void);
/* The most that one fault reads: a page and those read ahead with it (vm.page-cluster), in bytes. May change at any time. */
int64_t swap_fault_bytes(void);

#endif
