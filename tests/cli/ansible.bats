#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The Ansible role: its syntax, what it chooses to install, what it fetches. And pairs of hosts from an inventory.

bats_require_minimum_version 1.5.0

setup() {
	TOP=${BATS_TEST_DIRNAME%/tests/cli}
	command -v ansible-playbook >/dev/null || skip "ansible-core is not installed"
	cd "$BATS_TEST_TMPDIR" || return 1
	export ANSIBLE_ROLES_PATH=$TOP/ansible/roles ANSIBLE_LOCAL_TEMP=$PWD/local ANSIBLE_REMOTE_TEMP=$PWD/remote ANSIBLE_NOCOLOR=1
}

play() {	# play TASKS VARIABLES: these tasks of the role, on this machine
	printf '%s\n' '- hosts: all' '  gather_facts: false' '  connection: local' '  tasks:' \
		"    - {name: role, ansible.builtin.import_role: {name: thinprobe, tasks_from: $1}, vars: $2}" >play.yml
	LC_ALL=C.UTF-8 ansible-playbook -i here, "${@:3}" play.yml
}

@test "ansible: the role has no syntax error" {
	play main '{}' --syntax-check
}

@test "ansible: a sweep is fetched without its unfinished parts" {
	mkdir -p sweep/stalls sweep/.parts
	echo id >sweep/cells.tsv
	play collect "{thinprobe_collect: $PWD/sweep, thinprobe_collect_into: $PWD/home}"
	[ "$(tar -tzf home/here.tar.gz | sort | paste -sd ' ')" = "./ ./cells.tsv ./stalls/" ]
	[ -z "$(find remote -name '*.tar.gz' 2>/dev/null)" ]
}

@test "ansible: the role chooses the packages of the protocols that are named" {
	command -v apt-cache >/dev/null || skip "no Debian or Ubuntu"
	printf 'run\tbash\tbash\nbuild\tgcc\tgcc\nprotocol:vnc\tno-such-package|sed\tsed\nprotocol:x11\tgrep\tgrep\n' >packages
	run -0 play install "{thinprobe_packages: $PWD/packages, thinprobe_protocols: [vnc]}" -v --check --start-at-task \
		'thinprobe : Choose packages that the archive has'
	[[ $output == *'"stdout_lines": ["bash", "sed"]'* ]]
}

@test "ansible: an inventory gives pairs of hosts if its two groups have the same size" {
	printf '%s\n' 'thinprobe_servers: {hosts: {s1: {ansible_host: 10.0.0.1, ansible_user: bench}, s2: {}}}' \
		'thinprobe_clients: {hosts: {c1: {}}}' >hosts.yml
	printf '%s\n' 'experiment stalls' >file
	run -2 "$TOP/thinprobe" sweep file --pairs hosts.yml --list
	[[ $output == *thinprobe_clients* ]]
	sed -i 's/{c1: {}}/{c1: {}, c2: {}}/' hosts.yml
	"$TOP/thinprobe" sweep file --pairs hosts.yml --list >/dev/null
	echo '{' >hosts.yml
	run -2 "$TOP/thinprobe" sweep file --pairs hosts.yml --list
}
