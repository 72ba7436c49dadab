# SPDX-License-Identifier: GPL-3.0-or-later
# model.jq - the menu tree and what a user feels of an event: arithmetic only, no document of a run in it.
#
# T_total = T_index + T_think + T_handle (Wu, Zhang, Gu & Sun 2005). An event is {application, path, count, shortcut}: a way through menus, or keys
# that do without. Times of the hand and the mind ($t: key, point, button, home, mental, in s) are those of data/think.tsv. All in seconds.

# Nodes on the way: "File/Open" has two.
def depth: .path | split("/") | length;
# A shortcut is as many keys as it has parts ("ctrl+s": two), and "+" itself one.
def keys: [.shortcut | splits("\\+") | select(. != "")] | length | if . == 0 then 1 else . end;
# By the shortcut, which cuts the branches off; else a hand to the mouse, and a target and a click for each level.
def t_index($t): if (.shortcut // "") != "" then keys * $t.key else $t.home + depth * ($t.point + 2 * $t.button) end;
def t_think($t): $t.mental;
def t_total($t; $handle): t_index($t) + t_think($t) + $handle;
# What a user expects of this event: what it takes anyway, and the wait that is not felt.
def t_expected($t; $tolerance): t_index($t) + t_think($t) + $tolerance;
# Felt: nothing up to T, (T_total - T)^beta beyond.
def t_user($total; $T; $beta): if $total <= $T then 0 else pow($total - $T; $beta) end;

def key: "\(.application)\t\(.path)";
# The events that every class of users asks for; counts added up, the shortcut only where all know it.
def common_events: . as $classes | if length == 0 then [] else
	[$classes[].events | map(key) | unique] as $sets
	| reduce $sets[1:][] as $set ($sets[0]; map(select(. as $k | $set | index($k))))
	| map(. as $k | [$classes[].events[] | select(key == $k)] | .[0] + {count: (map(.count) | add), shortcut: (map(.shortcut // "") | unique | if length == 1 then .[0] else "" end)}) end;
