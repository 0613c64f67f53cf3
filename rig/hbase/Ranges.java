import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.io.FileUtils;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.testing.TestingHBaseCluster;
import org.apache.hadoop.hbase.testing.TestingHBaseClusterOption;

/**
 * Inserts keys into HBase with three region servers in this process, and prints what each region and server inserted.
 *
 * <p>Reads a load from each line of standard input, with tabs between its fields: a name, a file of keys, the number of writers,
 * rows of a batch, bytes of a value, and KiB of a region that is split. A file of keys has one a line, in hexadecimal, in the order in
 * which they are made; the writers take them in turn. Prints a line of JSON for each load to standard output; messages of the servers go to
 * standard error.
 */
public class Ranges {
  static final int SERVERS = 3;

  public static void main(String[] args) throws Exception {
    Path folder = Files.createTempDirectory("idgen-hbase-");
    TestingHBaseCluster cluster = TestingHBaseCluster.create(
        TestingHBaseClusterOption.builder()
            .conf(settings())
            .numRegionServers(SERVERS)
            .useExternalDfs(folder.toUri().toString())
            .build());
    cluster.start();
    try (Connection connection = ConnectionFactory.createConnection(cluster.getConf());
        BufferedReader loads = new BufferedReader(new InputStreamReader(System.in))) {
      for (String line = loads.readLine(); line != null; line = loads.readLine()) {
        String[] fields = line.split("\t");
        if (fields.length != 6) {
          throw new IllegalArgumentException("'" + line + "' is no load: give six fields with tabs between them");
        }
        Load load = new Load(fields[0], keys(fields[1]), number(fields[2]), number(fields[3]), number(fields[4]), number(fields[5]));
        load.run(connection);
      }
    }
    FileUtils.deleteQuietly(folder.toFile());
    // Stopping all servers in order takes longer than many loads.
    System.exit(0);
  }

  /** Settings that make a cluster small enough for one process. */
  private static Configuration settings() {
    Configuration conf = HBaseConfiguration.create();
    // A local folder takes the place of HDFS.
    conf.setBoolean("hbase.unsafe.stream.capability.enforce", false);
    conf.set("hbase.wal.provider", "filesystem");
    // A table may have regions and memstores that are smaller than production allows.
    conf.setBoolean("hbase.table.sanity.checks", false);
    // The balancer moves regions when a load asks it to, not when its time has come.
    conf.setInt("hbase.balancer.period", Integer.MAX_VALUE);
    conf.setBoolean("hbase.master.loadbalance.bytable", true);
    conf.setInt("hbase.regionserver.handler.count", 12);
    conf.setInt("hbase.hstore.compaction.min", 2);
    // A region cannot be split again before the files of its parent are gone.
    conf.setInt("hbase.hfile.compaction.discharger.interval", 200);
    return conf;
  }

  private static List<byte[]> keys(String file) throws Exception {
    List<byte[]> keys = new ArrayList<>();
    for (String line : Files.readAllLines(Path.of(file))) {
      keys.add(org.apache.hadoop.hbase.util.Bytes.fromHex(line.trim()));
    }
    return keys;
  }

  private static int number(String text) {
    return Integer.parseInt(text);
  }
}
