import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.hbase.client.CompactionState;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.wal.WALEdit;

/**
 * Knows which regions are open on which server, and counts the rows that each inserts. All servers run in this process, so all of
 * them share the maps.
 */
public class Regions implements RegionCoprocessor, RegionObserver {
  private static final Map<String, RegionCoprocessorEnvironment> OPEN = new ConcurrentHashMap<>();
  private static final Map<String, LongAdder> BY_START = new ConcurrentHashMap<>();
  private static final Map<String, LongAdder> BY_SERVER = new ConcurrentHashMap<>();

  @Override
  public Optional<RegionObserver> getRegionObserver() {
    return Optional.of(this);
  }

  @Override
  public void postOpen(ObserverContext<RegionCoprocessorEnvironment> context) {
    RegionCoprocessorEnvironment at = context.getEnvironment();
    OPEN.put(at.getRegionInfo().getEncodedName(), at);
  }

  @Override
  public void postClose(ObserverContext<RegionCoprocessorEnvironment> context, boolean aborted) {
    RegionCoprocessorEnvironment at = context.getEnvironment();
    OPEN.remove(at.getRegionInfo().getEncodedName(), at);
  }

  @Override
  public void postPut(ObserverContext<RegionCoprocessorEnvironment> context, Put put, WALEdit edit, Durability durability) {
    RegionCoprocessorEnvironment at = context.getEnvironment();
    count(BY_START, Bytes.toHex(at.getRegionInfo().getStartKey()));
    count(BY_SERVER, at.getServerName().getServerName());
  }

  private static void count(Map<String, LongAdder> counts, String name) {
    counts.computeIfAbsent(name, unknown -> new LongAdder()).increment();
  }

  /** Begins to count again. */
  static void clear() {
    BY_START.clear();
    BY_SERVER.clear();
  }

  /** Inserts by the first key of a region, in hexadecimal. */
  static Map<String, Long> byStart() {
    Map<String, Long> counts = new TreeMap<>();
    BY_START.forEach((start, count) -> counts.put(start, count.sum()));
    return counts;
  }

  /** Inserts of each server that had any. */
  static List<Long> byServer() {
    return BY_SERVER.values().stream().map(LongAdder::sum).toList();
  }

  /** The server of each open region, by the first key of the region in hexadecimal. */
  static TreeMap<String, String> places() {
    TreeMap<String, String> places = new TreeMap<>();
    OPEN.values().forEach(at -> places.put(Bytes.toHex(at.getRegionInfo().getStartKey()), at.getServerName().getServerName()));
    return places;
  }

  /** Whether the open regions have all keys, and none of them has work left from a split. */
  static boolean areComplete() throws IOException {
    Map<String, String> ends = new HashMap<>();
    for (RegionCoprocessorEnvironment at : OPEN.values()) {
      Region region = at.getRegion();
      ends.put(Bytes.toHex(at.getRegionInfo().getStartKey()), Bytes.toHex(at.getRegionInfo().getEndKey()));
      boolean isSplit = region.getStores().stream().anyMatch(Store::hasReferences);
      if (isSplit || region.getCompactionState() != CompactionState.NONE) {
        return false;
      }
    }
    int met = 0;
    String end = "";
    do {
      end = ends.get(end);
      met++;
    } while (end != null && !end.isEmpty());
    return end != null && met == OPEN.size();
  }

  /** Whether the files of all regions are within this size. */
  static boolean areWithin(long bytes) {
    return OPEN.values().stream()
        .allMatch(at -> at.getRegion().getStores().stream().mapToLong(Store::getStorefilesSize).sum() <= bytes);
  }
}
