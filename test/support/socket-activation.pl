#!/usr/bin/perl
# Listens on Unix sockets and becomes a program that finds them as its descriptors from 3 on, as systemd
# hands sockets over: socket-activation.pl NAME=PATH … -- PROGRAM ARGUMENT…

use strict;
use warnings;
use POSIX ();
use Socket;

my @names;
while (defined(my $word = shift @ARGV)) {
    last if $word eq '--';
    my ($name, $path) = split /=/, $word, 2;
    socket(my $socket, AF_UNIX, SOCK_STREAM, 0) or die "socket: $!";
    bind($socket, pack_sockaddr_un($path)) or die "bind $path: $!";
    listen($socket, 64) or die "listen: $!";
    # High up first: what is open at 3 may be this script.
    defined POSIX::dup2(fileno $socket, 100 + @names) or die "dup2: $!";
    push @names, $name;
}
POSIX::dup2(100 + $_, 3 + $_) for 0 .. $#names;
POSIX::close(100 + $_) for 0 .. $#names;
@ENV{qw(LISTEN_PID LISTEN_FDS LISTEN_FDNAMES)} = ($$, scalar @names, join ':', @names) if @names;
exec { $ARGV[0] } @ARGV or die "exec: $!";
