#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# bats file_tags=all
# vamp vm with two guests on one CPU. In "one", vCPU 1 has a hog and vCPU 0 works for the user from the input on; its daemon
# tells the host through the port. "two" competes with a hog on each vCPU. What each vCPU got is the kernel's account.

load ../../../../tests/vm/guests

setup_file() {
	guests_here || return 0
	for GROUP in /sys/fs/cgroup/cpu /sys/fs/cgroup; do
		GROUP+=/thinprobe-bats-$BATS_ROOT_PID
		mkdir "$GROUP.one" 2>/dev/null || continue
		[ ! -e "$GROUP.one/cpu.shares" ] && [ ! -e "$GROUP.one/cpu.weight" ] || break
		rmdir "$GROUP.one"
	done
	if [ ! -d "$GROUP.one" ] || ! mkdir "$GROUP.two"; then
		not_here "no cpu control group can be made here"
		return 0
	fi
	export GROUP
	cat >"$W/scene.sh" <<'END'
mkfifo /tmp/never
exec 9<>/tmp/never
nap() { read -r -t "$1" -u 9; }
hog() { taskset -c "$1" bash -c 'while :; do :; done' & }
hog 0; user=$!
hog 1; echo "hog $!"
nap 3; echo before; nap 10
kill -9 $user
nap 3
echo launch >/tmp/input
hog 0; echo "user $!"
nap 1; echo in; nap 13
echo after; nap 10
echo end
END
	cat >"$W/driver.sh" <<'END'
set -u
. "$TOP/lab/lib.sh"
. "$TOP/lab/guest.sh"
cpu=$(taskset -cp $$ | sed 's/.*[^0-9]//')
for name in one two; do guest_up $name small -m 256M -C "$cpu" -G "$GROUP.$name" -s "$W"; done
threads=($(guest_vcpus one) $(guest_vcpus two) "$(guest_pid one)")
spent() { local t; for t in "${threads[@]}"; do cut -d' ' -f1 "/proc/$t/schedstat"; done; }
said() { grep -qs "$2" "$(guest_job one "$1").$3"; }
for i in 0 1; do guest_start two hog$i taskset -c $i bash -c 'while :; do :; done'; done
cat "$GROUP".*/cpu.[sw]* >"$W/weights.before"
"$TP_BIN/vamp" vm --qmp "$(guest_qmp one)" --agent "$(guest_agent one)" --ratio M --log "$W/log" \
	--format json -o "$W/vm.json" 2>"$W/vm.err" &
vamp=$!
guest_start one vamp "$TP_BIN/vamp" run --no-audio --control /tmp/input --agent /dev/virtio-ports/org.thinprobe.agent --most 12s \
	--format json -o "$W/run.json"
wait_until 120 said vamp ready err
guest_start one scene bash "$W/scene.sh"
for phase in before in after; do
	wait_until 120 said scene $phase out
	start=($(spent))
	nap 8
	end=($(spent))
	echo "$phase $(for i in "${!start[@]}"; do echo $(((end[i] - start[i]) / 1000)); done | xargs)" >>"$W/phases"
	[ $phase != in ] || cat "$GROUP".*/cpu.[sw]* >"$W/weights.in"
done
wait_until 120 said scene end out
cp "$(guest_job one scene).out" "$W/scene"
guest_signal one vamp TERM	# (guest_stop has less patience than a guest with a part of a CPU needs)
guest_wait one vamp
kill $vamp
wait $vamp
echo $? >"$W/status"
ls -d "$GROUP".one/*/ >"$W/left" 2>/dev/null
guest_down one
guest_down two
END
	timeout 500 bash "$W/driver.sh" >"$W/driver.log" 2>&1 3>&- || true
}

teardown_file() {
	for _ in {1..20}; do	# what ran there may be ending
		rmdir "${GROUP-/nonexistent}".{one,two} 2>/dev/null
		[ -d "${GROUP-}.one" ] || [ -d "${GROUP-}.two" ] || break
		sleep 0.2
	done
}

setup() {
	skip_not_here
	cat "$W/driver.log" "$W/vm.err" "$W/phases"
	[ "$(cat "$W/status")" -eq 0 ]
}

# holds PHASE CONDITION: of a and b, run times of the vCPUs of one; c and d of two; io of QEMU's first thread
holds() {
	awk -v phase="$1" '$1 == phase { a = $2; b = $3; c = $4; d = $5; io = $6; share = (a + b) / (a + b + c + d); exit !('"$2"') }' \
		"$W/phases"
}

@test "vamp vm, two guests: vCPUs are equal before and after; in the episode the hog's vCPU has the smaller share" {
	holds before 'a / b > 1 / 1.5 && a / b < 1.5'
	holds in 'a / b > 4'
	holds after 'a / b > 1 / 1.5 && a / b < 1.5'
}

@test "vamp vm, two guests: the other guest keeps its half; no guest's own weight changes" {
	for phase in before in after; do
		holds $phase 'share > 0.44 && share < 0.56'
		holds $phase 'c / d > 1 / 1.5 && c / d < 1.5'
	done
	cmp "$W/weights.before" "$W/weights.in"
}

@test "vamp vm, two guests: only the hog is throttled in the guest, and only its vCPU on the host" {
	jq -e --argjson hog "$(sed -n 's/^hog //p' "$W/scene")" \
		'.result.episodes | length == 1 and (.[0].background | map(.pid) == [$hog])' "$W/run.json"
	jq -c .result.episodes "$W/vm.json"
	jq -e '.result.episodes | length == 1 and (.[0] | ((.ended_ns - .started_ns) / 1e9) as $lasted | .ended_by == "agent" and
		.vcpus[1].slow_s > 0.7 * $lasted and .vcpus[0].slow_s < 0.2 * $lasted)' "$W/vm.json"
}

@test "vamp vm, two guests: every line of the agent arrives and is understood, and nothing is left" {
	jq -e '.result | .lines > 20 and .lines_lost == 0 and .lines_refused == 0 and .not_undone == 0 and
		.weights_failed == 0' "$W/vm.json"
	[ ! -s "$W/left" ]
}
