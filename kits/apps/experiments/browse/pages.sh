# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# pages.sh - the ten pages that are visited, made from the seed of the run.

PAGES=(plain text table icons photo album boxes styles form news)

pages_make() {	# pages_make FOLDER; 1: LAB_WHY
	local page i
	mkdir -p "$1"
	for page in "${PAGES[@]}"; do
		LC_ALL=C awk -v page="$page" -v seed="$SEED" -f "$TP_HOME/kits/apps/experiments/browse/pages.awk" >"$1/$page.html" || return
	done
	pages_picture 3200x2400 "$1/photo.jpg" "$SEED" &&
		for i in {0..23}; do pages_picture 800x600 "$1/album-$i.jpg" "$((SEED + i))" || return; done &&
		for i in {0..47}; do pages_picture 32x32 "$1/icon-$i.png" "$((SEED + i))" || return; done
}

pages_picture() {	# pages_picture SIZE FILE SEED
	LAB_WHY="the pictures of the pages could not be made"
	convert -seed "$3" -size "$1" plasma: -strip -quality 85 "$2" 2>/dev/null
}
