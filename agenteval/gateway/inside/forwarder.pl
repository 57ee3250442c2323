# perl forwarder.pl SOCKET PORT COMMAND...: as forwarder.py, with a process for each connection.
use strict;
use warnings;
use IO::Select;
use IO::Socket::INET;
use IO::Socket::UNIX;

my ($path, $port, @command) = @ARGV;
my $listener = IO::Socket::INET->new(
    LocalAddr => "127.0.0.1", LocalPort => $port, Listen => 128, ReuseAddr => 1
) or die "port $port: $@\n";

my $middle = fork() // die "fork: $!\n";
if ($middle == 0) {
    exit 0 if fork();
    $SIG{$_} = "IGNORE" for qw(TERM INT HUP CHLD);
    open STDIN, "<", "/dev/null";
    open STDOUT, ">", "/dev/null";
    open STDERR, ">", "/dev/null";
    while (1) {
        my $near = $listener->accept() or next;
        if (fork() == 0) {
            $listener->close();
            join_ends($near);
            exit 0;
        }
        $near->close();
    }
}
waitpid $middle, 0;
$listener->close();
exec { $command[0] } @command;
warn "$command[0]: $!\n";
exit 127;

sub join_ends {
    my ($near) = @_;
    my $far = IO::Socket::UNIX->new(Peer => $path) or return;
    my %other = ($near => $far, $far => $near);
    my $select = IO::Select->new($near, $far);
    while ($select->count()) {
        for my $end ($select->can_read()) {
            my $read = sysread $end, my $data, 65536;
            if ($read) {
                my $at = 0;
                while ($at < $read) {
                    my $written = syswrite $other{$end}, $data, $read - $at, $at;
                    return unless defined $written;
                    $at += $written;
                }
            } else {
                $select->remove($end);
                shutdown $other{$end}, 1;
            }
        }
    }
}
