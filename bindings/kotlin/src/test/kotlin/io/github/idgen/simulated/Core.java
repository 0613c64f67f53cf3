package io.github.idgen.simulated;

import java.util.ArrayList;
import java.util.List;

/** An implementation of checkpoints for org.crac, which finds it by a system property as it finds that of Lambda: it tells resources, and stores nothing. */
public final class Core {
    private static final List<Resource> RESOURCES = new ArrayList<>();

    private static final class Global extends Context {
        @Override
        public void register(Resource resource) {
            RESOURCES.add(resource);
        }

        @Override
        public void beforeCheckpoint(Context context) {}

        @Override
        public void afterRestore(Context context) {}
    }

    private static final Context GLOBAL = new Global();

    private Core() {}

    public static Context getGlobalContext() {
        return GLOBAL;
    }

    /** What happens before a snapshot, in the reverse order of registration. */
    public static void stop() throws Exception {
        for (int at = RESOURCES.size() - 1; at >= 0; at--) {
            RESOURCES.get(at).beforeCheckpoint(GLOBAL);
        }
    }

    /** What happens in each process that continues the snapshot. */
    public static void restore() throws Exception {
        for (Resource resource : RESOURCES) {
            resource.afterRestore(GLOBAL);
        }
    }

    public static void checkpointRestore() throws Exception {
        stop();
        restore();
    }
}
