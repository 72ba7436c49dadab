#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# sweep_role.sh NODE KEY - the ProxyCommand of ssh to a node of a Slurm job: srun starts this script there, which runs an sshd
# that accepts the public key KEY.
PATH=$PATH:/usr/sbin:/sbin
if [ "$1" != here ]; then
	trap : HUP	# ssh sends it when it ends. Without it srun does not kill the step, which ends when its input does
	srun --quiet --unbuffered --overlap --nodes=1 --ntasks=1 --nodelist="$1" "$0" here "$2" "$3"
	exit
fi
sshd=$(command -v sshd) || {
	echo "no sshd on $(uname -n); apt-get install --no-install-recommends openssh-server" >&2
	exit 1
}
folder=$(mktemp -d) && ssh-keygen -q -t ed25519 -N '' -f "$folder/key" && echo "$2 $3" >"$folder/login" &&
	exec 8<"$folder/key" 9<"$folder/login" && rm -rf "$folder" || { rm -rf "$folder"; exit 1; }
"$sshd" -i -e -f /dev/null -o LogLevel=ERROR -o UsePAM=no -o PasswordAuthentication=no -o PermitRootLogin=prohibit-password \
	-o "HostKey=/proc/$$/fd/8" -o "AuthorizedKeysFile=/proc/$$/fd/9" -o StrictModes=no -o "SetEnv=THINPROBE_STEP=$$"
# When this script ends, Slurm kills the rest of the step: wait until the lab has undone its changes to the host.
n=0
while grep -qzsxF "THINPROBE_STEP=$$" /proc/[0-9]*/environ && [ "$n" -lt 100 ]; do
	n=$((n + 1))
	sleep 0.2
done
