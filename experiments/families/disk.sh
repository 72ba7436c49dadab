# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# disk.sh - for experiments that keep their files on a disk of their own, of a given speed (lab/disk.sh, option `disk`), and a load
# of reads from it. FACTS has the load as it was measured, as JSON.
LOAD_FILE_MB=256 FIO='' FACTS='{}'
LAB_OWN_UID=0	# root and the server's programs share files (lab/local.sh)

check_disk() {
	[ -z "${DISK-}" ] || [[ $DISK =~ ^(file|slow:[0-9]+(\.[0-9]+)?(us|ms|s))$ ]] ||
		exp_bad "--disk $DISK: must be slow:TIME such as slow:4ms, or file"
}

# Empties the server's page cache, except mapped pages. The cache is the whole machine's, so only root may.
caches_drop() {
	CACHES=kept
	[ "${KEEP_CACHES-0}" = 1 ] || { lab_query server sh -c 'sync && echo 3 >/proc/sys/vm/drop_caches' &&
		CACHES=dropped; } 2>/dev/null
}

# The server's own disk is taken as it is.
disk_is_own() { [ "$ON_BACKEND" = ssh ] && [ "${DISK-}" = file ]; }

# Lists the files of /usr that are in memory, for disk_fill: those that the session has read (and other running programs).
# 1: LAB_WHY.
disk_list() {
	lab_query server sh -c '
		find /usr -xdev -type f -print0 | xargs -0 fincore --noheadings --bytes --raw --output RES,FILE' 2>/dev/null |
		awk '$1 > 0 { sub(/^[0-9]+ /, ""); print substr($0, 2) }' >"$RUN/log/files"
	LAB_WHY="what the session reads is not known: fincore tells of no file"
	[ -s "$RUN/log/files" ]
}

# Copies these files onto a disk and mounts them over the server's /usr (overlayfs). No other process has these copies in memory.
# An own disk has them already. 1: LAB_WHY.
disk_fill() {
	local list=$RUN/log/files bytes=0 kind=${DISK:-slow} said
	kind=${kind%%:*}
	: >"$list"
	if disk_is_own; then
		kind=own
		lab_disk_own "$((LOAD_FILE_MB + 64))M" || return
	else
		disk_list || return
		bytes=$(lab_exec server sh -c "cd / && tr '\n' '\0' | du --bytes --total --files0-from=-" <"$list" 2>/dev/null |
			tail -n 1 | cut -f 1 | whole_numbers) || { LAB_WHY="the size of what the session reads is not known"; return 1; }
		lab_disk "$kind" "$(((bytes + bytes / 3) / 1048576 + LOAD_FILE_MB + 128))M" "$LAB_TMP/disk" || return
	fi
	# The load reads only blocks that were written; other blocks would not be read from the disk.
	said=$({ { disk_is_own ||
		lab_exec -R server sh -c 'tar -C / -cf - --files-from - | tar -C "$1" -xf -' sh "$LAB_DISK" <"$list"; } &&
		lab_exec -R server dd if=/dev/urandom of="$LAB_DISK/load" bs=1M count="$LOAD_FILE_MB" conv=fsync status=none \
			</dev/null && { disk_is_own ||
		lab_exec -R server mount -t overlay desk -o "lowerdir=$LAB_DISK/usr:/usr" /usr </dev/null; }; } 2>&1) || {
		LAB_WHY="its files cannot stand in front of the system's: ${said##*$'\n'} (it takes overlayfs)"
		return 1
	}
	DESK_FOLDER=$LAB_DISK/desk
	run_set '.disk = {$kind, $backing, $files, files_bytes: $bytes,
		schedulers: ($schedulers | split(" ") | map(select(. != "")))}' \
		--arg kind "$kind" --arg backing "$LAB_DISK_BACKING" --argjson files "$(wc -l <"$list")" --argjson bytes "$bytes" \
		--arg schedulers "$(lab_disk_schedulers)"
}

# Removes the lab's disk and its mounts in /usr; they must not be in use. 1: LAB_WHY.
disk_away() {
	[ -n "${LAB_DISK-}" ] || return 0
	lab_exec -R server sh -c '! grep -q "^desk /usr overlay " /proc/self/mounts || umount -l /usr' </dev/null
	lab_disk_off
}

# The load: fio reads 32 KB at random places, bypassing the page cache, on the client's CPU (over ssh on others of the server).
fio_begin() {	# fio_begin FOLDER WORD...: 0, or LAB_WHY
	local reads _ cpus=${LAB_CPUS_beside-$LAB_CPUS_client}
	read -r reads _ < <(lab_disk_counts)
	lab_start -R -o "$1/fio.json" server fio taskset -c "${cpus:-$LAB_CPUS_server}" fio --name=load \
		--filename="$LAB_DISK/load" --readonly \
		--direct=1 --rw=randread --bs=32k --ioengine=libaio --time_based --runtime=86400 --randrepeat=0 --group_reporting \
		--output-format=json --output "$1/fio.json" "${@:2}"
	FIO=$LAB_PID
	wait_until 30 fio_reads "$reads" && ! lab_gone "$FIO" && return
	LAB_WHY="fio does not read: $(last_word fio)"
	return 1
}
fio_rate() { fio_begin "$1" --iodepth=32 --rate_iops="$2" --rate_process=poisson; }	# fio_rate FOLDER READS-A-SECOND
fio_reads() {	# fio_reads BEFORE: at least five more reads than BEFORE were counted
	local reads _
	! lab_gone "$FIO" || return 0
	read -r reads _ < <(lab_disk_counts)
	[ "${reads:-0}" -ge $(($1 + 5)) ]
}
fio_end() {	# fio_end FOLDER: sets FACTS
	[ -n "$FIO" ] || return 0
	lab_stop "$FIO"
	FIO=''
	# (its report follows a line about the signal that ended it)
	FACTS=$(sed -n '/^{/,$p' "$1/fio.json" 2>/dev/null |
		jq -ce '.jobs[0].read | {load_reads_per_s: .iops, load_reads: .total_ios,
		load_read_p50_ms: ((.clat_ns.percentile["50.000000"] | values / 1e6) // null), load_short: .short_ios}' \
			2>/dev/null) || FACTS='{}'
}

# The delay of each read and write is in force during the measurement only.
disk_slow() { [[ $DISK != slow:* ]] || lab_disk_delay "${DISK#slow:}"; }
disk_fast() { [[ ${DISK:-slow} != slow* || -z $LAB_DISK_DEVICE ]] || lab_disk_delay 0; }
