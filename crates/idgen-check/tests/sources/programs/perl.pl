# Ids from Perl's rand(): perl perl.pl rand COUNT
for (1 .. $ARGV[1]) {
    my $hex = join "", map { sprintf "%x", int(rand(16)) } 1 .. 32;
    $hex =~ s/(.{8})(.{4})(.{4})(.{4})(.{12})/$1-$2-$3-$4-$5/;
    print "$hex\n";
}
