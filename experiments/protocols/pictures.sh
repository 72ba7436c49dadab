#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# pictures.sh FOLDER - the pictures of the work that is done over every protocol: photo.png and scene.png with many soft colours
# and a little noise, chart.png of few flat ones, canvas.png to paint on. The same every time: each pixel is a formula.
set -u -o pipefail

[ $# = 1 ] && [ -d "$1" ] || { echo "usage: pictures.sh FOLDER" >&2; exit 2; }
command -v convert >/dev/null ||
	{ echo "pictures.sh: convert is missing; apt-get install --no-install-recommends imagemagick" >&2; exit 4; }

picture() {	# picture KIND WIDTH HEIGHT FILE
	LC_ALL=C awk -v kind="$1" -v w="$2" -v h="$3" '
		function grain() { seed = (seed * 1103 + 12345) % 65536; return seed % 17 - 8 }	# exact in any awk
		function put(r, g, b) { line = line " " part(r) " " part(g) " " part(b) }
		function part(v) { v = int(v); return v < 0 ? 0 : v > 255 ? 255 : v }
		BEGIN {
			seed = 7
			print "P3", w, h, 255
			for (y = 0; y < h; y++) {
				line = ""
				for (x = 0; x < w; x++) {
					if (kind == "chart") {
						bar = int(x / (w / 8)); top = h * (0.25 + 0.09 * ((bar * 5) % 8))
						if (y == h - 12 || x == 10) put(40, 40, 40)
						else if (y < h - 12 && y > top && x % int(w / 8) > 8) put(0, 114, 178)
						else if (y % 40 == 0) put(220, 220, 220)
						else put(255, 255, 255)
					} else if (kind == "canvas" && x < w / 2) {
						put(255, 255, 255)
					} else {
						n = grain(); turn = kind == "scene" ? 1 : 0
						r = 140 + 70 * sin(x / 37 + turn) + 40 * cos(y / 23) + n
						g = 120 + 60 * cos((x + 2 * y) / 61) + 30 * sin(y / 11 + 2 * turn) + n
						b = 90 + 90 * y / h + 30 * sin((x - y) / 17) + n
						if ((x - w * 0.7) ^ 2 + (y - h * 0.4) ^ 2 < (h / 5) ^ 2) { r += 60; g += 50; b -= 40 }
						if (turn && y > h * 0.65) { g += 40; r -= 50 }
						put(r, g, b)
					}
				}
				print line
			}
		}' | convert ppm:- -strip "$4"
}

picture photo 640 420 "$1/photo.png" && picture scene 480 360 "$1/scene.png" && picture chart 480 300 "$1/chart.png" &&
	picture canvas 640 400 "$1/canvas.png" ||
	{ echo "pictures.sh: the pictures could not be written to $1" >&2; exit 1; }
