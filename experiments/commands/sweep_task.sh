#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# sweep_task.sh HOME DIR IDS FIRST - the batch script of a sweep's Slurm array: task N measures the cell in line FIRST + N of IDS,
# on the two hosts of its allocation. (Slurm runs a copy of this script; HOME is the folder of thinprobe.)
#
# Each role is a step of the job: srun carries the lab's ssh (ProxyCommand) to an sshd of its own (sweep_role.sh), with keys for
# this cell alone. So the hosts need no ssh between them, and Slurm accounts all processes of a cell. The files of ssh are deleted
# at once and stay open in this shell (/proc/PID/fd), so that none is left, whatever ends it.
set -u
export LC_ALL=C.UTF-8
stop() { echo "$*" >&2; exit 1; }
id=$(sed -n "$(($4 + SLURM_ARRAY_TASK_ID))p" "$3")
mapfile -t hosts < <(scontrol show hostnames "$SLURM_JOB_NODELIST")
[ "${#hosts[@]}" = 2 ] || stop "cell $id: two nodes are needed, and the allocation is $SLURM_JOB_NODELIST"
folder=$(mktemp -d) && ssh-keygen -q -t ed25519 -N '' -f "$folder/key" && exec {key}<"$folder/key" && {
	cat <<-END
		IdentityFile /proc/$$/fd/$key
		IdentitiesOnly yes
		StrictHostKeyChecking no
		UserKnownHostsFile /dev/null
		GlobalKnownHostsFile /dev/null
	END
	role=$(printf %q "$1/experiments/commands/sweep_role.sh")
	echo "ProxyCommand ${role//%/%%} %h $(cut -d ' ' -f 1,2 "$folder/key.pub")"
} >"$folder/config" && exec {config}<"$folder/config" || stop "cell $id: cannot write to ${TMPDIR:-/tmp}"
rm -rf "$folder"
# An sshd behind a pipe does not know the address at which the client reaches it; Slurm does.
address=$(scontrol show node "${hosts[0]}" | sed -n 's/.*NodeAddr=\([^ ]*\).*/\1/p')
address=$(getent ahosts "$address" | awk '{ print $1; exit }')
export THINPROBE_SSH_OPTIONS="-F /proc/$$/fd/$config -o ConnectTimeout=60" LAB_ADDR_server=${LAB_ADDR_server-$address}
"$1/experiments/commands/sweep_cell.sh" "$id" --sweep "$2" --on "ssh:${hosts[0]},${hosts[1]}" &
trap 'kill $!' TERM
until wait $!; status=$?; [ "$status" -le 128 ] || ! kill -0 $! 2>/dev/null; do :; done
exit "$status"
