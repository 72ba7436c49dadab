# SPDX-License-Identifier: GPL-3.0-or-later
SOURCES_vusers = $(addprefix $(ROOT)/kits/users/src/vusers/,vrfb.c guest.c) \
	$(addprefix $(ROOT)/src/,lib/patch.c lib/vnc_password.c lib/why.c rfb/messages.c)
LIBS_vusers = -lgcrypt
