#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# index.sh [--check] - writes what is said of all experiments outside their folders, from their plans: the table of
# experiments/README.md, and the experiments with their own options in docs/thinprobe.1, each between two marks.
# --check: only says which is not up to date, and fails.
set -u
. "$(dirname -- "${BASH_SOURCE[0]}")/../../lab/home.sh" || exit 1
die() { printf 'index.sh: %s\n' "$*" >&2; exit 1; }
. "$TP_HOME/experiments/engine/plan.sh"

plans() { printf '%s\n' "$TP_HOME"/experiments/*/plan | LC_ALL=C sort; }
stem() { basename "$(dirname "$1")"; }
field() { plan_lines "$1" | sed -n "s/^$2  *//p" | head -n 1; }

readme_rows() {
	local plan paper figure minutes
	echo '| experiment | what it shows | minutes | needs | what would prove us wrong |'
	echo '|---|---|---|---|---|'
	while IFS= read -r plan; do
		paper=$(field "$plan" paper) figure=$(field "$plan" figure) minutes=$(field "$plan" minutes)
		[ "$paper" = - ] || figure="$paper: $figure"
		minutes=${minutes/ quick=/, quick } minutes=${minutes/ demo=/, demo }
		printf '| [%s](%s/README.md) | %s | %s | %s | %s |\n' "$(stem "$plan")" "$(stem "$plan")" "$figure" "$minutes" \
			"$(field "$plan" needs)" "$(field "$plan" wrong-if)"
	done < <(plans)
}

roff() { sed 's/\\/\\e/g; s/-/\\-/g' <<<"$1" | sed "s/^[.']/\\\\\\&&/"; }

man_option() {	# of the plan that is read
	local name=$1 default=${OPT[$1.default]-} help
	help=${OPT[$name.help]}
	printf '.It Fl Fl %s%s\n' "$name" "$([ "${OPT[$name.type]}" = flag ] || echo " Ar ${OPT[$name.meta]:-value}")"
	roff "${help^}$([ -z "$default" ] || [ "$default" = - ] || [ "${OPT[$name.type]}" = flag ] || echo " ($default)")."
}

man_experiment() (	# in a shell of its own: plan_read fills variables
	local name own=''
	plan_read "$(dirname "$1")"
	printf '.Ss run %s\n' "$(stem "$1")"
	roff "${PLAN[says]}"
	printf '.Pp\n'
	roff "Minutes: ${PLAN[minutes]/ quick=/, with --quick }."
	for name in "${OPTIONS[@]}"; do
		grep -q "^option  *$name " "$1" || continue
		[ -n "$own" ] || printf '.Bl -tag -width Ds\n'
		own=1
		man_option "$name"
	done
	[ -z "$own" ] || printf '.El\n'
)

man_rows() {
	local plan
	while IFS= read -r plan; do man_experiment "$plan"; done < <(plans)
}

# between FILE BEGIN END: FILE with standard input in place of what stands between these two lines.
between() {
	BEGIN=$2 END=$3 awk 'FILENAME == "-" { new = new $0 "\n"; next }
		$0 == ENVIRON["END"] { inside = 0 } !inside { print } $0 == ENVIRON["BEGIN"] { printf "%s", new; inside = 1 }' - "$1"
}

update() {	# update FILE BEGIN END: standard input is what should be there
	local file=$TP_HOME/$1
	grep -qxF -- "$2" "$file" && grep -qxF -- "$3" "$file" || die "$1 has no place for it: the lines '$2' and '$3'"
	between "$file" "$2" "$3" >"$work/new" || exit 1
	! cmp -s "$work/new" "$file" || return 0
	if [ "$check" = 1 ]; then
		echo "$1 is not what the plans say: run experiments/engine/index.sh"
		return 1
	else
		cat "$work/new" >"$file"
	fi
}

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
check=0 status=0
case ${1-} in
'') ;;
--check) check=1 ;;
*) die "usage: index.sh [--check]" ;;
esac
readme_rows | update experiments/README.md '<!-- from the plans: index.sh -->' '<!-- end -->' || status=1
man_rows | update docs/thinprobe.1 '.\" from the plans: index.sh' '.\" end' || status=1
exit "$status"
