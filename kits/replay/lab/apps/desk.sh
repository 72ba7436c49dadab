# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# desk.sh - an empty desktop with a window manager (openbox): its menu (right button) and a key
# (ctrl+alt+t) start one application, APP_DESK (mousepad, writer, impress or geany), with a document. For sessions
# that are recorded once and replayed: every start of it shows the same, to the pixel. Contract:
# lab/protocols/README.md; app_can besides.
#
# All that it writes is below DESK_FOLDER ($LAB_TMP/desk), which is made anew: home, document, settings.
# No message bus, no screen reader, no settings of an earlier session, no caret that blinks, no
# animations; windows stand where they always stand; the document bears the same date.

DESK_ENVIRONMENT=(GSETTINGS_BACKEND=memory NO_AT_BRIDGE=1 GTK_A11Y=none GIO_USE_VFS=local
	DBUS_SESSION_BUS_ADDRESS=disabled: GDK_GL=disable GTK_OVERLAY_SCROLLING=0 SAL_USE_VCLPLUGIN=gen TZ=UTC)

# by name: program, its package, class of its window, command
desk_row() {
	case ${APP_DESK:-mousepad} in
	mousepad) printf 'mousepad mousepad Mousepad mousepad --disable-server notes.txt\n' ;;
	writer)
		printf 'soffice libreoffice-writer libreoffice-writer '
		printf 'soffice --nologo --norestore --nofirststartwizard --nolockcheck --writer notes.txt\n'
		;;
	impress)
		printf 'loimpress libreoffice-impress libreoffice-impress '
		printf 'soffice --nologo --norestore --nofirststartwizard --nolockcheck --impress slides.fodp\n'
		;;
	geany) printf 'geany geany Geany geany -i -s -t -p -m program.c\n' ;;
	*) die "-$EXIT_USAGE" "no application '$APP_DESK' on the desk; there are: mousepad writer impress geany" ;;
	esac
}

app_watch() { printf 'update\n'; }
app_reset() { :; }

app_can() {
	local program app=${APP_DESK:-mousepad}
	for program in openbox "$(desk_row | cut -d' ' -f1)"; do
		lab_has server "$program" || {
			printf '%s is missing%s; thinprobe setup --app %s\n' "$program" "${LAB_AT_server-}" "${app/mousepad/desk}"
			return 1
		}
	done
}

# On the server: $1 is the folder, $2 the command of the menu, $3 the name of the document; standard input: the document.
desk_home() {
	cat <<'END'
home=$1/home
rm -rf "$1" && mkdir -p "$home/.config/gtk-3.0" "$home/.config/openbox" "$1/run" && chmod 700 "$1/run" &&
	cat >"$home/$3" && touch -d '2020-01-02 03:04 UTC' "$home/$3" || exit
cat >"$home/.config/gtk-3.0/settings.ini" <<INI
[Settings]
gtk-cursor-blink = 0
gtk-enable-animations = 0
gtk-recent-files-enabled = 0
gtk-xft-dpi = 98304
gtk-xft-antialias = 1
gtk-xft-hinting = 1
gtk-xft-hintstyle = hintslight
gtk-xft-rgba = none
INI
cat >"$home/.config/openbox/menu.xml" <<XML
<openbox_menu xmlns="http://openbox.org/3.4/menu"><menu id="root-menu" label="Desk">
<item label="Text of the day"><action name="Execute"><command>$2</command></action></item>
<separator/><item label="Reconfigure"><action name="Reconfigure"/></item>
</menu></openbox_menu>
XML
cat >"$home/.config/openbox/rc.xml" <<XML
<openbox_config xmlns="http://openbox.org/3.4/rc">
<focus><focusNew>yes</focusNew><followMouse>no</followMouse></focus>
<placement><policy>Smart</policy><center>yes</center></placement>
<theme><name>Clearlooks</name><titleLayout>LC</titleLayout><animateIconify>no</animateIconify></theme>
<desktops><number>1</number><popupTime>0</popupTime></desktops>
<resize><popupShow>Never</popupShow></resize>
<keyboard><keybind key="A-F4"><action name="Close"/></keybind>
<keybind key="C-A-t"><action name="Execute"><command>$2</command></action></keybind></keyboard>
<mouse><dragThreshold>8</dragThreshold><doubleClickTime>500</doubleClickTime>
<context name="Client"><mousebind button="Left" action="Press"><action name="Focus"/><action name="Raise"/></mousebind></context>
<context name="Titlebar"><mousebind button="Left" action="Press"><action name="Focus"/><action name="Raise"/></mousebind></context>
<context name="Close"><mousebind button="Left" action="Click"><action name="Close"/></mousebind></context>
<context name="Root"><mousebind button="Right" action="Press">
<action name="ShowMenu"><menu>root-menu</menu></action></mousebind></context>
</mouse>
<menu><file>menu.xml</file><hideDelay>200</hideDelay><submenuShowDelay>0</submenuShowDelay><showIcons>no</showIcons></menu>
<applications><application type="normal"><position force="yes"><x>0</x><y>0</y></position>
<decor>no</decor><maximized>yes</maximized></application></applications>
</openbox_config>
XML
END
}

app_start() {
	local program words folder=${DESK_FOLDER:-$LAB_TMP/desk} log=$LAB_LOG/app-desk.log
	local text=$TP_HOME/data/work/text.txt
	read -r program _ _ words < <(desk_row)
	[[ ${APP_DESK-} != @(impress|geany) ]] || text=$TP_HOME/kits/replay/data/sessions/${words##* }
	lab_exec server sh -c "$(desk_home)" sh "$folder" "$words" "${words##* }" <"$text" 2>"$log" || {
		cannot "its home could not be written: $(tail -n 1 -- "$log")"
		return
	}
	# the cookie of the display stays where it is
	# shellcheck disable=SC2016
	lab_start ${APP_FLAGS[@]+"${APP_FLAGS[@]}"} server app-desk sh -c '
		export XAUTHORITY="${XAUTHORITY:-$HOME/.Xauthority}" DISPLAY="$1" HOME="$2/home" XDG_RUNTIME_DIR="$2/run" &&
			cd "$HOME" && shift 2 && xsetroot -solid "#456" && exec env "$@" openbox' \
		sh "$1" "$folder" "${DESK_ENVIRONMENT[@]}"
	APP_PID=$LAB_PID APP_DISPLAY=$1
	# It says so on the root window when it manages windows.
	# shellcheck disable=SC2016
	lab_exec server timeout 60 sh -c 'until DISPLAY=$1 xdotool get_desktop; do sleep 0.05; done' sh "$1" >/dev/null 2>>"$log" || {
		lab_stop "$APP_PID"
		cannot "openbox did not start: $(grep -hv '^$' "$log" "$LAB_LOG/app-desk.err" 2>/dev/null | tail -n 1)"
		return
	}
	rm -f -- "$log"
}

app_stop() { lab_stop "$APP_PID"; }
