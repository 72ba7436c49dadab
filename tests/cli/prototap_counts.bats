#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# prototap's counts beside others': tshark's connections, a reader that shares nothing with it, a published table.

load captures

setup_file()
{
	begin_captures
	python3 "$GOLDEN/make_content.py" "$MADE"
}

setup()
{
	cd "$BATS_TEST_TMPDIR" || return 1
}

@test "packets and bytes of every connection are those of tshark -z conv,tcp" {
	command -v tshark >/dev/null || skip "no tshark"
	for file in several reused ipv6 rfb_16 x11_little vlan raw_v6; do
		"$BIN/prototap" read "$MADE/$file.pcap" --flows 5000 --format json >report.json || [ $? = 3 ]
		echo "$file"
		python3 "$GOLDEN/hold_conv.py" "$MADE/$file.pcap" report.json
	done
}

@test "packets, bytes and messages are those of a reader that shares nothing with it" {
	for file in rfb x11_little tls_12 several out_of_order messages missing never_closed lossy paper_rdp; do
		port=5900
		[[ $file != x11* ]] || port=6001
		python3 "$GOLDEN/count_alone.py" "$MADE/$file.pcap" $port >alone
		"$BIN/prototap" read "$MADE/$file.pcap" --port server:$port --format json >report.json || [ $? = 3 ]
		flat <report.json | sed 's/^result\.//' | awk -F'\t' -v OFS='\t' 'NR == FNR { want[$1]; next } $1 in want' alone - | sort >told
		echo "$file"
		sort alone | diff - told
	done
}

@test "the RDP column of the paper, a seventh of it: its average and its saving by the same formulas" {
	"$BIN/prototap" read "$MADE/paper_rdp.pcap" --port 5900 --format json >report.json
	[ "$(jq -c '.result.channels | [.input.messages, .display.messages, .total.packets, .input.ip_bytes,
		.display.ip_bytes]' report.json)" = '[165,346,543,28049,292733]' ]
	[ "$(jq -c '.result | [.channels.total.mean_message_ip_bytes, .headers.vip_saving_percent]' report.json)" = '[627.75,3.385]' ]
}

@test "the table in docs/protocol-bytes.md is what its own formulas give" {
	python3 - "$GOLDEN/../../docs/protocol-bytes.md" <<-'PY'
		import re, sys
		text = open(sys.argv[1]).read()
		def row(name):
		    line = next(l for l in text.splitlines() if l.startswith("| " + name + " |"))
		    return [cell.strip().replace(",", "").rstrip(" %") for cell in line.strip("|").split("|")[1:]]
		size, messages, vip = ([int(n) for n in row(name)] for name in ("bytes, total", "messages, total", "bytes without the IP header"))
		for i in range(3):
		    assert size[i] == int(row("bytes, input")[i]) + int(row("bytes, display")[i])
		    assert messages[i] == int(row("messages, input")[i]) + int(row("messages, display")[i])
		    assert row("average, bytes a message")[i] == f"{size[i] / messages[i]:.2f}", i
		    assert (size[i] - vip[i]) % 20 == 0 and int(row("packets")[i]) == (size[i] - vip[i]) // 20, i
		    assert row("saving")[i] == f"{100 * (size[i] - vip[i]) / size[i]:.3f}", i
	PY
}
