/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#define VNC_FUZZ_HEAD 3		  /* bytes before what the server says */
#define VNC_FUZZ_MOST (64u << 10) /* longest input: must fit into the socket's buffer */
#define VNC_FUZZ_GREETS 4	  /* bit of the first byte: the input has the greeting, too */
