/* SPDX-License-Identifier: GPL-3.0-or-later */
/* encodings - numbers of the encodings and pseudo-encodings of the RFB protocol (RFC 6143, 7.7 and 7.8). */
#pragma once

enum {
	RFB_RAW = 0,
	RFB_COPYRECT = 1,
	RFB_RRE = 2,
	RFB_CORRE = 4,
	RFB_HEXTILE = 5,
	RFB_ZLIB = 6,
	RFB_TIGHT = 7,
	RFB_ZRLE = 16,
	RFB_DESKTOP_SIZE = -223,
	RFB_LAST_RECT = -224,
	RFB_POINTER_POS = -232,
	RFB_CURSOR = -239,
	RFB_X_CURSOR = -240,
	RFB_DESKTOP_NAME = -307,
	RFB_EXTENDED_DESKTOP_SIZE = -308
};
