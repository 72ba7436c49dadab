# SPDX-License-Identifier: GPL-3.0-or-later
pack [entry .field -width 40 -font {Sans 14}]
focus -force .field
