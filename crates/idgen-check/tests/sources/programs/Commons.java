import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.simple.RandomSource;

/** Ids from WELL512a of Apache Commons RNG: java -cp "JARS/*" Commons.java FORM COUNT. */
class Commons {
    public static void main(String[] arguments) {
        UniformRandomProvider source = RandomSource.WELL_512_A.create();
        boolean isBytes = arguments[0].endsWith("bytes");
        for (int n = 0; n < Integer.parseInt(arguments[1]); n++) {
            StringBuilder text = new StringBuilder();
            byte[] bytes = new byte[16];
            if (isBytes) source.nextBytes(bytes);
            for (int digit = 0; digit < 32; digit++) {
                if (digit == 8 || digit == 12 || digit == 16 || digit == 20) text.append('-');
                int value = isBytes ? bytes[digit / 2] >> (digit % 2 == 0 ? 4 : 0) & 15 : source.nextInt(16);
                text.append(Character.forDigit(value, 16));
            }
            System.out.println(text);
        }
    }
}
