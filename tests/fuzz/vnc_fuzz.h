/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#define VNC_FUZZ_HEAD 3		  /* bytes before what the server says */
#define VNC_FUZZ_MOST (64u << 10) /* what a socket holds before it is read */
#define VNC_FUZZ_GREETS 4
