import umontreal.ssj.rng.LFSR113;

/** Ids from LFSR113 of SSJ, a library of its inventor, seeded with the time: java -cp "JARS/*" Ssj.java FORM COUNT. */
class Ssj {
    public static void main(String[] arguments) {
        LFSR113 source = new LFSR113();
        int time = (int) System.currentTimeMillis();
        source.setSeed(new int[] {time | 128, time * 31 | 128, time * 17 | 128, time * 7 | 128});
        for (int n = 0; n < Integer.parseInt(arguments[1]); n++) {
            StringBuilder text = new StringBuilder();
            for (int digit = 0; digit < 32; digit++) {
                if (digit == 8 || digit == 12 || digit == 16 || digit == 20) text.append('-');
                text.append(Character.forDigit(source.nextInt(0, 15), 16));
            }
            System.out.println(text);
        }
    }
}
