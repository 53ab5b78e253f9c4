#!/usr/bin/perl
# Holds a port and a Unix socket as systemd does, and at each line on standard input starts a program that
# finds them as its descriptors 3 and 4: gate-sockets.pl PATH -- PROGRAM ARGUMENT…
# Prints the port, each program's process id and how it ended (wait(2)). Ends with its standard input.

use strict;
use warnings;
use POSIX ();
use Socket;

my ($path, undef, @command) = @ARGV;
my %sockets = (3 => listening(AF_INET, pack_sockaddr_in(0, INADDR_LOOPBACK)), 4 => listening(AF_UNIX, pack_sockaddr_un($path)));
my ($port) = unpack_sockaddr_in(getsockname $sockets{3});
my ($device, $inode) = stat STDOUT;
$| = 1;
print "port $port\n";
while (defined readline STDIN) {
    my $pid = fork // die "fork: $!";
    become() if $pid == 0;
    print "pid $pid\n";
    waitpid $pid, 0;
    print "ended $?\n";
}

sub listening {
    my ($family, $address) = @_;
    socket(my $socket, $family, SOCK_STREAM, 0) or die "socket: $!";
    bind($socket, $address) or die "bind: $!";
    listen($socket, 64) or die "listen: $!";
    return $socket;
}

sub become {
    # High up first: what is open at 3 or 4 may be one of the two.
    POSIX::dup2(fileno $sockets{$_}, 100 + $_) // die "dup2: $!" for 3, 4;
    POSIX::dup2(100 + $_, $_) // die "dup2: $!" for 3, 4;
    POSIX::close(100 + $_) for 3, 4;
    # As systemd has it; else the program could leave ours without blocking, and we would read an end in it.
    open STDIN, '<', '/dev/null' or die "open: $!";
    @ENV{qw(LISTEN_PID LISTEN_FDS LISTEN_FDNAMES JOURNAL_STREAM)} = ($$, 2, 'tcp:unix', "$device:$inode");
    exec { $command[0] } @command or die "exec: $!";
}
