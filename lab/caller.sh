# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# caller.sh - what a caller's environment does not change. Sourced by home.sh and the front door, before all else.

# Programs that we call, and bash, would take options from these. (TMOUT ends each `read` of bash, nproc counts as OMP_... says.)
unset BASH_ENV CDPATH ENV GLOBIGNORE GREP_OPTIONS OMP_NUM_THREADS OMP_THREAD_LIMIT POSIXLY_CORRECT TAR_OPTIONS \
	TMOUT XZ_DEFAULTS XZ_OPT BLOCK_SIZE BLOCKSIZE LS_BLOCK_SIZE DU_BLOCK_SIZE DF_BLOCK_SIZE QUOTING_STYLE TIME_STYLE
set +fC +o posix
shopt -u nullglob failglob dotglob nocasematch patsub_replacement 2>/dev/null	# (bash 5.2: & in a path would be what it replaces)
# A service of the system has none.
[ -n "${HOME-}" ] || { unset HOME; export HOME=~; }

# caller_forget: unsets each exported variable that scripts of the lab and of experiments use by its name (CI has a QUEUE, a LINK),
# but for those that are documented, go from script to script, or are the system's.
caller_forget() {
	local names ours='(TP|THINPROBE)_.*|SWEEP_(ON|PAIRS|ALIVE)|EXP_(KEPT|ANSWERS|RUN_TOLD|SWEEP|PAIR|TURN|PROGRAM_.*)'
	ours+='|LAB_(ADDR_server|BESIDE|CPUS_.*|CPU_WAIT|DELAY_BY|LOCKS|OWN_UID|PATH_.*|PROC|RESERVE|SERVER_ROOT|SHARED_CPUS)'
	ours+='|LAB_(STOP_FD|SWAP_FOLDER)|(XDG|LC|SLURM_JOB|SLURM_ARRAY)_.*'
	ours+='|(OLD)?PWD|HOME|USER|PATH|SHELL|TMPDIR|(WAYLAND_)?DISPLAY|XAUTHORITY|BASH.*|SHELLOPTS'
	ours+='|SSH_CONNECTION|SUDO_[GU]ID|(E?U|PP)ID|SECONDS|EPOCH.*|[a-z]+_proxy|_'
	names=$(compgen -e | grep -vxE "$ours" | paste -sd '|')
	[ -n "$names" ] || return 0
	names=$(in_trees lab experiments | xargs -rd '\n' grep -RsohE --include='*.sh' "[$][{#!]*($names)\b" | tr -d '${#!' | sort -u)
	# shellcheck disable=SC2086 # names
	[ -z "$names" ] || unset $names
}

# Columns of a line for people: those of a terminal that has fewer than 80.
LINE_WIDTH=80
[ ! -t 1 ] || { [[ ! $(stty size <&9 2>/dev/null) =~ \ ([4-7][0-9])$ ]] || LINE_WIDTH=${BASH_REMATCH[1]}; } 9<&1
