# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# trees.sh - what lies in the same folders of several trees: of TP_HOME, the core, and of each kit below it (kits/KIT).

# in_trees PATTERN...: the files and folders of any tree that match, a line each. Patterns are relative to a tree.
in_trees() {
	local IFS='' pattern found
	for pattern; do
		# shellcheck disable=SC2231 # the pattern is meant as one
		for found in "$TP_HOME"/$pattern "$TP_HOME"/kits/*/$pattern; do [ ! -e "$found" ] || printf '%s\n' "$found"; done
	done
}

# first_of FILE: the first of this name that is there, in the core or else in a kit; 1: none is. (Asked often: without a process.)
first_of() {
	local found
	for found in "$TP_HOME/$1" "$TP_HOME"/kits/*/"$1"; do [ ! -e "$found" ] || { printf '%s\n' "$found"; return; }; done
	return 1
}

# The names of all experiments, sorted; and the folder of one (1: there is none).
experiments() { in_trees 'experiments/*/plan' | sed 's,/plan$,,; s,.*/,,' | LC_ALL=C sort; }
experiment_folder() {
	local plan
	[[ $1 =~ ^[a-z0-9-]+$ ]] && plan=$(first_of "experiments/$1/plan") && printf '%s\n' "${plan%/plan}"
}

# nearest_experiment WORD: nearest() of experiments; of one that is gone, the line of the plan that took it over.
nearest_experiment() {
	local was=''
	[[ ! $1 =~ ^[a-z0-9-]+$ ]] || was=$(in_trees 'experiments/*/plan' | xargs -rd '\n' sed -nE "s/^was +$1 +//p")
	# shellcheck disable=SC2046 # words
	if [ -n "$was" ]; then echo "; it is gone: $was"; else nearest "$1" "; thinprobe list names them" $(experiments); fi
}

# The names of all programs, sorted: src/NAME with a manual of that name, or analysis/NAME.py with one beside it.
program_names() { in_trees 'src/*/*.1' 'analysis/*.1' | sed -nE 's,.*/(([^/]+)/\2|analysis/(.+))\.1$,\2\3,p' | LC_ALL=C sort; }

# The names of the lab's plug-ins of a kind, protocols or apps, sorted; and the file of one (1: there is none).
plugins() { in_trees "lab/$1/*.sh" | sed 's,.*/,,; s/\.sh$//' | LC_ALL=C sort; }
plugin_file() { [[ $2 =~ ^[A-Za-z0-9_-]+$ ]] && first_of "lab/$1/$2.sh"; }

# The lines of the lists of packages.
packages_listed() { in_trees packages | xargs -rd '\n' cat -- | grep -v '^#'; }
# setup_helps PROTOCOL WHY: can `thinprobe setup` install what it lacks, which is WHY? (Its packages are of this release.)
setup_helps() {
	local release
	release=$(. /etc/os-release 2>/dev/null && echo "${NAME%% *} ${VERSION_ID-}")
	[[ $2 != *"$release has not"* && $2 != *"thinprobe root make "* ]] && packages_listed | grep -q "^protocol:${1%%:*}	"
}
