# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# ab_git.sh - for ab.sh: two revisions of the user's repository, checked out and built. Sourced; sets OWN and COMMIT.
#
# The trees lie in a folder of the repository's .git, so that they are on its disk and whoever may read it may read them. The folder
# is locked while this runs, or what it has started: one that can be locked was left by a killed ab, and is removed.

declare -A COMMIT=([a]='' [b]='')
GIT_BUILDING=''
# A command of the user in a group of its own, all of which ends with it.
# shellcheck disable=SC2016 # its own
GIT_BUILD=(setsid setpriv --pdeathsig TERM sh -c 'trap "trap : TERM; kill 0; wait" TERM; sh -c "$1" & wait "$!"' sh)

git_ours() { env -u GIT_DIR -u GIT_WORK_TREE -u GIT_INDEX_FILE git -c core.hooksPath=/dev/null "$@"; }

git_remove() {	# git_remove FOLDER: its trees, and what git knows of them
	local v
	[ -z "$GIT_BUILDING" ] || { kill "$GIT_BUILDING" 2>/dev/null; wait "$GIT_BUILDING"; }
	for v in a b; do git_ours worktree remove --force --force "$1/$v" 2>/dev/null; done
	rm -rf -- "$1"
	for v in a b; do git_ours worktree remove --force --force "$1/$v" 2>/dev/null; done	# (the build may have made it no tree)
	true
}

git_remove_left() {	# git_remove_left FOLDER: those of earlier ones that have ended
	local old
	for old in "$1"/thinprobe-ab.*/; do
		[ -d "$old" ] || continue
		(flock -n 8 && git_remove "${old%/}" && warn "removed ${old%/}, which a killed ab had left") 8<"$old"
	done
	find "$1" -maxdepth 1 -name 'thinprobe-ab-[ab].*.log' -mtime +7 -delete
}

# git_commits BASE..HEAD: sets COMMIT.
git_commits() {
	local v said
	local -A revision=([a]="${1%%..*}" [b]="${1#*..}")
	command -v git >/dev/null || die -4 "git is missing; install it with: apt-get install --no-install-recommends git"
	said=$(git_ours rev-parse --git-dir 2>&1) || bad "--git $1: no repository here (${said##*$'\n'})"
	[[ $1 == *..* && $1 != *...* ]] || bad "--git $1: two revisions, such as main..HEAD"
	for v in a b; do
		said=${revision[$v]:-HEAD}
		COMMIT[$v]=$(git_ours rev-parse --verify --quiet --end-of-options "$said^{commit}") ||
			bad "--git $1: no revision $said in this repository$([ "$(git_ours rev-parse --is-shallow-repository)" != true ] ||
				echo ", a shallow clone: git fetch --unshallow (actions/checkout: fetch-depth: 2)")"
	done
	[ "${COMMIT[a]}" != "${COMMIT[b]}" ] || warn "A and B are the same commit: a difference that is found is a false alarm"
	[ -z "$(git_ours status --porcelain --untracked-files=no 2>/dev/null)" ] ||
		warn "changes that are not committed are in neither build"
}

# git_build_said LOG: prints the first error in it, or else its last lines.
git_build_said() {
	local said
	said=$(grep -m 1 -aiE '(^|[[:space:]])(error|fatal)(\[[^]]*\])?(:| at )' "$1" ||
		tail -n 40 "$1" | grep -av '^[[:space:]]*$' | tail -n 3 | paste -sd ';')
	printf '%s\n' "${said:-it said nothing}"
}

# git_build COMMAND [SIDE=PATH...]: checks out both of COMMIT, runs COMMAND in each tree; a PATH in the tree is OWN[VARIANT-SIDE].
git_build() {
	local v part log home trees status alone
	home=$(git_ours rev-parse --path-format=absolute --git-common-dir) && exec {alone}<"$home" && flock "$alone" ||
		die "cannot lock ${home:-the repository}"
	git_remove_left "$home"
	trees=$(mktemp -d "$home/thinprobe-ab.XXXXXX") || die "cannot make a folder in $home"
	chmod --reference="$home" "$trees"
	exec {GIT_LOCK}<"$trees"
	flock -n "$GIT_LOCK" || die "cannot lock $trees"
	exec {alone}<&-	# (another one would take a folder that is not locked yet for one that was left)
	on_exit git_remove "$trees"
	for v in a b; do
		log=$home/thinprobe-ab-$v.${trees##*.}.log status=0
		git_ours worktree add --detach --quiet "$trees/$v" "${COMMIT[$v]}" >"$log" 2>&1 || die "cannot check out: $(tail -n 1 "$log")"
		say "building ${v^^}: $(git_ours log -1 --format='%h %s' "${COMMIT[$v]}")"
		# (a server of the build system may outlive this: it must not hold the lock of the comparison)
		(exec {LOCK}<&- && cd "$trees/$v" && exec "${GIT_BUILD[@]}" "$1") </dev/null >>"$log" 2>&1 &
		GIT_BUILDING=$!
		wait "$GIT_BUILDING" || status=$?
		GIT_BUILDING=''
		[ "$status" = 0 ] || die "--build failed in ${v^^}, status $status: $(git_build_said "$log") (log: $log)"
		for part in "${@:2}"; do
			OWN["$v-${part%%=*}"]=$trees/$v/${part#*=}
			[ -x "$trees/$v/${part#*=}" ] || bad "--${part/=/ }: the build of ${v^^} has left $(
				[ -e "$trees/$v/${part#*=}" ] && echo "a file there that is not executable" || echo "no program there") (log: $log)"
		done
		rm -f "$log"
	done
}
