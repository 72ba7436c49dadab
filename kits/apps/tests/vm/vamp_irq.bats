#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# bats file_tags=all
# vamp run --isolate in a guest moves the interrupts of its disk away from the CPU of the background: /proc/interrupts counts them.

load ../../../../tests/vm/guests

setup_file() { guests_here || return 0; }
setup() { skip_not_here; }

@test "vamp moves a disk's interrupts to the CPU of what is not background while an episode lasts, and back" {
	cat >"$W/scene.sh" <<'END'
irq=$(cat /sys/class/block/vda/device/../irq)
echo 1 >/proc/irq/$irq/smp_affinity_list
written() {	# says how many interrupts each CPU had while 50 blocks were written
	local before after i
	before=($(grep "^ *$irq:" /proc/interrupts))
	for i in {1..50}; do dd if=/dev/zero of=/root/block bs=4k count=1 oflag=dsync status=none; done
	after=($(grep "^ *$irq:" /proc/interrupts))
	echo "$1 $((after[1] - before[1])) $((after[2] - before[2])) $(cat /proc/irq/$irq/smp_affinity_list)"
}
until_said() { until grep -q "$1" "$2"; do sleep 0.2; done; }
mkfifo /tmp/input
exec 9<>/tmp/input
bash -c 'while :; do :; done' & hog=$!
"$1" run $2 --no-audio --control /tmp/input --isolate --most 600s --log /tmp/log 2>/tmp/said >/tmp/report & vamp=$!
until_said ready /tmp/said
sleep 5
written before
echo launch >&9
until_said "tag.*$hog" /tmp/log
written in
kill $vamp; wait $vamp
written after
cat /tmp/report
END
	for word in "" --no-interrupts; do
		run timeout 600 "$TOP/lab/guest.sh" run -c 2 -s "$W" small bash "$W/scene.sh" "$TOP/bin/vamp" "$word" </dev/null
		echo "$output"
		[ "$status" -eq 0 ]
		# 50 writes, one interrupt at least each
		[[ $output =~ before\ ([0-9]+)\ ([0-9]+)\ 1 && ${BASH_REMATCH[1]} -le 5 && ${BASH_REMATCH[2]} -ge 50 ]]
		if [ -z "$word" ]; then
			[[ $output =~ in\ ([0-9]+)\ ([0-9]+)\ 0 && ${BASH_REMATCH[1]} -ge 50 && ${BASH_REMATCH[2]} -le 5 ]]
		else
			[[ $output =~ in\ ([0-9]+)\ ([0-9]+)\ 1 && ${BASH_REMATCH[1]} -le 5 && ${BASH_REMATCH[2]} -ge 50 ]]
		fi
		[[ $output =~ after\ ([0-9]+)\ ([0-9]+)\ 1 && ${BASH_REMATCH[1]} -le 5 && ${BASH_REMATCH[2]} -ge 50 ]]
	done
}
