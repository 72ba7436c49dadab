#!/usr/bin/perl
# SPDX-License-Identifier: GPL-3.0-or-later
# rfb.pl ADDRESS PORT - a VNC client of its own, from the RFB specification (RFC 6143), with nothing of the project
# in it: types one key and says "echo WIDTH HEIGHT BYTES" for the first screen update that answers it.
use strict;
use warnings;
use IO::Socket::INET;

$SIG{ALRM} = sub { die "rfb.pl: no answer in 20 s\n" };
alarm 20;
my $server = IO::Socket::INET->new(PeerAddr => $ARGV[0], PeerPort => $ARGV[1], Timeout => 5) or die "rfb.pl: cannot connect: $!\n";
binmode $server;

sub get {
	my ($want) = @_;
	my $got = '';
	while (length $got < $want) {
		sysread($server, $got, $want - length $got, length $got) or die "rfb.pl: the server hung up\n";
	}
	return $got;
}
sub put { syswrite($server, $_[0]) == length $_[0] or die "rfb.pl: cannot write: $!\n" }

get(12);
put("RFB 003.008\n");
my $types = get(unpack 'C', get(1));
index($types, "\1") >= 0 or die "rfb.pl: the server wants a password\n";
put("\1");
unpack('N', get(4)) == 0 or die "rfb.pl: refused\n";
put("\1");	# shared
my ($width, $height) = unpack 'nn', get(4);
my $format = get(16);
my $pixel = unpack('C', $format) / 8;
get(unpack 'N', get(4));	# the desktop's name
put(pack 'CxnN', 2, 1, 0);	# raw pixels only

sub ask { put(pack 'CCnnnn', 3, $_[0], 0, 0, $width, $height) }
sub update {	# reads messages up to one screen update: (width, height of its first rectangle, bytes)
	for (;;) {
		my $type = unpack 'C', get(1);
		if ($type == 0) {
			my ($count) = unpack 'xn', get(3);
			my ($w, $h, $bytes) = (0, 0, 0);
			for my $i (1 .. $count) {
				my (undef, undef, $rw, $rh, $encoding) = unpack 'nnnnN', get(12);
				$encoding == 0 or die "rfb.pl: encoding $encoding was not asked for\n";
				get($rw * $rh * $pixel) if $rw * $rh;
				($w, $h) = ($rw, $rh) if $i == 1;
				$bytes += $rw * $rh * $pixel;
			}
			return ($w, $h, $bytes);
		}
		elsif ($type == 2) { }
		elsif ($type == 3) { get(unpack 'xxxN', get(7)) }
		else { die "rfb.pl: message $type was not asked for\n" }
	}
}

ask(0);
update();
# What still moves on the screen by itself must be over before the key.
ask(1);
my $ready = '';
vec($ready, fileno $server, 1) = 1;
while (select(my $r = $ready, undef, undef, 0.5)) { update(); ask(1) }
put(pack 'CCxxN', 4, 1, ord 'a');
put(pack 'CCxxN', 4, 0, ord 'a');
printf "echo %d %d %d\n", update();
