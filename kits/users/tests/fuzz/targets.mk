# SPDX-License-Identifier: GPL-3.0-or-later
SOURCES_arrivals = $(ROOT)/kits/users/src/arrivals/logs_in.c $(addprefix $(ROOT)/src/lib/,lines.c why.c) $(DIE)
