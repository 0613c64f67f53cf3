import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Ids from java.util.Random and its relatives: java Java.java FORM COUNT */
class Java {
    static Random RANDOM = new Random();
    static final SplittableRandom SPLIT = new SplittableRandom();

    static String hyphens(String hex) {
        return hex.replaceFirst("(.{8})(.{4})(.{4})(.{4})(.{12})", "$1-$2-$3-$4-$5");
    }

    static UUID version4(long high, long low) {
        return new UUID(high & ~0xF000L | 0x4000L, low & ~(3L << 62) | 1L << 63);
    }

    static UUID version4(byte[] bytes) {
        long high = 0, low = 0;
        for (int i = 0; i < 8; i++) {
            high = high << 8 | bytes[i] & 0xff;
            low = low << 8 | bytes[i + 8] & 0xff;
        }
        return version4(high, low);
    }

    static String numbers(int count, String format, IntSupplier next) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < count; i++) text.append(String.format(format, next.getAsInt()));
        return hyphens(text.toString());
    }

    static final Map<String, Supplier<Object>> FORMS = Map.of(
        "secure", () -> UUID.randomUUID(),
        "nextlong", () -> new UUID(RANDOM.nextLong(), RANDOM.nextLong()),
        "nextlong-version-4", () -> version4(RANDOM.nextLong(), RANDOM.nextLong()),
        "nextbytes", () -> {
            byte[] bytes = new byte[16];
            RANDOM.nextBytes(bytes);
            return version4(bytes);
        },
        "nextint-16", () -> numbers(32, "%x", () -> RANDOM.nextInt(16)),
        "nextint-65536", () -> numbers(8, "%04x", () -> RANDOM.nextInt(65536)),
        "nextint-masked", () -> numbers(32, "%x", () -> RANDOM.nextInt() & 15),
        "math-random", () -> numbers(32, "%x", () -> (int) (Math.random() * 16)),
        "splittable", () -> version4(SPLIT.nextLong(), SPLIT.nextLong()),
        "threadlocal", () -> new UUID(ThreadLocalRandom.current().nextLong(), ThreadLocalRandom.current().nextLong())
    );

    static final Map<String, LongSupplier> SEEDS = Map.of(
        "seed-milliseconds", System::currentTimeMillis,
        "seed-microseconds", () -> ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()),
        "seed-nanotime", () -> System.nanoTime() / 1000
    );

    public static void main(String[] args) {
        if (SEEDS.containsKey(args[0])) {
            RANDOM = new Random(SEEDS.get(args[0]).getAsLong());
            args[0] = "nextint-16";
        }
        for (int n = Integer.parseInt(args[1]); n > 0; n--) System.out.println(FORMS.get(args[0]).get());
    }
}
