# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - what a run with several disk schedulers found.
include "words";
include "replays";

def title: "Disk schedulers and a session beside a heavy load";
def setup: replays_setup;
def labels: replays_labels;
def verdict: replays_verdict;
def findings: replays_findings[:5];
