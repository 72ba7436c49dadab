# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# root.sh - root file systems and the kernel of guests, made once and kept below GUEST_CACHE.
# Part of guest.sh.
#
# A root is made by mmdebstrap from this machine's own archives and release, so that the programs
# built here run in it. Its folder's name holds a hash of all that it was made from: another list
# of packages is another root. Nothing in the cache is ever written to again.
GUEST_CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/thinprobe/guests
GUEST_BASE=(iproute2 kmod procps)
# What mounting a disk and folders of the host needs; what these need comes from modules.dep.
GUEST_MODULES="virtio_pci virtio_blk virtio_console ext4 crc32c_generic 9pnet_virtio 9p"

guest_release() { (. /etc/os-release && printf '%s' "${VERSION_CODENAME-}"); }

# guest_missing: what of this machine's programs is not there, as a line with the cure; 1 when all is.
guest_missing() {
	local need missing=''
	while read -r need; do
		command -v "$need" >/dev/null || missing+=" $need"
	done < <(packages_listed | awk '$1 == "app:vm" { print $3 }')
	[ -n "$missing" ] || return 1
	echo "missing:$missing; install with: thinprobe setup --app vm"
}

# guest_once FOLDER COMMAND...: runs COMMAND with a new folder, which becomes FOLDER when it has succeeded.
guest_once() {
	local folder=$1 new lock status
	shift
	[ ! -d "$folder" ] || return 0
	mkdir -p -- "$GUEST_CACHE" || die "cannot make $GUEST_CACHE; set XDG_CACHE_HOME to a writable folder"
	exec {lock}>"$folder.lock"
	flock "$lock"	# another driver may be making it
	if [ ! -d "$folder" ]; then
		warn "makes ${folder##*/}, once, which may take minutes${LAB_STOP_FD:+; Ctrl-C ends the run only after that}"
		new=$folder.new
		rm -rf -- "$new"
		mkdir -- "$new" && "$@" "$new" >"$folder.log" 2>&1 && mv -- "$new" "$folder"
	fi
	status=$?
	[ "$status" = 0 ] || { rm -rf -- "$new"; die "cannot make ${folder##*/}: $(tail -n 1 -- "$folder.log"); see $folder.log"; }
	exec {lock}>&-
	rm -f -- "$folder.lock"
	stop_here
}

# guest_libraries: packages that own the libraries of our programs. (Where /lib is a link, dpkg knows either name.)
guest_libraries() {
	ldd "$TP_BIN"/* 2>/dev/null | awk '$2 == "=>" && $3 ~ "^/" { sub("^/usr", "", $3); print $3; print "/usr" $3 }' | sort -u |
		xargs -r dpkg -S 2>/dev/null | sed 's/:.*//' | sort -u
}

# guest_root NAME [kept]: sets GUEST_IMAGE to the image of the root NAME of guest/roots. One that is not there is made; with
# `kept` it fails instead (1).
guest_root() {
	local line size packages key folder
	line=$(grep -P "^\Q$1\E\t" "$LAB_HERE/guest/roots") ||
		die "-$EXIT_USAGE" "no root '$1'; there are: $(sed -n 's/^\([a-z]*\)\t.*/\1/p' "$LAB_HERE/guest/roots" | paste -sd ' ')"
	IFS=$'\t' read -r _ size packages <<<"$line"
	case " $packages " in *' @libs '*) packages="${packages/@libs/} $(guest_libraries)" ;; esac
	packages=$({ printf '%s\n' "${GUEST_BASE[@]}"; tr -s ' ' '\n' <<<"$packages"; } | grep . | sort -u | paste -sd,)
	key=$({ guest_release; echo "$size $packages"; declare -f guest_root_make; } | sha256sum)
	folder=$GUEST_CACHE/$1-$(guest_release)-${key:0:12} GUEST_IMAGE=$folder/image
	[ -z "${2-}" ] || [ -d "$folder" ] || return
	guest_once "$folder" guest_root_make "$size" "$packages"
}

guest_root_make() {	# SIZE PACKAGES FOLDER
	local sources options=()
	[ "$(id -u)" = 0 ] || { echo "a root file system is made by root; its guests may be anybody's"; return 1; }
	mapfile -t sources < <(grep -lswr -- "$(guest_release)" /etc/apt/sources.list /etc/apt/sources.list.d --include='*.list' \
		--include='*.sources')
	mapfile -t options < <(apt-config dump | grep -E '^Acquire::(https?::Proxy|Check-|Retries)' | sed 's/^/--aptopt=/')
	# (Fonts: their folders' times must be of whole seconds, or mke2fs cuts them, and the first application reads all fonts again.)
	mmdebstrap --quiet --variant=minbase --format=directory --include="$2" --aptopt='APT::Install-Recommends "false"' \
		"${options[@]}" \
		--dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
		--dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt=force-unsafe-io \
		--customize-hook='chroot "$1" useradd --create-home --shell /bin/bash user' \
		--customize-hook='tr -d - </proc/sys/kernel/random/uuid >"$1/etc/machine-id"' \
		--customize-hook='echo guest >"$1/etc/hostname"; echo "127.0.0.1 localhost guest" >"$1/etc/hosts"' \
		--customize-hook='if [ -e "$1/usr/bin/fc-cache" ]; then
			find "$1/usr/share/fonts" -type d -exec touch -d "$(date +%F)" {} + && chroot "$1" fc-cache -sf; fi' \
		--customize-hook='rm -f "$1"/etc/apt/apt.conf.d/99mmdebstrap' \
		"$(guest_release)" "$3/root" "${sources[@]}" </dev/null &&
		mke2fs -q -t ext4 -O ^has_journal -E root_owner=0:0 -d "$3/root" "$3/image" "$1" &&
		rm -rf -- "$3/root"
}

# guest_apt COMMAND...: apt-get or apt-cache for `release`; another than this system's has package lists of its own (GUEST_LISTS).
guest_apt() {
	[ "$release" != "$(guest_release)" ] || { "$@"; return; }
	"$1" -o "Dir::State::Lists=${GUEST_LISTS:-$GUEST_CACHE/lists-$release}" -o Dir::Etc::SourceParts=/dev/null \
		-o "Dir::Etc::SourceList=$GUEST_CACHE/$release.list" -o APT::Sandbox::User=root \
		-o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= "${@:2}"
}

guest_lists() {	# FOLDER
	echo "deb http://deb.debian.org/debian $release main" >"$GUEST_CACHE/$release.list"
	GUEST_LISTS=$1 guest_apt apt-get -q update
}

# guest_kernel [kept]: the distribution's kernel: GUEST_KERNEL, a folder with `kernel`, `initramfs`, `modules` and `version`.
guest_kernel() {
	local package key release=${GUEST_KERNEL_OF:-$(guest_release)}
	if [ "$release" != "$(guest_release)" ]; then
		[ -z "${1-}" ] || [ -d "$GUEST_CACHE/lists-$release" ] || return
		guest_once "$GUEST_CACHE/lists-$release" guest_lists
	fi
	package=$(guest_apt apt-cache show --no-all-versions linux-image-amd64 2>/dev/null | sed -n 's/^Depends: //p')
	[ -n "$package" ] || die "-$EXIT_MISSING" "no package linux-image-amd64 in the archive of $release; apt-get update, on Debian"
	key=$({ echo "$package"; declare -f guest_kernel_make; cat "$LAB_HERE/guest/initramfs.sh"; } | sha256sum)
	package=${package%% *}
	GUEST_KERNEL=$GUEST_CACHE/$package-${key:0:12}
	[ -z "${1-}" ] || [ -d "$GUEST_KERNEL" ] || return
	guest_once "$GUEST_KERNEL" guest_kernel_make "$package"
}

# guest_unpack VMLINUZ: the kernel in it, which an emulated machine would take seconds to unpack: xz, or zstd since Debian 13.
guest_unpack() {
	local sectors at bytes unpack
	sectors=$(od -An -tu1 -j 497 -N 1 "$1")
	read -r at bytes <<<"$(od -An -tu4 -j 584 -N 8 "$1")"	# the payload, after the boot sectors; its last 4 bytes are its size
	at=$(((sectors + 1) * 512 + at))
	unpack=xz
	[ "$(od -An -tx4 -j "$at" -N 4 "$1")" != ' fd2fb528' ] || unpack=zstd
	tail -c "+$((at + 1))" "$1" | head -c "$((bytes - 4))" | "$unpack" -dc
}

guest_kernel_make() (	# PACKAGE FOLDER
	cd "$2" && guest_apt apt-get -q download "$1" && dpkg-deb -x "$1"_*.deb tree && rm "$1"_*.deb || exit
	set -- tree/boot/vmlinuz-*
	version=${1#tree/boot/vmlinuz-} base=tree
	[ -d tree/lib/modules ] || base=tree/usr	# Debian 13
	echo "$version" >version
	guest_unpack "$1" >kernel && depmod -b "$PWD/$base" "$version" && mv "$base/lib/modules/$version" modules || exit
	mkdir -p initramfs.d/root initramfs.d/dev initramfs.d/proc
	for module in $GUEST_MODULES; do
		! grep -q "/$module\.ko" modules/modules.builtin || continue
		# the last one that it needs is needed by the others
		grep -E "/$module\.ko(\.xz)?:" modules/modules.dep | tr -d : | tr ' ' '\n' | tac
	done | awk '!seen[$0]++' | while read -r file; do
		cp "modules/$file" initramfs.d/ && { [[ $file != *.xz ]] || xz -d "initramfs.d/${file##*/}"; } || exit
		file=${file%.xz}
		echo "${file##*/}"
	done >initramfs.d/modules || exit
	cp "$(command -v busybox)" initramfs.d/busybox && cp "$LAB_HERE/guest/initramfs.sh" initramfs.d/init || exit
	chmod 755 initramfs.d/init
	sed -i '1s,.*,#!/busybox sh,' initramfs.d/init
	(cd initramfs.d && find . | busybox cpio -o -H newc) >initramfs && rm -r tree initramfs.d
)
