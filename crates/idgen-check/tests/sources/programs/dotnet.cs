// Ids from System.Random and from Rnd of Visual Basic, of .NET 6 and later: mcs -target:library dotnet.cs, and any program of .NET with
// DOTNET_STARTUP_HOOKS=dotnet.dll, which runs this before the program, and IDS="FORM COUNT"
using System;
using System.Linq;
using System.Reflection;

class StartupHook {
    public static void Initialize() {
        var form = Environment.GetEnvironmentVariable("IDS").Split(' ');
        var random = new Random();
        var basic = Type.GetType("Microsoft.VisualBasic.VBMath, Microsoft.VisualBasic.Core", true);
        var rnd = (Func<float>)Delegate.CreateDelegate(typeof(Func<float>), basic.GetMethod("Rnd", Type.EmptyTypes));
        basic.GetMethod("Randomize", Type.EmptyTypes).Invoke(null, null);
        for (int n = int.Parse(form[1]); n > 0; n--) {
            var bytes = new byte[16];
            if (form[0] == "rnd-16") {
                var digits = Enumerable.Range(0, 32).Select(_ => ((int)(rnd() * 16)).ToString("x"));
                Console.WriteLine(new Guid(string.Concat(digits)));
                continue;
            } else if (form[0] == "nextbytes-guid") {
                random.NextBytes(bytes);
            } else if (form[0] == "nextbytes") {
                random.NextBytes(bytes);
                // The bytes in which a Guid keeps version and variant.
                bytes[7] = (byte)(bytes[7] & 0x0f | 0x40);
                bytes[8] = (byte)(bytes[8] & 0x3f | 0x80);
            } else {
                throw new ArgumentException(form[0]);
            }
            Console.WriteLine(new Guid(bytes));
        }
        Environment.Exit(0);
    }
}
