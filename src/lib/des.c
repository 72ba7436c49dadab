// SPDX-License-Identifier: GPL-3.0-or-later
/* The standard's tables as they are printed, bit 1 being the highest: some 20 us a block, which is
 * nothing for a login, and can be read. */
#include "des.h"

static const uint8_t initial[64] = {
	58, 50, 42, 34, 26, 18, 10, 2, 60, 52, 44, 36, 28, 20, 12, 4, 62, 54, 46, 38, 30, 22, 14, 6, 64, 56, 48, 40, 32, 24, 16, 8,
	57, 49, 41, 33, 25, 17, 9,  1, 59, 51, 43, 35, 27, 19, 11, 3, 61, 53, 45, 37, 29, 21, 13, 5, 63, 55, 47, 39, 31, 23, 15, 7,
};

static const uint8_t expansion[48] = {
	32, 1,	2,  3,	4,  5,	4,  5,	6,  7,	8,  9,	8,  9,	10, 11, 12, 13, 12, 13, 14, 15, 16, 17,
	16, 17, 18, 19, 20, 21, 20, 21, 22, 23, 24, 25, 24, 25, 26, 27, 28, 29, 28, 29, 30, 31, 32, 1,
};

static const uint8_t permutation[32] = {
	16, 7, 20, 21, 29, 12, 28, 17, 1, 15, 23, 26, 5, 18, 31, 10, 2, 8, 24, 14, 32, 27, 3, 9, 19, 13, 30, 6, 22, 11, 4, 25,
};

static const uint8_t choice_1[56] = {
	57, 49, 41, 33, 25, 17, 9, 1, 58, 50, 42, 34, 26, 18, 10, 2, 59, 51, 43, 35, 27, 19, 11, 3, 60, 52, 44, 36,
	63, 55, 47, 39, 31, 23, 15, 7, 62, 54, 46, 38, 30, 22, 14, 6, 61, 53, 45, 37, 29, 21, 13, 5, 28, 20, 12, 4,
};

static const uint8_t choice_2[48] = {
	14, 17, 11, 24, 1,  5,	3,  28, 15, 6,	21, 10, 23, 19, 12, 4,	26, 8,	16, 7,	27, 20, 13, 2,
	41, 52, 31, 37, 47, 55, 30, 40, 51, 45, 33, 48, 44, 49, 39, 56, 34, 53, 46, 42, 50, 36, 29, 32,
};

static const uint8_t shifts[16] = { 1, 1, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2, 2, 1 };

static const uint8_t boxes[8][64] = {
	{ 14, 4,  13, 1, 2,  15, 11, 8,	 3,  10, 6,  12, 5,  9,	 0, 7, 0,  15, 7, 4, 14, 2,  13, 1,  10, 6,  12, 11, 9,	 5,  3,	 8,
	  4,  1,  14, 8, 13, 6,	 2,  11, 15, 12, 9,  7,	 3,  10, 5, 0, 15, 12, 8, 2, 4,	 9,  1,	 7,  5,	 11, 3,	 14, 10, 0,  6,	 13 },
	{ 15, 1,  8,  14, 6,  11, 3,  4, 9, 7, 2,  13, 12, 0, 5, 10, 3,	 13, 4, 7, 15, 2,  8,  14, 12, 0, 1, 10, 6, 9,	11, 5,
	  0,  14, 7,  11, 10, 4,  13, 1, 5, 8, 12, 6,  9,  3, 2, 15, 13, 8, 10, 1, 3,  15, 4,  2,  11, 6, 7, 12, 0, 5, 14, 9 },
	{ 10, 0, 9, 14, 6, 3,  15, 5, 1,  13, 12, 7,  11, 4,  2,  8, 13, 7,  0,	 9, 3, 4, 6, 10, 2, 8,	5,  14, 12, 11, 15, 1,
	  13, 6, 4, 9,	8, 15, 3,  0, 11, 1,  2,  12, 5,  10, 14, 7, 1,	 10, 13, 0, 6, 9, 8, 7,	 4, 15, 14, 3,	11, 5,	2,  12 },
	{ 7,  13, 14, 3, 0,  6,	 9,  10, 1,  2, 8,  5,	11, 12, 4, 15, 13, 8,  11, 5, 6,  15, 0,  3, 4, 7, 2,  12, 1,  10, 14, 9,
	  10, 6,  9,  0, 12, 11, 7,  13, 15, 1, 3,  14, 5,  2,	8, 4,  3,  15, 0,  6, 10, 1,  13, 8, 9, 4, 5,  11, 12, 7,  2,  14 },
	{ 2, 12, 4, 1,	7,  10, 11, 6, 8,  5, 3,  15, 13, 0, 14, 9,  14, 11, 2,	 12, 4, 7,  13, 1,  5, 0,  15, 10, 3,  9, 8, 6,
	  4, 2,	 1, 11, 10, 13, 7,  8, 15, 9, 12, 5,  6,  3, 0,	 14, 11, 8,  12, 7,  1, 14, 2,	13, 6, 15, 0,  9,  10, 4, 5, 3 },
	{ 12, 1,  10, 15, 9, 2, 6,  8, 0, 13, 3, 4,  14, 7,  5,	 11, 10, 15, 4, 2,  7, 12, 9,  5,  6,  1,  13, 14, 0, 11, 3, 8,
	  9,  14, 15, 5,  2, 8, 12, 3, 7, 0,  4, 10, 1,	 13, 11, 6,  4,	 3,  2, 12, 9, 5,  15, 10, 11, 14, 1,  7,  6, 0,  8, 13 },
	{ 4, 11, 2,  14, 15, 0, 8,  13, 3,  12, 9, 7, 5, 10, 6, 1, 13, 0,  11, 7, 4, 9,	 1,  10, 14, 3, 5, 12, 2,  15, 8, 6,
	  1, 4,	 11, 13, 12, 3, 7,  14, 10, 15, 6, 8, 0, 5,  9, 2, 6,  11, 13, 8, 1, 4, 10, 7,	 9,  5, 0, 15, 14, 2,  3, 12 },
	{ 13, 2,  8, 4, 6, 15, 11, 1,  10, 9, 3,  14, 5,  0, 12, 7, 1, 15, 13, 8, 10, 3,  7, 4,	12, 5,	6, 11, 0, 14, 9, 2,
	  7,  11, 4, 1, 9, 12, 14, 2,  0,  6, 10, 13, 15, 3, 5,	 8, 2, 1,  14, 7, 4,  10, 8, 13, 15, 12, 9, 0,	3, 5,  6, 11 },
};

/* Bit i of the result is bit table[i] of a value of `bits` bits. */
static uint64_t pick(uint64_t from, int bits, const uint8_t *table, int n)
{
	uint64_t out = 0;

	for (int i = 0; i < n; i++)
		out = out << 1 | (from >> (bits - table[i]) & 1);
	return out;
}

static uint64_t put_back(uint64_t from, const uint8_t table[64])
{
	uint64_t out = 0;

	for (int i = 0; i < 64; i++)
		out |= (from >> (63 - i) & 1) << (64 - table[i]);
	return out;
}

static uint32_t turn(uint32_t half, int by)
{
	return (half << by | half >> (28 - by)) & 0xfffffff;
}

static void schedule(uint64_t key, uint64_t keys[16])
{
	uint64_t chosen = pick(key, 64, choice_1, 56);
	uint32_t c = (uint32_t)(chosen >> 28), d = (uint32_t)chosen & 0xfffffff;

	for (int i = 0; i < 16; i++) {
		c = turn(c, shifts[i]);
		d = turn(d, shifts[i]);
		keys[i] = pick((uint64_t)c << 28 | d, 56, choice_2, 48);
	}
}

static uint32_t cipher(uint32_t half, uint64_t key)
{
	uint64_t wide = pick(half, 32, expansion, 48) ^ key;
	uint32_t out = 0;

	for (int i = 0; i < 8; i++) {
		unsigned six = (unsigned)(wide >> (42 - 6 * i)) & 63, row = (six >> 4 & 2) | (six & 1), column = six >> 1 & 15;

		out = out << 4 | boxes[i][16 * row + column];
	}
	return (uint32_t)pick(out, 32, permutation, 32);
}

static uint64_t load(const uint8_t *p)
{
	uint64_t v = 0;

	for (int i = 0; i < DES_BLOCK; i++)
		v = v << 8 | p[i];
	return v;
}

void des_block(const uint8_t key[DES_BLOCK], const uint8_t in[DES_BLOCK], uint8_t out[DES_BLOCK], bool decrypt)
{
	uint64_t keys[16], block = pick(load(in), 64, initial, 64);
	uint32_t left = (uint32_t)(block >> 32), right = (uint32_t)block;

	schedule(load(key), keys);
	for (int i = 0; i < 16; i++) {
		uint32_t next = left ^ cipher(right, keys[decrypt ? 15 - i : i]);

		left = right;
		right = next;
	}
	block = put_back((uint64_t)right << 32 | left, initial);
	for (int i = 0; i < DES_BLOCK; i++)
		out[i] = (uint8_t)(block >> (56 - 8 * i));
}
