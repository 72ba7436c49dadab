# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# init.sh - process 1 of a guest, after initramfs.sh: mounts what a system has, then runs commands.
#
# One line on the port org.thinprobe.jobs is one request:
#   run JOB         starts /run/guest/jobs/JOB.command, a script of bash, in a session of its own: input
#                   from JOB.in, output to JOB.out and JOB.err, then its status to JOB.status
#   kill JOB SIGNAL that signal for the session's processes of JOB
# bash as process 1 waits for orphans by itself.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8

mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t cgroup2 cgroup /sys/fs/cgroup
mount -t tracefs trace /sys/kernel/tracing
mount -t debugfs debug /sys/kernel/debug
mkdir -p /dev/pts /dev/shm
mount -t devpts -o gid=5,mode=620,ptmxmode=666 pts /dev/pts
mount -t tmpfs -o mode=1777 shm /dev/shm
ln -sfn /proc/self/fd /dev/fd
ln -sfn /proc/self/fd/0 /dev/stdin
ln -sfn /proc/self/fd/1 /dev/stdout
ln -sfn /proc/self/fd/2 /dev/stderr
for controller in $(</sys/fs/cgroup/cgroup.controllers); do
	echo "+$controller" >/sys/fs/cgroup/cgroup.subtree_control
done
# (The device tells of its ports one by one, some time after its driver was loaded.)
mkdir -p /dev/virtio-ports
until [ -c /dev/virtio-ports/org.thinprobe.jobs ] && [ -c /dev/virtio-ports/org.thinprobe.agent ]; do
	sleep 0.05
	for port in /sys/class/virtio-ports/*; do
		ln -sf "/dev/${port##*/}" "/dev/virtio-ports/$(<"$port/name")"
	done
done
mkdir -p /tmp/.X11-unix /tmp/.ICE-unix
chmod 1777 /tmp/.X11-unix /tmp/.ICE-unix
install -d -o user -m 700 /run/user/user
hostname guest
ip link set lo up
if [ -e /run/guest/network ]; then	# what QEMU's own network gives everybody
	modprobe virtio_net
	for interface in /sys/class/net/e*; do
		ip address add 10.0.2.15/24 dev "${interface##*/}"
		ip link set "${interface##*/}" up
		ip route add default via 10.0.2.2
	done
fi

run_job() {	# JOB
	local job=/run/guest/jobs/$1 pid status
	env --default-signal setsid bash "$job.command" <"$job.in" >"$job.out" 2>"$job.err" &
	pid=$!
	echo "$pid" >"/run/job-$1"
	wait "$pid"
	status=$?
	rm -f "/run/job-$1"
	echo "$status" >"$job.status.new"
	mv "$job.status.new" "$job.status"
}

cd /root || exit
exec {requests}<>/dev/virtio-ports/org.thinprobe.jobs
: >/run/guest/ready
while :; do
	read -r verb job signal <&"$requests" || { sleep 0.1; continue; }	# at its end while QEMU is not ready
	case $verb in
	run) run_job "$job" {requests}<&- & ;;
	kill)	# (a job that was asked for just now has no number, or no session of its own yet)
		for ((i = 0; i < 10; i++)); do
			[ ! -e "/run/guest/jobs/$job.status" ] || break
			{ read -r pid <"/run/job-$job" && kill "-$signal" -- "-$pid"; } 2>/dev/null && break
			sleep 0.1
		done
		;;
	esac 2>/dev/console
done
