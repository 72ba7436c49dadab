# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# work.sh - a piece of office work in a real application: APP_WORK is text (mousepad), draw
# (mtpaint), browse or news (netsurf; a page that moves by itself). Contract: ../protocols/README.md.
# Which application, window and document: the table below; what is done in it: data/work/NAME.script.
#
# Every start finds the same: a fresh home, its own copy of the documents, no message bus, no screen
# reader, no animations, a caret that does not blink, a window of known size in the corner of the
# screen. GTK 3 is told to take input as core events: those of XInput 2 break the connection of an
# application behind nxproxy.

# by name: program, class of its window, width and height of it, words of the command
work_row() {
	case $APP_WORK in
	text) printf 'mousepad Mousepad 900 650 mousepad --disable-server %s/work/text.txt\n' "$LAB_TMP" ;;
	draw) printf 'mtpaint Mtpaint 900 650 mtpaint %s/work/canvas.png\n' "$LAB_TMP" ;;
	browse) printf 'netsurf Netsurf-gtk 1000 700 netsurf-gtk file://%s/work/pages/index.html\n' "$LAB_TMP" ;;
	news) printf 'netsurf Netsurf-gtk 1000 700 netsurf-gtk file://%s/work/pages/news.html\n' "$LAB_TMP" ;;
	*) die "-$EXIT_USAGE" "no work '${APP_WORK-}'; there are: text draw browse news" ;;
	esac
}

WORK_ENVIRONMENT=(GDK_CORE_DEVICE_EVENTS=1 GSETTINGS_BACKEND=memory NO_AT_BRIDGE=1 GTK_A11Y=none
	GIO_USE_VFS=local DBUS_SESSION_BUS_ADDRESS=disabled: GDK_GL=disable GTK_OVERLAY_SCROLLING=0)

app_can() {
	local name class width height program rest
	read -r name class width height program rest < <(work_row)
	lab_has server "$program" || { printf '%s is missing%s; thinprobe setup --app work\n' "$program" "${LAB_AT_server-}"; return 1; }
	lab_has client import || {
		printf 'import (ImageMagick) is missing%s; thinprobe setup --app work\n' "${LAB_AT_client-}"
		return 1
	}
}

# What applications find in their home: nothing moves by itself, and letters are drawn alike
# whatever the display says of its size (a font in points is not: mtpaint asks the display); mtpaint
# has no second window, which would stand now above, now below the first.
work_home() {
	cat <<'END'
home=$1/home
rm -rf "$1" && mkdir -p $home/.config/gtk-3.0 && cd "$1" && tar -xf - --no-same-owner || exit
fonts='gtk-xft-dpi = 98304
gtk-xft-antialias = 1
gtk-xft-hinting = 1
gtk-xft-hintstyle ='
printf '[Settings]\ngtk-cursor-blink = 0\ngtk-enable-animations = 0\n%s hintslight\ngtk-xft-rgba = none\n' \
	"$fonts" >$home/.config/gtk-3.0/settings.ini
printf 'gtk-cursor-blink = 0\ngtk-font-name = "Sans 13px"\n%s "hintslight"\ngtk-xft-rgba = "none"\n' "$fonts" >$home/.gtkrc-2.0
printf 'toolbar3 = 0\n' >$home/.mtpaint
END
}

# Pages and a text from data/work, pictures made before: fresh for each start.
work_documents() {	# work_documents FOLDER-OF-PICTURES
	tar -C "$TP_HOME/data/work" -cf - pages text.txt -C "$1" . | lab_exec server sh -c "$(work_home)" sh "$LAB_TMP/work"
}

# app_start DISPLAY. The caller has set WORK_PICTURES, the folder of the pictures that the application shows.
app_start() {
	local name class width height words log=$LAB_LOG/app-work.log
	read -r name class width height words < <(work_row)
	work_documents "$WORK_PICTURES" 2>"$log" || cannot "its documents could not be written: $(tail -n 1 -- "$log")" || return
	# the cookies of the display stay where they are
	# shellcheck disable=SC2016
	lab_start server "app-$name" sh -c '
		cookies=${XAUTHORITY:-$HOME/.Xauthority} display=$1 home=$2 && shift 2 &&
			exec env "$@" HOME="$home" XAUTHORITY="$cookies" DISPLAY="$display" sh -c "exec \$WORK_COMMAND"' \
		sh "$1" "$LAB_TMP/work/home" "${WORK_ENVIRONMENT[@]}" WORK_COMMAND="$words"
	APP_PID=$LAB_PID APP_DISPLAY=$1
	# The largest of its windows, to be in the corner in the size asked for, with the keyboard. No window manager does that.
	# shellcheck disable=SC2016
	lab_exec server timeout 30 sh -c '
		export DISPLAY="$1"
		class=$2 width=$3 height=$4
		while :; do
			best=0 window=
			for w in $(xdotool search --onlyvisible --class "$class" 2>/dev/null); do
				size=$(xdotool getwindowgeometry --shell "$w" 2>/dev/null) && eval "$size" &&
					[ $((WIDTH * HEIGHT)) -gt $best ] &&
					best=$((WIDTH * HEIGHT)) window=$w at="$X $Y $WIDTH $HEIGHT"
			done
			[ -z "$window" ] || [ "$best" -lt 10000 ] || {
				[ "$at" != "0 0 $width $height" ] || break
				xdotool windowmove "$window" 0 0 windowsize "$window" "$width" "$height"
			}
			sleep 0.05
		done
		xdotool windowfocus "$window"' sh "$1" "$class" "$width" "$height" >>"$log" 2>&1 || {
		lab_stop "$APP_PID"
		cannot "the window of $name did not come: $(grep -hv '^$' "$log" "$LAB_LOG/app-$name.err" 2>/dev/null | tail -n 1)"
		return
	}
}
