# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# starts.sh - for experiments that start the applications of data/applications.tsv (APPS): their data, which are installed, and an
# environment in which all starts are alike.

# For equal starts: no files of the user, no message bus, no screen reader, no volumes, no graphics driver. (The display's cookie is
# in the home of the session, not in that of the application.)
start_environment() {	# the lab is up: sets APP_ENVIRONMENT
	APP_ENVIRONMENT=(XAUTHORITY="$LAB_TMP/home/.Xauthority" GSETTINGS_BACKEND=memory NO_AT_BRIDGE=1 GTK_A11Y=none \
		GIO_USE_VFS=local
		DBUS_SESSION_BUS_ADDRESS=disabled: GDK_GL=disable SAL_USE_VCLPLUGIN=gen)
	# (startup is root's, whose PATH has no folder of a variant's programs; it starts none but the application)
	[ -z "${LAB_PATH_server-}" ] || APP_ENVIRONMENT+=("PATH=$LAB_PATH_server:$PATH")
}
# Reads the row of an application in data/applications.tsv. 1: there is none.
application() {	# application NAME: sets APP_KIND APP_WINDOW APP_PROGRAM APP_PACKAGE APP_COMMAND APP_ENVIRONMENT
	local words
	start_environment
	IFS=$'\t' read -r _ APP_KIND APP_WINDOW APP_PROGRAM APP_PACKAGE words < <(
		awk -F'\t' -v name="$1" '!/^#/ && $1 == name' "$TP_HOME/kits/apps/data/applications.tsv") || return
	APP_PACKAGE=${APP_PACKAGE%% *}
	mapfile -d '' -t APP_COMMAND < <(xargs printf '%s\0' <<<"$words")	# quoted as in a shell
}

apps_known() {	# apps_known OPTION APPS
	local item
	for item in ${2//,/ }; do
		application "$item" || exp_bad "$1 $item: must be one of $(
			sed '/^#/d; /^name\t/d; s/\t.*//' "$TP_HOME/kits/apps/data/applications.tsv" | paste -sd ' ')"
	done
}

app_has() { lab_has server "$1"; }	# an experiment may have others

# Applications that are not installed have no cells.
apps_choose() {
	local name here=''
	for name in ${APPS//,/ }; do
		application "$name"
		if app_has "${APP_COMMAND[0]}"; then here+=,$name; continue; fi
		ABSENT+=("$name: ${APP_COMMAND[0]} is missing; thinprobe setup --app $name")
	done
	[ -n "$here" ] || die "-$EXIT_MISSING" "none of the applications is here: ${ABSENT[0]#*: }"
	APPS=${here#,}
}
