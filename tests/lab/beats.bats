#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# hold.sh, with a stand-in for ssh: a host that is ready hears a beat a second, also while the programs are still on their way to
# another, which over a slow uplink takes longer than the 10 s after which a guard ends.

load world

setup() { world setpriv; }

@test "hold.sh: a host that is ready first hears beats until the other one is ready, too" {
	mkdir "$W/bin" "$W/programs"
	printf '#!/bin/sh\necho 1\n' >"$W/programs/keyrepeat"
	cat >"$W/bin/ssh" <<-'END'
		#!/bin/bash
		while [ "$1" != -- ]; do shift; done
		read -r size < <(sed 's/.*read -r -N \([0-9]*\) .*/\1/' <<<"$3")
		IFS= read -r -N "$size" _
		read -r bytes
		dd bs=64K count="$bytes" iflag=fullblock,count_bytes status=none >"$W/$2.tar"
		echo "thinprobe: begun"
		if [ "$2" = slow ]; then
			for _ in {1..300}; do
				[ "$(grep -cx beat "$W/heard")" -lt 3 ] || break
				sleep 0.1
			done
			[ "$(grep -cx beat "$W/heard")" -ge 3 ] || { echo "fail 1 the other host heard nothing"; exit; }
		fi
		echo "up /there"
		while read -r line && [ "$line" != end ]; do [ "$2" = slow ] || echo "$line" >>"$W/heard"; done
	END
	chmod +x "$W/bin/ssh" "$W/programs/keyrepeat"
	: >"$W/heard"
	cat >"$W/driver.sh" <<-'END'
		LAB_DRIVER=$$ setpriv --pdeathsig TERM bash -p "$TP_HOME/lab/ssh/hold.sh" 3>"$W/said" &
		until grep -qE '^(up$|fail)' "$W/said"; do sleep 0.1; done
		kill -TERM $!
		wait $!
		cat "$W/said"
	END
	export W
	TMPDIR=$W TP_HOME=$TOP TP_BIN=$W/programs LAB_LOST=$W/lost LAB_ROLES="server client" LAB_HOST_server=slow \
		LAB_HOST_client=quick PATH="$W/bin:$PATH" run timeout -k 5 60 bash "$W/driver.sh"
	echo "$output"
	[ "$(tail -n 1 <<<"$output")" = up ]
	[ "$(grep -cx 'client up /there' <<<"$output")" = 1 ]
	[ "$(grep -cx 'server up /there' <<<"$output")" = 1 ]
	# all of the programs came
	[ "$(tar -tzf "$W/slow.tar" | grep -cx './bin/keyrepeat')" = 1 ]
}
