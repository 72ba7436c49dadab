/* SPDX-License-Identifier: GPL-3.0-or-later */
/* des - the Data Encryption Standard, one block at a time (FIPS 46-3). No secret is safe under it;
 * VNC's passwords are proven with it. */
#ifndef THINPROBE_DES_H
#define THINPROBE_DES_H

#include <stdbool.h>
#include <stdint.h>

#define DES_BLOCK 8

/* The lowest bit of each byte of the key (its parity) is not looked at. `in` and `out` may be the same. */
void des_block(const uint8_t key[DES_BLOCK], const uint8_t in[DES_BLOCK], uint8_t out[DES_BLOCK], bool decrypt);

#endif
