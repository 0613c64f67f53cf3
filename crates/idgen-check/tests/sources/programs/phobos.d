// Ids from xorshift of Phobos, the library of D: gdc phobos.d && ./a.out FORM COUNT
import std.conv, std.random, std.stdio, std.uuid;

void print(Source)(int count) {
    auto source = Source(unpredictableSeed);
    foreach (n; 0 .. count) writeln(randomUUID(source));
}

void main(string[] arguments) {
    immutable count = to!int(arguments[2]);
    // A shift to the right is negative.
    if (arguments[1] == "xorshift64-13-7-17") print!(XorshiftEngine!(ulong, 64, 13, -7, 17))(count);
    else if (arguments[1] == "xorshift64-12-25-27") print!(XorshiftEngine!(ulong, 64, -12, 25, -27))(count);
    else print!Xorshift128(count);
}
