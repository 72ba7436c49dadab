# SPDX-License-Identifier: GPL-3.0-or-later
# table.jq - users, rates and queues, for a terminal.
include "lib";
include "users/common";
include "principle-a/say";

. as $doc
| [["", "users", "Z", "N/Z", "rate/s", "model", "Q", "model", "Q/Z", "R ms", "p95", "CoV", "if random", "random"]]
+ [parts[] as $p | $doc | part($p)[] | [($p | heading_of), "\(.users)", (.think_s | time_words)] + (if .repeats == 0 then [.state] else
	[(.users / .think_s | number), (.lambda_per_s | number), (.model_lambda_per_s | number), (.concurrency | number), (.model_concurrency | number), (.concurrency / .think_s | number), (.response_ms | ms), (.p95_ms | ms), (cov_words + mark), band_words, random_words] end)]
| terminal(1)
