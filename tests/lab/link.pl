#!/usr/bin/perl
# SPDX-License-Identifier: GPL-3.0-or-later
# link.pl serve PORT: says "ready" on standard error, takes one connection, prints how many bytes came.
# link.pl send ADDRESS PORT BYTES: sends that many.
use strict;
use warnings;
use IO::Socket::INET;

alarm 30;
$| = 1;
my ($mode, @rest) = @ARGV;
if ($mode eq 'serve') {
	my $listener = IO::Socket::INET->new(LocalPort => $rest[0], Listen => 1, ReuseAddr => 1) or die "link.pl: cannot listen: $!\n";
	print STDERR "ready\n";
	my $peer = $listener->accept or die "link.pl: $!\n";
	my ($got, $block) = (0, '');
	while (my $n = sysread $peer, $block, 65536) { $got += $n }
	print "$got\n";
}
else {
	my $peer = IO::Socket::INET->new(PeerAddr => $rest[0], PeerPort => $rest[1], Timeout => 5) or die "link.pl: cannot connect: $!\n";
	print {$peer} 'x' x $rest[2];
	close $peer;
}
