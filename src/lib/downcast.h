/* SPDX-License-Identifier: GPL-3.0-or-later */
/* downcast - from a base, which is the first member of each kind of it, to one of its kinds. */
#pragma once

#include <assert.h>

/* The base `p` as a `type *`; `is` is true only of this kind, as p->ops == &its_ops. */
#define DOWNCAST(p, type, is) (assert(is), (type *)(p))
