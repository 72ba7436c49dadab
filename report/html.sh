# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# html.sh - the frame of all pages. Sourced.

page_html() {	# page_html TITLE [CLASS [SCRIPT]]: standard input as the text of a page by itself
	printf '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
	printf '<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>%s</title>\n<style>\n' "$1"
	cat "${BASH_SOURCE[0]%/*}/report.css"
	printf '</style>\n</head>\n<body>\n<main%s>\n' "${2:+ class=\"$2\"}"
	cat
	printf '</main>\n'
	[ -z "${3-}" ] || { printf '<script>\n'; cat "$3"; printf '</script>\n'; }
	printf '</body>\n</html>\n'
}
