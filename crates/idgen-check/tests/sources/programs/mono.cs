// Ids from System.Random of .NET Framework: mcs mono.cs && mono mono.exe FORM COUNT
using System;
using System.Linq;

class Mono {
    static void Main(string[] arguments) {
        var random = new Random();
        for (int n = int.Parse(arguments[1]); n > 0; n--) {
            if (arguments[0] == "nextbytes-guid") {
                var bytes = new byte[16];
                random.NextBytes(bytes);
                Console.WriteLine(new Guid(bytes));
            } else if (arguments[0] == "next-16") {
                var digits = Enumerable.Range(0, 32).Select(_ => random.Next(16).ToString("x"));
                Console.WriteLine(new Guid(string.Concat(digits)));
            } else {
                throw new ArgumentException(arguments[0]);
            }
        }
    }
}
