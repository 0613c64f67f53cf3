import com.fasterxml.uuid.Generators;
import com.github.f4b6a3.ulid.UlidCreator;
import com.github.f4b6a3.uuid.UuidCreator;
import de.huxhorn.sulky.ulid.ULID;
import io.azam.ulidj.MonotonicULID;
import java.io.BufferedOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;

/** Prints ids of a library: {@code Driver LIBRARY MODE COUNT [FOLDER]}. {@code ../../README.md} says what the modes are. */
public final class Driver {
    private static final int BURST = 100_000;
    private static final int THREADS = 4;

    /** A generator for one thread; libraries that have one for the whole process return that. */
    private static Supplier<String> generator(String library) {
        switch (library) {
            case "java-uuid-v4":
                return () -> UUID.randomUUID().toString();
            case "maven-uuid-creator-v7":
                return () -> UuidCreator.getTimeOrderedEpoch().toString();
            case "maven-uuid-creator-v6":
                return () -> UuidCreator.getTimeOrdered().toString();
            case "maven-jug-v7":
                return Shared.EPOCH::next;
            case "maven-jug-v7-random":
                return Shared.EPOCH_RANDOM::next;
            case "maven-jug-v6":
                return Shared.REORDERED::next;
            case "maven-ulid-creator":
                return () -> UlidCreator.getMonotonicUlid().toString();
            case "maven-ulidj":
                return MonotonicULID::random;
            case "maven-sulky-ulid": {
                ULID ulid = new ULID();
                ULID.Value[] last = {ulid.nextValue()};
                return () -> {
                    last[0] = ulid.nextMonotonicValue(last[0]);
                    return last[0].toString();
                };
            }
            default:
                throw new IllegalArgumentException("no library " + library);
        }
    }

    /** Generators that all threads share, made when they are first used. */
    private enum Shared {
        EPOCH, EPOCH_RANDOM, REORDERED;

        private final com.fasterxml.uuid.NoArgGenerator generator = switch (ordinal()) {
            case 0 -> Generators.timeBasedEpochGenerator();
            case 1 -> Generators.timeBasedEpochRandomGenerator();
            default -> Generators.timeBasedReorderedGenerator();
        };

        String next() {
            return generator.generate().toString();
        }
    }

    /** Makes ids in bursts, and writes each burst when it is complete. */
    private static void burst(Supplier<String> next, int count, OutputStream to, int size) throws IOException {
        for (int left = count; left > 0; left -= size) {
            int most = Math.min(left, size);
            List<String> ids = new ArrayList<>(most);
            for (int i = 0; i < most; i++) {
                ids.add(next.get());
            }
            to.write((String.join("\n", ids) + "\n").getBytes(StandardCharsets.US_ASCII));
            to.flush();
        }
    }

    private static OutputStream create(String path) throws IOException {
        return new BufferedOutputStream(new FileOutputStream(path));
    }

    /** Prints two readings of the clock, so that the caller knows whether it was set. */
    private static void clocks(long before) {
        System.out.println(before + " " + System.currentTimeMillis());
    }

    /**
     * Makes an id each millisecond until libfaketime sets the clock back, at most for ten seconds. Returns the last reading
     * before.
     */
    private static long untilStep(Supplier<String> next, OutputStream to) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        long before = System.currentTimeMillis();
        while (System.nanoTime() - begin < 10_000_000_000L) {
            burst(next, 1, to, 1);
            Thread.sleep(1);
            long now = System.currentTimeMillis();
            if (now < before) {
                break;
            }
            before = now;
        }
        return before;
    }

    private static void threads(String library, int count, String folder) throws Exception {
        List<Thread> threads = new ArrayList<>();
        Throwable[] failed = {null};
        for (int i = 1; i <= THREADS; i++) {
            String path = folder + "/thread-" + i + ".txt";
            Thread thread = new Thread(() -> {
                try (OutputStream file = create(path)) {
                    burst(generator(library), count / THREADS, file, BURST);
                } catch (IOException error) {
                    throw new java.io.UncheckedIOException(error);
                }
            });
            thread.setUncaughtExceptionHandler((who, error) -> failed[0] = error);
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        if (failed[0] != null) {
            throw new IllegalStateException("a thread failed", failed[0]);
        }
    }

    public static void main(String[] arguments) throws Exception {
        String library = arguments[0];
        int count = Integer.parseInt(arguments[2]);
        String folder = arguments.length > 3 ? arguments[3] : "";
        Supplier<String> next = generator(library);
        switch (arguments[1]) {
            case "one":
                burst(next, count, System.out, BURST);
                break;
            case "threads":
                threads(library, count, folder);
                break;
            case "back":
                try (OutputStream file = create(folder + "/ids.txt")) {
                    burst(next, count / 2, file, BURST);
                    clocks(untilStep(next, file));
                    burst(next, count / 2, file, BURST);
                }
                break;
            case "frozen": {
                long before = System.currentTimeMillis();
                Thread.sleep(50);
                clocks(before);
                try (OutputStream file = create(folder + "/ids.txt")) {
                    burst(next, count, file, 256);
                }
                break;
            }
            default:
                throw new IllegalArgumentException("no mode " + arguments[1]);
        }
    }
}
