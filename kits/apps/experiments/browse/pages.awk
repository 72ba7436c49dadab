# SPDX-License-Identifier: GPL-3.0-or-later
# pages.awk - one page of the experiment browse: awk -v page=NAME -v seed=N -f pages.awk. The same page for the same seed, in any
# awk: numbers come from a generator of whole numbers. Pages name pictures that pages.sh makes beside them.

function chance(n) { state = (state * 69069 + 12345) % 4294967296; return int(state / 4294967296 * n) }
function word(  i, text) {	# one to four syllables
	text = ""
	for (i = chance(4); i >= 0; i--) text = text syllable[1 + chance(syllables)]
	return text
}
function sentence(n,  i, text) {
	text = word()
	text = toupper(substr(text, 1, 1)) substr(text, 2)
	for (i = 1; i < n; i++) text = text " " word()
	return text "."
}
function paragraph(n,  i, text) { text = ""; for (i = 0; i < n; i++) text = text sentence(4 + chance(12)) " "; return text }
function colour() { return sprintf("#%02x%02x%02x", 150 + chance(100), 150 + chance(100), 150 + chance(100)) }
function picture(name, width) { return sprintf("<img src=\"%s\" width=\"%d\" alt=\"\">", name, width) }

function box(depth,  i) {
	printf "<div style=\"border: 1px solid #555; padding: 2px 4px; background: %s\">%s\n", colour(), sentence(3)
	if (depth) for (i = 0; i < 3; i++) box(depth - 1)
	print "</div>"
}

function plain(  i) { for (i = 0; i < 4; i++) print "<p>" paragraph(4) "</p>" }
function text(  i) {
	for (i = 0; i < 240; i++) {
		if (i % 12 == 0) print "<h2>" sentence(5) "</h2>"
		print "<p>" paragraph(6) "</p>"
	}
}
function table(  i, k) {
	print "<table border=\"1\">"
	for (i = 0; i < 240; i++) {
		print "<tr>"
		for (k = 0; k < 10; k++) print "<td>" (k ? chance(10000) : word()) "</td>"
		print "</tr>"
	}
	print "</table>"
}
function icons(  i) { for (i = 0; i < 400; i++) print picture("icon-" i % 48 ".png", 32) " " word() }
function photo() { print picture("photo.jpg", 900) "<p>" paragraph(3) "</p>" }
function album(  i) { for (i = 0; i < 24; i++) print picture("album-" i ".jpg", 220) }
function boxes(  i) { for (i = 0; i < 4; i++) box(5) }
function styles(  i) {
	print "<style>"
	for (i = 0; i < 1000; i++)
		printf ".c%d, p > .c%d em { color: #%03d; font-size: %dpx; background: %s }\n", i, i, i % 1000, 10 + i % 9, colour()
	print "</style>"
	for (i = 0; i < 1000; i++) printf "<p><span class=\"c%d\">%s <em>%s</em></span></p>\n", i, sentence(8), word()
}
function form(  i) {
	print "<form>"
	for (i = 0; i < 200; i++)
		printf "<p>%s <input type=\"text\" value=\"%s\"> <input type=\"checkbox\"> <select><option>%s<option>%s</select></p>\n",
			word(), word(), word(), word()
	print "</form>"
}
function news(  i) {
	for (i = 0; i < 90; i++) {
		printf "<div style=\"float: left; width: 290px; margin: 4px; background: %s\"><h3>%s</h3>", colour(), sentence(4)
		print picture("album-" i % 24 ".jpg", 120) picture("icon-" i % 48 ".png", 32) "<p>" paragraph(3) "</p></div>"
	}
}

BEGIN {
	state = seed
	syllables = split("ta ri no el ba ku sen dor mi pla ve so an ter li gra po un zi ro che", syllable, " ")
	print "<!DOCTYPE html><html><head><title>" page "</title></head><body>"
	print "<h1>" page "</h1>"
	if (page == "plain") plain()
	if (page == "text") text()
	if (page == "table") table()
	if (page == "icons") icons()
	if (page == "photo") photo()
	if (page == "album") album()
	if (page == "boxes") boxes()
	if (page == "styles") styles()
	if (page == "form") form()
	if (page == "news") news()
	print "</body></html>"
}
