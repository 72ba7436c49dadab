# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# doctor_more.sh - of doctor.sh, which sources it.

# What walks the menus of applications.
menus() {
	if /usr/bin/python3 -c 'import gi; gi.require_version("Atspi", "2.0")' 2>/dev/null && have dbus-run-session &&
		[ -e /usr/share/dbus-1/services/org.a11y.Bus.service ]; then
		row yes "menus of applications" "AT-SPI"
	else
		row part "menus of applications" "no AT-SPI for python3, or no bus for it" "thinprobe setup --app menus"
	fi
}

menus
