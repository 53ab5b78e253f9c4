#!/usr/bin/perl
# Binds a datagram socket, as systemd does for a service, and prints what arrives: a line of hex a message.
# Ends when its standard input does.

use strict;
use warnings;
use Socket;

my ($path) = @ARGV;
socket(my $service, AF_UNIX, SOCK_DGRAM, 0) or die "socket: $!";
bind($service, pack_sockaddr_un($path)) or die "bind: $!";
$| = 1;
print "listening\n";
for (;;) {
    my $watched = '';
    vec($watched, fileno($_), 1) = 1 for $service, *STDIN;
    select($watched, undef, undef, undef);
    if (vec($watched, fileno($service), 1)) {
        defined recv($service, my $message, 65_536, 0) or die "recv: $!";
        print unpack('H*', $message), "\n";
    }
    exit 0 if vec($watched, fileno(STDIN), 1);
}
