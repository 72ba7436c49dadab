# SPDX-License-Identifier: GPL-3.0-or-later
LIBS_queue = -lgsl -lgslcblas
LIBS_arrivals = -lgsl -lgslcblas
LIBS_vusers = -lcap-ng -lseccomp -lcurl -lvncclient -lgcrypt -ljansson
USES_vusers = rfb rdp
