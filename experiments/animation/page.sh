# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# page.sh - the pictures of data/work/pages/news.html, made from the seed of the run: animations that compete for attention, and a
# ticker. The frames of the banner carry numbers, by which bin/animate counts them on the user's screen.

PAGE_ROUND_S=8	# the longest of the loops

page_pictures() {	# page_pictures FOLDER
	mkdir -p "$1" &&
		page_animation "$1/banner.gif" 468x60 30 10 1 &&
		page_animation "$1/logo.gif" 100x100 10 5 2 &&
		page_animation "$1/left.gif" 120x90 8 20 3 &&
		page_animation "$1/right.gif" 120x240 12 12 4 &&
		page_ticker "$1/ticker.gif"
}

# page_animation FILE WxH FRAMES HUNDREDTHS NUMBER: each frame is shown for HUNDREDTHS of a second. Only animation number 1 keeps
# the corner with the frames' numbers.
page_animation() {
	local size=$2 crop=()
	[ "$5" = 1 ] || size=$((${2%x*} + 40))x${2#*x} crop=(-crop "$2+40+0" +repage)
	"$TP_BIN/animate" write "$1.raw" --frames "$3" --geometry "$size" --content "$CONTENT" --seed "$((SEED * 1000 + $5))" \
		>/dev/null 2>"$1.err" &&
		convert -delay "$4" -loop 0 -size "$size" -depth 8 "bgra:$1.raw[0-$(($3 - 1))]" -alpha off "${crop[@]}" +dither \
			"$1" \
			2>>"$1.err" && rm "$1.raw" "$1.err"
}

# Headlines on a strip of 468x20 pixels that moves by 8 pixels ten times a second, and starts again after 640 pixels.
page_ticker() {	# page_ticker FILE
	local font x frames=()
	font=$(fc-match -f '%{file}' sans 2>/dev/null)
	for ((x = 0; x < 640; x += 8)); do frames+=('(' mpr:strip -crop "468x20+$x+0" +repage ')'); done
	convert ${font:+-font "$font"} -pointsize 13 -background '#ffffe0' -fill '#202060' label:"$PAGE_HEADLINES" \
		-gravity west -extent 640x20 -gravity northwest -duplicate 1 +append -write mpr:strip +delete \
		-delay 10 -loop 0 "${frames[@]}" +dither "$1" 2>"$1.err" && rm "$1.err"
}
PAGE_HEADLINES="Bridge open again   +++   Oats 41.20, up 0.35   +++   Rain until Thursday   +++   Harbour council at nine   +++   "
