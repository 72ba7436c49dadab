/* SPDX-License-Identifier: GPL-3.0-or-later */
/* case - what a program of cmocka tests includes. Its tests need not use their parameter. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
