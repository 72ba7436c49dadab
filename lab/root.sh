#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# root.sh make SUITE [OPTION...] - makes a root file system of another release, in which the emulated server can run
# (LAB_SERVER_ROOT of local.sh).
#
# mmdebstrap writes an archive, and the caller unpacks it: so all files are the caller's, who may read and remove them, also where
# mmdebstrap has used the subordinate ids of an ordinary user.
set -u
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh" || exit 1
TP_TOOL=thinprobe COMMAND=root

usage() {
	cat <<'END'
usage: thinprobe root make SUITE [--protocol P,...] [-o DIR] [--mirror URL]
Makes a root file system of a release, such as bookworm or trixie, in which the
server of a run or comparison runs: LAB_SERVER_ROOT=DIR thinprobe run ..., or
thinprobe ab --a-root DIR --b-root DIR. You need not be root where user
namespaces are allowed. rm -r removes the folder.
Needs mmdebstrap (thinprobe setup --app root).
  --protocol P,...      install packages for these display protocols (vnc)
  -o, --output-dir DIR  put it here (~/.cache/thinprobe/roots/SUITE-P)
  --mirror URL          archive of the packages (that of this machine)
examples:
    thinprobe root make trixie --protocol vnc
    thinprobe root make bookworm --protocol rdp -o roots/xrdp-0.9
END
}

read_options() {
	local name protocol=vnc output_dir='' mirror=''
	read_words '' 'protocol o:output-dir mirror' "$@"
	SUITE=${words[0]-} PROTOCOLS=$protocol FOLDER=${output_dir%/} MIRROR=$mirror
	[[ ${#words[@]} -lt 2 && $SUITE =~ ^([a-z][a-z0-9-]*)?$ ]] || bad "unexpected ${words[1]-$SUITE}"
	[ -n "$SUITE" ] || bad "which release? name one, such as trixie"
	for name in ${PROTOCOLS//,/ }; do
		# shellcheck disable=SC2046 # names
		plugin_file protocols "${name%%:*}" >/dev/null ||
			bad "no protocol $name$(nearest "$name" "; thinprobe list --protocols names them" $(plugins protocols))"
		(protocol_use "$name") || exit
	done
	: "${FOLDER:=${XDG_CACHE_HOME:-$HOME/.cache}/thinprobe/roots/$SUITE-${PROTOCOLS//[,:]/-}}"
	[ ! -e "$FOLDER" ] || rmdir -- "$FOLDER" 2>/dev/null ||
		bad "$FOLDER is there already; remove it, or name another with -o DIR"
}

# The packages of every root and of these protocols, as options of mmdebstrap. Of a|b a release has one.
root_packages() {
	packages_listed | awk -v protocols=",$PROTOCOLS," '
		BEGIN {
			n = split(protocols, p, ",")
			for (i = 1; i <= n; i++) { wanted["protocol:" p[i]]; sub(/:.*/, "", p[i]); wanted["protocol:" p[i]] }
		}
		($1 == "root" || $1 in wanted) && !seen[$2]++ {
			if (gsub(/\|/, "),?exact-name(", $2)) $2 = "?or(?exact-name(" $2 "))"
			print "--include=" $2
		}'
}

is_ubuntu() { cut -d , -f 3 /usr/share/distro-info/ubuntu.csv 2>/dev/null | grep -qx -- "$SUITE"; }

# The archive that this machine has its own release from, if both are Debian's; else mmdebstrap knows one for the release.
# shellcheck disable=SC2016 # apt's
own_mirror() (
	. /etc/os-release && [ "$ID" = debian ] && ! is_ubuntu &&
		apt-get indextargets --format '$(REPO_URI)' "Release: $VERSION_CODENAME" 2>/dev/null | head -n 1
)

make_root() {
	local new log=$FOLDER.log mode=unshare options=() path cure
	[ "$EUID" != 0 ] || mode=root
	for path in mmdebstrap $([ $mode = root ] || echo newuidmap); do
		command -v "$path" >/dev/null || die "-$EXIT_MISSING" "$path is missing; thinprobe setup --app root"
	done
	: "${MIRROR:=$(own_mirror)}"
	mkdir -p -- "$(dirname -- "$FOLDER")" && new=$(mktemp -d "$FOLDER.XXXXXX") && chmod 755 "$new" ||
		die "cannot make $FOLDER; name another folder with -o DIR"
	[ ! -e "$log" ] || log=$new.log	# (the other may be somebody's)
	: >"$log" || die "cannot write $log"
	on_exit rm -rf -- "$new"
	mapfile -t options < <(
		root_packages
		apt-config dump 2>/dev/null | grep -E '^Acquire::(https?::Proxy|Check-|Retries)' | sed 's/^/--aptopt=/'
	)
	! is_ubuntu || options+=("--components=main,universe")
	echo "$FOLDER: takes some minutes" >&2
	setpriv --pdeathsig TERM mmdebstrap --mode="$mode" --variant=minbase --format=tar "${options[@]}" \
		--aptopt='APT::Install-Recommends "false"' --dpkgopt='path-exclude=/usr/share/doc/*' \
		--dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
		--dpkgopt=force-unsafe-io "$SUITE" - ${MIRROR:+"$MIRROR"} </dev/null 2>"$log" |
		tar -x -C "$new" --no-same-owner --exclude='./dev/*' 2>>"$log"
	if [ "${PIPESTATUS[*]}" != '0 0' ]; then
		case $(<"$log") in
		*NO_PUBKEY* | *'is not signed'*)
			cure="its key is not known here: install the archive's keyring (debian-archive-keyring, ubuntu-keyring)" ;;
		*'a Release file'* | *404* | *resolve* | *onnect*)
			cure="check the name, or name an archive that has it with --mirror URL" ;;
		*) cure="find out why" ;;
		esac
		die "no root of $SUITE can be made: $(sed -nE 's/^(E|tar): (.*[^.])\.?$/\2/p' "$log" | head -n 1); $cure (log: $log)"
	fi
	[ -s "$new/etc/hosts" ] || echo '127.0.0.1 localhost' >"$new/etc/hosts"
	# Where an installed thinprobe is seen from within.
	for path in "$TP_HOME" "$TP_BIN"; do [[ $path != /usr/* ]] || mkdir -p -- "$new$path"; done
	mv -T -- "$new" "$FOLDER" && rm -f -- "$log" || die "cannot make $FOLDER; name another folder with -o DIR"
	echo "root: $FOLDER ($(root_system "$FOLDER"), $(du -sm "$FOLDER" | cut -f 1) MB)"
}

case ${1-} in
make) read_options "${@:2}" && make_root ;;
-h | --help) usage ;;
*) bad "${1:-nothing} is not make" ;;
esac
