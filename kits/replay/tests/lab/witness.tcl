#!/usr/bin/env wish
# SPDX-License-Identifier: GPL-3.0-or-later
# An X application that tells which of its widgets got which event: the witness of sessions that are replayed on real X servers.
#
# usage: wish witness.tcl LOG [late=MS] [menu=MS] [moved=DX,DY] [hidden]
#   late=MS     the dialog comes so long after its button was released (100)
#   menu=MS     the menu opens so long after its button was pressed (50), its submenu so long after item-2 was entered
#   moved=DX,DY button-3 is not where it was
#   hidden      button-3 is not there at all
# Widgets: button-1 to button-6; menu with item-1 to item-3, sub-1 and sub-2; open, which brings a dialog with an ok; an entry,
# which takes keys once it was clicked; a canvas for drags; and the desk behind them all.
# Log rows: the wall clock in us, then
#   ready - | press WIDGET BUTTON | release WIDGET BUTTON | double WIDGET | drag canvas X Y X Y | key WIDGET KEYSYM
#   line entry TEXT

set log [open [lindex $argv 0] w]
array set o {late 100 menu 50 moved 0,0}
foreach word [lrange $argv 1 end] { set o([lindex [split $word =] 0]) [lindex [split $word =] 1] }
array set typing {entry ""}
set lit ""
set focused desk
set drag {}
set last {"" 0}

proc say {what name args} {
	puts $::log "[clock microseconds] $what $name $args"
	flush $::log
}

proc make {name x y w h colour {state normal}} {
	set ::at($name) [list $x $y $w $h $colour]
	set ::state($name) $state
	set ::marks($name) 0
	draw $name
	.c bind $name <Enter> [list light $name]
}

proc show {state args} {
	foreach name $args {
		set ::state($name) $state
		draw $name
	}
}

# Anew, and above all others.
proc draw {name} {
	lassign $::at($name) x y w h colour
	set inks [expr {$::lit eq $name ? {#3050a0 white} : [list $colour black]}]
	set text [expr {$name eq "entry" ? $::typing(entry) : $name in {canvas dialog} ? "" : $name}]
	set place [expr {$name eq "entry" ? [list [expr {$x + 5}] w] : [list [expr {$x + $w / 2}] center]}]

	.c delete $name
	.c create rectangle $x $y [expr {$x + $w - 1}] [expr {$y + $h - 1}] -outline "" -fill [lindex $inks 0] -tags $name
	.c create text [lindex $place 0] [expr {$y + $h / 2}] -anchor [lindex $place 1] \
		-text $text -fill [lindex $inks 1] -tags $name
	for {set i 0} {$i < $::marks($name) % 12 && $text eq $name} {incr i} {
		.c create rectangle [expr {$x + 3 + 6 * $i}] [expr {$y + $h - 5}] [expr {$x + 6 + 6 * $i}] [expr {$y + $h - 3}] \
			-outline "" -fill black -tags $name
	}
	.c itemconfigure $name -state $::state($name)
}

proc light {name} {
	set was $::lit
	set ::lit [expr {[regexp {^(item|sub)-} $name] ? $name : ""}]
	if {$was eq $::lit} return
	foreach one [list $was $::lit] { if {$one ne ""} { draw $one } }
	if {$::lit eq "item-2"} { after $::o(menu) { if {$lit eq "item-2"} { show normal sub-1 sub-2 } } }
}

proc press {button x y} {
	set name [lindex [.c gettags current] 0]
	if {$name eq ""} { set name desk }
	set ::held($button) $name
	say press $name $button
	if {$button != 1} return
	switch $name {
	menu { after $::o(menu) { show normal item-1 item-2 item-3 } }
	canvas { set ::drag [list [expr {$x - 360}] [expr {$y - 240}]] }
	entry { set ::focused entry }
	}
}

proc release {button x y at} {
	set name $::held($button)
	say release $name $button
	if {$button != 1} return
	if {[lindex $::last 0] eq $name && $at - [lindex $::last 1] < 400} {
		say double $name
		set at -1000
	}
	set ::last [list $name $at]
	if {$name eq "desk"} return
	incr ::marks($name)
	if {$name eq "canvas"} {
		say drag $name {*}$::drag [expr {$x - 360}] [expr {$y - 240}]
		.c create line [expr {[lindex $::drag 0] + 360}] [expr {[lindex $::drag 1] + 240}] $x $y -width 3 -tags ink
		return
	}
	draw $name
	switch -glob $name {
	open { after $::o(late) { show normal dialog ok } }
	ok { show hidden ok dialog }
	item-2 {}
	item-* - sub-* { show hidden item-1 item-2 item-3 sub-1 sub-2 }
	}
}

proc key {keysym character} {
	if {$keysym >= 0xffe1 && $keysym <= 0xffee} return ;# shift and its like: how often they are pressed is the server's affair
	say key $::focused [format 0x%x $keysym]
	if {$::focused ne "entry"} return
	switch $keysym {
	65293 {
		say line entry {*}$::typing(entry)
		set ::typing(entry) ""
	}
	65288 { set ::typing(entry) [string range $::typing(entry) 0 end-1] }
	default { append ::typing(entry) $character }
	}
	draw entry
}

wm overrideredirect . 1
wm geometry . [winfo screenwidth .]x[winfo screenheight .]+0+0
canvas .c -highlightthickness 0 -background #506070
pack .c -fill both -expand 1
lassign [split $o(moved) ,] dx dy
foreach {i tint} {1 #e0c0c0 2 #c0e0c0 3 #c0c0e8 4 #e8e0a8 5 #d8b8e8 6 #b0e0e0} {
	make button-$i [expr {90 * $i - 70 + ($i == 3 ? $dx : 0)}] [expr {20 + ($i == 3 ? $dy : 0)}] 76 28 $tint \
		[expr {$i == 3 && [info exists o(hidden)] ? "hidden" : "normal"}]
}
make menu 20 80 76 24 #d0d0ff
make open 120 80 76 24 #ffd0a0
make entry 20 260 300 22 #ffffff
make canvas 360 240 180 120 #f0f0f0
foreach {name x y} {item-1 20 104 item-2 20 128 item-3 20 152 sub-1 120 128 sub-2 120 152} {
	make $name $x $y 100 24 #c8c8c0 hidden
}
make dialog 260 100 200 110 #e8d8c8 hidden
make ok 330 170 60 24 #a0e0a0 hidden
bind .c <Button> { press %b %x %y }
bind .c <ButtonRelease> { release %b %x %y %t }
bind .c <Key> { key %N %A }
tkwait visibility .c
focus -force .c
update
say ready -
