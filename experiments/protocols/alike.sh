# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2154 # variables shared with the engine
# alike.sh - whether the same work ended in the same picture over every protocol.

# Two pictures are the same when at most so many percent of their pixels differ by more than so many of 255 steps in a colour.
PIXELS_PERCENT=0.1 STEPS=48

# The end state of each work against that of one protocol, in the same repeat: remote X where it is there, whose pixels no codec has
# touched. Where fewer than half have the same as that one, it is the odd one out: then the next is tried.
alike_compare() {
	local repeat work n folders reference alike
	for ((repeat = 1; repeat <= REPEATS; repeat++)); do
		for work in ${WORKS//,/ }; do
			folders=()
			for ((n = 0; n < ${#CELLS[@]}; n++)); do
				cell_use "$n"
				[ "${P[part]}" = "$work" ] && cell_complete "$(cell_folder "$CELL" "$repeat")" || continue
				if [ "${P[protocol]}" = x11 ]; then
					folders=("$(cell_folder "$CELL" "$repeat")" ${folders[@]+"${folders[@]}"})
				else
					folders+=("$(cell_folder "$CELL" "$repeat")")
				fi
			done
			alike=''
			for reference in ${folders[@]+"${folders[@]}"}; do [ -n "$alike" ] || ! alike_with "$reference" || alike=1; done
			[ -n "$alike" ] || [ ${#folders[@]} = 0 ] || alike_with "${folders[0]}"	# no half of them are alike
		done
	done
}

# All of `folders` against one of them: what differs goes into their cells. 0: half of them or more, itself counted, are the same.
alike_with() {	# alike_with REFERENCE
	local folder cell differs name same=0
	name=$(jq -r .parameters.protocol "$1/cell.json")
	for folder in "${folders[@]}"; do
		differs=$(alike_differs "$1/picture.png" "$folder/picture.png")
		cell=$(jq --argjson differs "${differs:-null}" --arg reference "$name" --argjson limit "$PIXELS_PERCENT" \
			--argjson steps "$STEPS" '.picture = {$reference, differs_percent: $differs, $steps, limit_percent: $limit,
			same: ($differs != null and $differs <= $limit)}' "$folder/cell.json") && put_json "$folder/cell.json" <<<"$cell"
		[ "$(jq .picture.same "$folder/cell.json")" != true ] || same=$((same + 1))
	done
	[ $((2 * same)) -ge ${#folders[@]} ]
}

# Share of pixels, in percent, that differ by more than STEPS of 255 in one of their colours.
alike_differs() {
	local percent
	percent=$(LC_ALL=C awk -v s="$STEPS" 'BEGIN { printf "%.4f", s * 100 / 255 }')
	convert "$1" "$2" -compose difference -composite -separate -evaluate-sequence max -threshold "$percent%" \
		-format '%[fx:100*mean]' info: 2>/dev/null
}
