import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.BalanceRequest;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;

/** A table and its inserts: what is written, and what is printed about it. */
record Load(String name, List<byte[]> keys, int writers, int batch, int value, int splitKib) {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] COLUMN = Bytes.toBytes("v");
  /** A load has this many parts, each of which is printed. */
  private static final int WINDOWS = 50;
  /** The balancer runs after this many windows. */
  private static final int BALANCED = 2;
  /** A region of this many memstores is split. */
  private static final int FLUSHES = 8;
  private static final long DEADLINE_MILLIS = 120_000;
  private static final long SPLIT_MILLIS = 1_500;
  /** Bytes of a block, between which a region is split. */
  private static final int BLOCK = 4_096;

  void run(Connection connection) throws Exception {
    TableName table = TableName.valueOf(name);
    ExecutorService threads = Executors.newFixedThreadPool(writers);
    try (Admin admin = connection.getAdmin()) {
      admin.createTable(TableDescriptorBuilder.newBuilder(table)
          .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(FAMILY).setBlocksize(BLOCK).build())
          .setMaxFileSize((long) splitKib << 10)
          .setMemStoreFlushSize(((long) splitKib << 10) / FLUSHES)
          .setRegionSplitPolicyClassName("org.apache.hadoop.hbase.regionserver.ConstantSizeRegionSplitPolicy")
          .setCoprocessor("Regions")
          .build());
      long began = System.nanoTime();
      int next = 0;
      for (int window = 1; window <= WINDOWS; window++) {
        int end = (int) ((long) keys.size() * window / WINDOWS);
        Regions.clear();
        TreeMap<String, String> before = Regions.places();
        double touched = insert(connection, table, threads, next, end, before);
        settle();
        int splits = Regions.places().size() - before.size();
        int moves = window % BALANCED == 0 ? balance(admin) : 0;
        print(window, end - next, before, touched, splits, moves, System.nanoTime() - began);
        next = end;
      }
      admin.disableTable(table);
      admin.deleteTable(table);
    } finally {
      threads.shutdown();
    }
  }

  /** Inserts the keys from `first` to `end`, and returns how many regions a batch touched. */
  private double insert(
      Connection connection, TableName name, ExecutorService threads, int first, int end, NavigableMap<String, String> places)
      throws Exception {
    List<Callable<int[]>> all = new ArrayList<>();
    for (int writer = 0; writer < writers; writer++) {
      int own = writer;
      all.add(() -> {
        Random random = new Random(first * 64L + own);
        int batches = 0;
        int touched = 0;
        List<Put> puts = new ArrayList<>();
        TreeSet<String> met = new TreeSet<>();
        try (Table table = connection.getTable(name)) {
          for (int row = first; row < end; row++) {
            if (row % writers == own) {
              byte[] value = new byte[this.value];
              random.nextBytes(value);
              puts.add(new Put(keys.get(row)).addColumn(FAMILY, COLUMN, value));
              met.add(places.floorKey(Bytes.toHex(keys.get(row))));
            }
            if (puts.size() == batch || row == end - 1 && !puts.isEmpty()) {
              table.put(puts);
              batches++;
              touched += met.size();
              puts = new ArrayList<>();
              met.clear();
            }
          }
        }
        return new int[] {batches, touched};
      });
    }
    int batches = 0;
    int touched = 0;
    for (Future<int[]> done : threads.invokeAll(all)) {
      batches += done.get()[0];
      touched += done.get()[1];
    }
    return (double) touched / batches;
  }

  /** Runs the balancer, and returns how many regions moved. */
  private int balance(Admin admin) throws Exception {
    TreeMap<String, String> before = Regions.places();
    int planned = admin.balance(BalanceRequest.defaultInstance()).getMovesExecuted();
    int moved = 0;
    long deadline = deadline();
    do {
      settle();
      TreeMap<String, String> now = Regions.places();
      moved = (int) before.keySet().stream().filter(start -> !before.get(start).equals(now.get(start))).count();
    } while (moved < planned && System.currentTimeMillis() < deadline);
    return moved;
  }

  /**
   * Waits until splits, the compactions after them and moves are done. A region over its size is split soon if it can be, and
   * otherwise after its next flush.
   */
  private void settle() throws Exception {
    long deadline = deadline();
    long soon = System.currentTimeMillis() + SPLIT_MILLIS;
    for (int quiet = 0; quiet < 3; Thread.sleep(10)) {
      long now = System.currentTimeMillis();
      boolean isComplete = Regions.areComplete();
      quiet = isComplete && (now > soon || Regions.areWithin((long) splitKib << 10)) ? quiet + 1 : 0;
      if (now > deadline) {
        throw new IllegalStateException(name + ": regions still split or move after " + DEADLINE_MILLIS + " ms");
      }
    }
  }

  private static long deadline() {
    return System.currentTimeMillis() + DEADLINE_MILLIS;
  }

  private void print(int window, int rows, NavigableMap<String, String> places, double touched, int splits, int moves, long nanos) {
    // A region that was split is counted with its parts.
    Map<String, Long> regions = new TreeMap<>();
    Regions.byStart().forEach((start, count) -> regions.merge(places.floorKey(start), count, Long::sum));
    System.out.println(String.format(Locale.ROOT,
        "{\"load\":\"%s\",\"window\":%d,\"secs\":%.2f,\"rows\":%d,\"regions\":%s,\"servers\":%s,\"all_regions\":%d,"
            + "\"splits\":%d,\"moves\":%d,\"regions_per_batch\":%.3f}",
        name, window, nanos / 1e9, rows, sorted(regions.values()),
        sorted(Regions.byServer()), places.size(), splits, moves, touched));
    System.out.flush();
  }

  /** The counts without spaces, the largest first. */
  private static String sorted(Collection<Long> counts) {
    long[] all = counts.stream().mapToLong(count -> -count).sorted().map(count -> -count).toArray();
    return Arrays.toString(all).replace(" ", "");
  }
}
