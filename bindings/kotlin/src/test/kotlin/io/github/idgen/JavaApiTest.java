package io.github.idgen;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program in Java that uses all of the package: what it cannot call does not exist for Java. */
final class JavaApiTest {
    private static final byte[] SECRET = "a secret of at least 16 bytes".getBytes(StandardCharsets.UTF_8);

    @Test
    void namesHaveTheirIds() {
        UUID dns = UUID.fromString("6ba7b810-9dad-11d1-80b4-00c04fd430c8");
        assertEquals("2ed6657d-e927-568b-95e1-2665a8aea6a2", Named.v5Java(dns, "www.example.com").toString());
        assertEquals(UUID.fromString("5df41881-3aed-3515-88a7-2f4a814cf09e"), Named.v3Java(dns, "www.example.com"));
        assertEquals(8, Named.v8Java(new byte[16]).version());
    }

    @Test
    void generatorsOfAllKinds() {
        List<UuidGenerator> generators = List.of(
            UuidGenerator.v7(), UuidGenerator.v4(), UuidGenerator.v6(), UuidGenerator.v1(), UuidGenerator.ulid(),
            UuidGenerator.prefixed(), UuidGenerator.prefixed(new Prefix.Sequential()),
            UuidGenerator.prefixed(new Prefix.Sequential(8), "day"),
            UuidGenerator.prefixed(new Prefix.Keyed(SECRET), "90s", Tail.ASCENDING),
            UuidGenerator.prefixed(new Prefix.Keyed(SECRET, "writer"), "day", Tail.ASCENDING, new Options()),
            UuidGenerator.prefixed(new Prefix.Md5Week(), "week", Tail.RANDOM_V8),
            UuidGenerator.prefixed(new Prefix.Md5Week(3_600), "week", Tail.RANDOM_V4),
            UuidGenerator.fixedPrefix(), UuidGenerator.fixedPrefix("0b101"), UuidGenerator.fixedPrefix("ff", new Options()));
        for (UuidGenerator ids : generators) {
            try (ids) {
                UUID first = ids.nextJava();
                List<UUID> many = ids.batchJava(3);
                assertEquals(3, many.size());
                assertTrue(!many.contains(first));
                assertEquals(16, ids.nextBytes().length);
                assertEquals(48, ids.batchBytes(3).length);
                assertEquals(36, ids.batchTexts(2).get(1).length());
                assertEquals(22, ids.batchTexts(2, Format.BASE64URL).get(1).length());
            }
            assertThrows(IllegalStateException.class, ids::nextJava);
        }
    }

    @Test
    void optionsCanBeSet(@TempDir Path folder) {
        File file = folder.resolve("ids.state").toFile();
        UUID last;
        try (UuidGenerator ids = UuidGenerator.v7(new Options(file))) {
            last = ids.nextJava();
            IdException held = assertThrows(IdException.State.class, () -> UuidGenerator.v7(new Options(file)));
            assertTrue(held.getMessage().contains("held by another generator"));
        }
        Options all = new Options(file, Duration.ofDays(1), WhenBehind.WAIT);
        assertEquals(Duration.ofDays(1), all.getTolerance());
        assertEquals(WhenBehind.WAIT, all.getWhenBehind());
        assertEquals(Duration.ofMinutes(1), all.getLongestWait());
        Options limited = new Options(file, Duration.ofDays(1), WhenBehind.WAIT, null, null, Duration.ofSeconds(5));
        assertEquals(Duration.ofSeconds(5), limited.getLongestWait());
        assertEquals(file, all.getStateFile());
        try (UuidGenerator ids = UuidGenerator.v7(all)) {
            assertTrue(last.toString().compareTo(ids.nextJava().toString()) < 0);
        }
        assertEquals(Duration.ofSeconds(10), new Options().getTolerance());
        Options forever = new Options(null, Duration.ofSeconds(Long.MAX_VALUE), WhenBehind.ERROR, "9f6bdeced846");
        try (UuidGenerator ids = UuidGenerator.v6(forever)) {
            assertEquals("9f6bdeced846", InspectionKt.inspect(ids.nextJava().toString()).getNode());
            assertEquals("9f6bdeced846", forever.getNode());
        }
        assertThrows(IdException.Config.class, () -> UuidGenerator.v7(new Options(null, Duration.ofMillis(-1))));
    }

    @Test
    void shortIds(@TempDir Path folder) {
        try (ShortGenerator ids = new ShortGenerator(new Options(null, Duration.ofSeconds(1), WhenBehind.RESTART, "9f6bdeced846"))) {
            long id = ids.next();
            assertEquals(Long.parseUnsignedLong(ids.nextText()), id + 1);
            long[] many = ids.batchLongs(3);
            assertArrayEquals(new long[] {id + 2, id + 3, id + 4}, many);
            ShortFields fields = ShortGeneratorKt.shortFields(id);
            assertEquals(0xd846, fields.getNode());
            assertEquals(id & 0xFFFF, fields.getCounter());
            assertTrue(Math.abs(fields.getUnixSeconds() - Instant.now().getEpochSecond()) < 3_600);
            assertEquals(id, ShortGeneratorKt.parseShort(Long.toUnsignedString(id)));
            assertEquals(id, InspectionKt.inspect(Long.toUnsignedString(id)).getShortId());
        }
        new ShortGenerator().close();
        Instant now = Instant.now();
        DeviceLease lease = new DeviceLease(55_366, now.minus(Duration.ofDays(1)), now.plus(Duration.ofDays(1)));
        assertEquals(now.plus(Duration.ofDays(1)), lease.getNotAfterJava());
        try (ShortGenerator ids = new ShortGenerator(new Options(), lease)) {
            assertEquals(55_366, ShortGeneratorKt.shortFields(ids.next()).getNode());
            ids.setLease(new DeviceLease(7, now.minus(Duration.ofDays(1)), now.minus(Duration.ofHours(1))));
            assertThrows(IdException.OutsideLease.class, ids::next);
        }
        // A lease that is refused releases the state file.
        File leased = folder.resolve("leased.state").toFile();
        DeviceLease refused = new DeviceLease(7, now, now.minus(Duration.ofDays(1)));
        for (int turn = 0; turn < 2; turn++) {
            assertThrows(IdException.Config.class, () -> new ShortGenerator(new Options(leased), refused));
        }
        // Beyond 2038, seconds and ids exceed the signed types.
        assertEquals(4_294_967_295L, ShortGeneratorKt.shortFields(-1).getUnixSeconds());
        assertEquals(65_535, ShortGeneratorKt.shortFields(-1).getNode());
        assertEquals(-1, ShortGeneratorKt.parseShort("18446744073709551615"));
    }

    @Test
    void formats() {
        UUID id = UUID.fromString("017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
        for (Format format : Format.values()) {
            byte[] bytes = format.encodeToBytes(id);
            assertEquals(id, format.decodeJava(bytes));
            if (format.isText()) {
                assertEquals(id, format.decodeJava(format.encode(id)));
            }
        }
        assertEquals(id, Format.detect(id.toString()).getIdJava());
        assertEquals(Format.HYPHENATED, Format.detect(id.toString()).getFormat());
        assertEquals(List.of(id.toString()), Format.HYPHENATED.encodeAll(Format.BINARY.encodeToBytes(id)));
        IdException.Parse wrong = assertThrows(IdException.Parse.class, () -> Format.HYPHENATED.decodeJava("6ccd780c_"));
        assertNull(wrong.getOffset());
    }

    @Test
    void whatAnIdShows() {
        Inspection seen = InspectionKt.inspect("017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
        assertEquals(Instant.parse("2022-02-22T19:22:22Z"), seen.getTimeJava());
        assertEquals(UUID.fromString("017f22e2-79b0-7cc3-98c4-dc0c0c07398f"), seen.getIdJava());
        assertEquals(Nature.V7, seen.getNature());
        assertEquals(7, seen.getVersion());
        assertNull(seen.getTailTimeJava());
        assertNull(seen.getShortId());
        try (UuidGenerator ids = UuidGenerator.prefixed(new Prefix.Keyed(SECRET, "a"), "day")) {
            String text = ids.nextJava().toString();
            assertTrue(InspectionKt.inspectKeyed(text, "day", true).getOffset().compareTo(Duration.ofDays(1)) < 0);
            assertTrue(InspectionKt.inspect(text).getTailTimeJava() != null);
            InspectionKt.inspectKeyed(text, "day");
        }
    }

    @Test
    void keys() {
        UUID id;
        try (UuidGenerator ids = UuidGenerator.v7()) {
            id = ids.nextJava();
        }
        try (SealKey key = new SealKey(SECRET); SealRing ring = new SealRing(SECRET)) {
            ring.add(Instant.parse("2100-01-01T00:00:00Z"), Arrays.copyOf(SECRET, 16));
            for (Sealer sealer : List.of(key, ring)) {
                assertEquals(id, sealer.open(sealer.seal(id)));
                assertEquals(List.of(id, id), sealer.openAllJava(sealer.sealAllJava(List.of(id, id))));
            }
        }
        try (PrefixKey key = new PrefixKey(SECRET); PrefixKey named = new PrefixKey(SECRET, "writer")) {
            assertTrue(key.prefix(20_000) >= 0 && named.writerTag(7) >= 0);
        }
    }

    @Test
    void boundsOfTimes() {
        TimeSpan day = new TimeSpan(Instant.parse("2026-11-21T00:00:00Z"), Instant.parse("2026-11-22T00:00:00Z"));
        UuidBounds ids = Bounds.v7(day);
        assertEquals(UUID.fromString("01a1fb67-1800-7000-8000-000000000000"), ids.getFirstJava());
        assertEquals(UUID.fromString("01a2008d-73ff-7fff-bfff-ffffffffffff"), ids.getLastJava());
        ShortBounds numbers = Bounds.shortIds(day);
        assertEquals(86_400, (numbers.getLast() - numbers.getFirst() + 1) >>> 32);
        assertEquals(24, Bounds.prefixed(new Prefix.Sequential(), "hour", Tail.ASCENDING, day).size());
        assertTrue(Bounds.fixedPrefix("ff", day).getFirstJava().toString().startsWith("ff"));
    }

    @Test
    void sourcesOfTests() {
        try (TestSources sources = new TestSources(new byte[] {1, 2, 3}, true)) {
            sources.setTicks(17_952_624_001_234_567L);
            Options options = new Options(null, Duration.ofSeconds(10), WhenBehind.RESTART, null, sources);
            try (UuidGenerator ids = UuidGenerator.v7(options)) {
                Inspection seen = InspectionKt.inspect(ids.nextJava().toString());
                assertEquals(Instant.parse("2026-11-21T12:00:00.123Z"), seen.getTimeJava());
                // 1/4,096 of a millisecond is 244 ns.
                assertEquals(456_700, seen.getFraction().toNanos(), 244);
            }
            assertTrue(sources.getSaved().getPosition().signum() > 0);
            sources.crash();
            assertEquals(17_952_624_001_234_567L, sources.getTicks());
        }
    }
}
