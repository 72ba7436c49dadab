# SPDX-License-Identifier: GPL-3.0-or-later
LIBS_vusers = -lcap-ng -lseccomp -lcurl -lvncclient -lgcrypt -ljansson
USES_vusers = rfb rdp
