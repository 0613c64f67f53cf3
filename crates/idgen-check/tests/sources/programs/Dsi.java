import it.unimi.dsi.util.XorShift64StarRandom;
import java.util.UUID;

/** Ids from XorShift64StarRandom of dsiutils, a library of its inventor: java -cp "JARS/*" Dsi.java FORM COUNT. */
class Dsi {
    public static void main(String[] arguments) {
        XorShift64StarRandom source = new XorShift64StarRandom();
        for (int n = 0; n < Integer.parseInt(arguments[1]); n++) {
            long high = source.nextLong() & ~0xF000L | 0x4000;
            long low = source.nextLong() & ~(3L << 62) | 2L << 62;
            System.out.println(new UUID(high, low));
        }
    }
}
