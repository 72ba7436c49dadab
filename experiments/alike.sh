# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2154 # variables shared with the driver and lib.sh
# alike.sh - whether the same work ended in the same picture over every protocol (for protocols.sh, which has PROTOCOL_LIST, PROTOCOL_OF, WORKS,
# REPEATS and what is still the same picture: PIXELS_PERCENT, STEPS).

# The end state of each work against that of one protocol, in the same repeat: remote X where it is there, whose pixels no codec has touched.
# Where fewer than half have the same as that one, it is the odd one out: then the next is tried.
compare_pictures() {
	local repeat work name names alike
	for ((repeat = 1; repeat <= REPEATS; repeat++)); do
		for work in ${WORKS//,/ }; do
			names=()
			for name in $(tr ,: ' -' <<<"$PROTOCOL_LIST" | awk '{ for (x = 1; x >= 0; x--) for (i = 1; i <= NF; i++) if (($i == "x11") == x) print $i }'); do
				! exp_complete "$(exp_cell_folder "$name.$work" 0 "$repeat")" || names+=("$name")
			done
			alike=''
			for name in ${names[@]+"${names[@]}"}; do [ -n "$alike" ] || ! compare_with "$name" || alike=$name; done
			[ -n "$alike" ] || [ ${#names[@]} = 0 ] || compare_with "${names[0]}"	# no half of them are alike
		done
	done
}

# All of `names` against one of them: what differs goes into their cells. 0: half of them or more, itself counted, are the same.
compare_with() {	# compare_with REFERENCE, of `work` in `repeat`
	local name folder cell differs same=0
	for name in "${names[@]}"; do
		folder=$(exp_cell_folder "$name.$work" 0 "$repeat")
		differs=$(picture_differs "$(exp_cell_folder "$1.$work" 0 "$repeat")/picture.png" "$folder/picture.png")
		cell=$(jq --argjson differs "${differs:-null}" --arg reference "${PROTOCOL_OF[$1]}" --argjson limit "$PIXELS_PERCENT" --argjson steps "$STEPS" '
			.picture = {reference: $reference, differs_percent: $differs, steps: $steps, limit_percent: $limit, same: ($differs != null and $differs <= $limit)}' "$folder/cell.json") &&
			put_json "$folder/cell.json" <<<"$cell"
		[ "$(jq .picture.same "$folder/cell.json")" != true ] || same=$((same + 1))
	done
	[ $((2 * same)) -ge ${#names[@]} ]
}

# Share of pixels, in percent, that differ by more than STEPS of 255 in one of their colours.
picture_differs() {
	local percent
	percent=$(awk -v s="$STEPS" 'BEGIN { printf "%.4f", s * 100 / 255 }')
	convert "$1" "$2" -compose difference -composite -separate -evaluate-sequence max -threshold "$percent%" -format '%[fx:100*mean]' info: 2>/dev/null
}
