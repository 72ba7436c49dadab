# SPDX-License-Identifier: GPL-3.0-or-later
# page.jq - report.md of a session by the scheduler of its disk.
include "replays/page";

replays_page("Disk schedulers and a session beside a heavy load";
	"What changes is the scheduler of the disk's requests, beside a load that keeps \(.run.settings.depth) reads of 32 KB at random places waiting all the time (fio, past the page cache, from the client's CPU).";
	if .run.settings.disk == "file" then "The disk is that of this machine, behind a loop device."
	else "The disk takes \(.run.settings.disk | sub("^slow:"; "")) for each read and each write while a replay lasts, one after the other, and the kernel is told that it has one head (rotational). A scheduler decides only over requests that the device has not taken yet: a loop device takes up to 128 at once, so what is shown is what this kernel's schedulers do in front of such a device." end)
