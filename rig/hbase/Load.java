import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
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
import java.util.function.Function;
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
      settle();
      long began = System.nanoTime();
      List<Window> all = new ArrayList<>();
      int next = 0;
      for (int window = 1; window <= WINDOWS; window++) {
        int end = (int) ((long) keys.size() * window / WINDOWS);
        Regions.clear();
        TreeMap<String, String> before = settled();
        double touched = insert(connection, table, threads, next, end, before);
        settle();
        int moves = window % BALANCED == 0 ? balance(admin) : 0;
        all.add(window(end - next, before, touched, moves));
        next = end;
      }
      print(all, (System.nanoTime() - began) / 1e9);
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

  /** Waits until nothing is left to do, and returns which server has each region. */
  private TreeMap<String, String> settled() throws Exception {
    while (true) {
      settle();
      TreeMap<String, String> places = Regions.places();
      // A split can begin at any time.
      if (Regions.areComplete() && places.equals(Regions.places())) {
        return places;
      }
    }
  }

  private static long deadline() {
    return System.currentTimeMillis() + DEADLINE_MILLIS;
  }

  /** What happened in a window, as it is printed: the largest count of a region, and the counts of all servers. */
  private record Window(int rows, long hottest, List<Long> servers, int regions, int moves, double touched) {}

  private Window window(int rows, NavigableMap<String, String> places, double touched, int moves) {
    // A region that was split is counted with its parts.
    Map<String, Long> regions = new TreeMap<>();
    Regions.byStart().forEach((start, count) -> regions.merge(places.floorKey(start), count, Long::sum));
    List<Long> servers = Regions.byServer().stream().sorted(Comparator.reverseOrder()).toList();
    return new Window(rows, Collections.max(regions.values()), servers, places.size(), moves, touched);
  }

  /** A line of JSON, with the windows of each figure in an array. */
  private void print(List<Window> all, double secs) {
    System.out.println(String.format(Locale.ROOT,
        "{\"load\":\"%s\",\"secs\":%.0f,\"rows\":%s,\"hottest_region\":%s,\"servers\":%s,\"regions\":%s,"
            + "\"moves\":%s,\"regions_per_statement\":%s}",
        name, secs, array(all, Window::rows), array(all, Window::hottest), array(all, Window::servers), array(all, Window::regions),
        array(all, Window::moves),
        array(all, window -> String.format(Locale.ROOT, "%.2f", window.touched()))));
    System.out.flush();
  }

  private static String array(List<Window> all, Function<Window, Object> figure) {
    return all.stream().map(figure).map(String::valueOf).toList().toString().replace(" ", "");
  }
}
