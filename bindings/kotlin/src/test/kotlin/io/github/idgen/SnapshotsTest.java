package io.github.idgen;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.idgen.simulated.Core;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The hook of CRaC and of Lambda SnapStart, with restores that are simulated: pom.xml names the implementation. */
class SnapshotsTest {
    private static String node(UuidGenerator ids) {
        return InspectionKt.inspect(ids.nextJava().toString()).getNode();
    }

    @Test
    void eachRestoreTakesAnotherKeyWithoutACall() throws Exception {
        try (UuidGenerator ids = UuidGenerator.v1()) {
            String first = node(ids);
            assertEquals(first, node(ids));
            // Ids that a resource makes before this hook has run have no key of the snapshot.
            Core.stop();
            String stopped = node(ids);
            assertNotEquals(first, stopped);
            Core.restore();
            String restored = node(ids);
            assertNotEquals(stopped, restored);
            org.crac.Core.checkpointRestore();
            assertNotEquals(restored, node(ids));
        }
    }

    @Test
    void aGeneratorWithAStateIsRefused(@TempDir Path folder) throws Exception {
        try (UuidGenerator ids = UuidGenerator.v7(new Options(folder.resolve("ids.state").toFile()))) {
            ids.nextJava();
            Core.restore();
            assertThrows(IdException.Forked.class, ids::nextJava);
        }
    }

    @Test
    void reseedCanBeCalled() {
        try (UuidGenerator ids = UuidGenerator.v6()) {
            String first = node(ids);
            Snapshots.reseed();
            assertNotEquals(first, node(ids));
        }
    }
}
