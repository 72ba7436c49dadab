# SPDX-License-Identifier: GPL-3.0-or-later
# table.jq - users, rates and responses, for a terminal.
include "lib";
include "users/common";
include "users/say";

. as $doc
| [["", "users", "Z", "rate/s", "R ms", "p95", "one queue", "Q", "N by Little", "CoV", "if random", "random", "CPU %", "link %", "users of the world, Z' 30 s"]]
+ [present[] as $p | $doc | part($p)[] | [($p | heading_of), "\(.users)", (.think_s | time_words)] + (if .repeats == 0 then [.state] else
	[(.lambda_per_s | number), (.response_ms | ms), (.p95_ms | ms), (if .model_response_s == null then "" else .model_response_s * 1000 | ms end), (.concurrency | number), (users_back | fixed(2)), (cov_words + mark), band_words, random_words,
		(.server_busy_percent | number), (.link_percent | number), (if $p == "web" and .pages_per_s != null then world(30) | fixed(0) else "" end)] end)]
| terminal(1)
