# SPDX-License-Identifier: GPL-3.0-or-later
# animations.jq - words of experiments with an animation.
include "words";

def system: .protocol + if .draw == "pixmap" then " (pixmap)" else "" end;
def mbit: if . == null then "?" elif . >= 9.95 then fixed(1) elif . >= 0.0995 then fixed(2) else fixed(3) end;
def bytes:	# 1 KB is 1,000 bytes, as on a link
	if . == null then "?" elif . >= 999500 then "\(. / 1e6 | fixed(1)) MB" elif . >= 9950 then "\(. / 1000 | fixed(0)) KB"
	elif . >= 995 then "\(. / 1000 | fixed(1)) KB" else "\(fixed(0)) bytes" end;
def rows: [measured_rows("summary")[] | select((.shows // "loop") == "loop")];
def with($verdict): [rows[] | select(.verdict == $verdict)];
def named(value): map("\(system) \(value)") | join(", ");
def shown_words: {page: "a page with animations", bar: "a progress bar", caret: "a caret"}[.];
def animation_setup(frames): [(.run.settings
		| (select(.size and .rate_per_s and (.shows // ["loop"] | index("loop")))
			| "\(frames) of \(.size | sub("x"; " x ")) pixels, \(.rate_per_s) a second"),
		([.shows // [] | .[] | shown_words | values] | and_list)),
	protocol_words, link_words, repeats_words] | sentence;
