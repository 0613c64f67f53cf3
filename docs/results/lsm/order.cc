// Prints how many rows of eight threads look late by three orders: that in which RocksDB wrote them (their sequence numbers), and
// those of a clock that each thread reads immediately before its write and after it. For Debian 12:
//   apt-get install g++ librocksdb-dev
//   g++ -O1 -std=c++17 order.cc -o order -lrocksdb -lpthread && ./order /tmp/order
// The folder must not exist. A row is late at a place if it comes there or later although a row that was made after it is before that place.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>

#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>

using namespace rocksdb;

// As in the record rocksdb-eight.
const int ROWS = 500000, THREADS = 8, STATEMENT_ROWS = 10, PAYLOAD = 100;
// The lab makes ids and payloads, and checks what was acknowledged, under a lock that all threads share: about this long.
const int LOCKED_MICROS = 20;

using Clock = std::chrono::steady_clock;
struct Statement { Clock::time_point made, before, after; };
std::vector<Statement> statements(ROWS / STATEMENT_ROWS);
std::mutex files_lock;
std::vector<int> file_of(ROWS, -1);
std::vector<uint64_t> sequence_of(ROWS);
int files = 0;

std::string key(int row) {
  std::string key(16, '\0');
  for (int byte = 0; byte < 4; byte++) key[byte] = char(row >> (24 - 8 * byte));
  return key;
}

int row_of(const Slice& key) {
  int row = 0;
  for (int byte = 0; byte < 4; byte++) row = row << 8 | uint8_t(key[byte]);
  return row;
}

// Notes the flushed file and the sequence number of each row.
struct Collector : TablePropertiesCollector {
  int file;
  explicit Collector(int file) : file(file) {}
  Status AddUserKey(const Slice& key, const Slice&, EntryType, SequenceNumber sequence, uint64_t) override {
    std::lock_guard<std::mutex> guard(files_lock);
    int row = row_of(key);
    if (file >= 0 && file_of[row] < 0) file_of[row] = file, sequence_of[row] = sequence;
    return Status::OK();
  }
  Status Finish(UserCollectedProperties*) override { return Status::OK(); }
  UserCollectedProperties GetReadableProperties() const override { return {}; }
  const char* Name() const override { return "order"; }
};

struct Factory : TablePropertiesCollectorFactory {
  TablePropertiesCollector* CreateTablePropertiesCollector(Context context) override {
    std::lock_guard<std::mutex> guard(files_lock);
    return new Collector(context.level_at_creation == 0 ? files++ : -1);
  }
  const char* Name() const override { return "order"; }
};

// For each place, whether a row is late there.
template <class Of> std::vector<bool> late(Of of) {
  std::vector<int> rows(ROWS);
  std::iota(rows.begin(), rows.end(), 0);
  std::stable_sort(rows.begin(), rows.end(), [&](int one, int other) { return of(one) < of(other); });
  std::vector<bool> late(ROWS);
  for (int place = 0, last = -1; place < ROWS; place++) {
    late[place] = last >= place;
    last = std::max(last, rows[place]);
  }
  return late;
}

double share(const std::vector<bool>& late) { return 100.0 * std::count(late.begin(), late.end(), true) / ROWS; }

template <class Of> void delays(const char* name, Of of) {
  std::vector<double> all;
  for (auto& one : statements) all.push_back(std::chrono::duration<double, std::micro>(of(one) - one.made).count());
  std::sort(all.begin(), all.end());
  auto at = [&](double part) { return all[size_t(part * (all.size() - 1))]; };
  printf("made until %s the write: p50 %.0f, p95 %.0f, p99 %.0f, max %.0f us\n", name, at(0.5), at(0.95), at(0.99), at(1));
}

int main(int, char** arguments) {
  Options options;
  options.create_if_missing = options.error_if_exists = true;
  options.write_buffer_size = options.target_file_size_base = 2 << 20;
  options.max_bytes_for_level_base = 8 << 20;
  options.level_compaction_dynamic_level_bytes = true;
  options.compression = kNoCompression;
  options.statistics = CreateDBStatistics();
  BlockBasedTableOptions blocks;
  blocks.filter_policy.reset(NewBloomFilterPolicy(10, false));
  blocks.block_cache = NewLRUCache(8 << 20);
  options.table_factory.reset(NewBlockBasedTableFactory(blocks));
  options.table_properties_collector_factories.push_back(std::make_shared<Factory>());
  DB* db;
  Status opened = DB::Open(options, arguments[1], &db);
  if (!opened.ok()) return fprintf(stderr, "%s\n", opened.ToString().c_str()), 1;

  auto is_busy = [&] {
    for (auto name : {"rocksdb.mem-table-flush-pending", "rocksdb.num-running-flushes", "rocksdb.compaction-pending",
                      "rocksdb.num-running-compactions"}) {
      uint64_t count = 0;
      if (db->GetIntProperty(name, &count) && count > 0) return true;
    }
    return false;
  };
  std::mutex feed;
  int next = 0;
  auto work = [] { for (auto end = Clock::now() + std::chrono::microseconds(LOCKED_MICROS); Clock::now() < end;); };
  auto client = [&] {
    while (true) {
      int first;
      Clock::time_point made;
      {
        std::lock_guard<std::mutex> guard(feed);
        if (next == ROWS) return;
        first = next, next += STATEMENT_ROWS;
        work();
        made = Clock::now();
      }
      WriteBatch batch;
      std::string found;
      for (int row = first; row < first + STATEMENT_ROWS; row++) {
        db->Get(ReadOptions(), key(row), &found);
        batch.Put(key(row), std::string(PAYLOAD, 'x'));
      }
      auto before = Clock::now();
      if (!db->Write(WriteOptions(), &batch).ok()) abort();
      statements[first / STATEMENT_ROWS] = {made, before, Clock::now()};
      {
        std::lock_guard<std::mutex> guard(feed);
        work();
      }
      while (is_busy()) std::this_thread::sleep_for(std::chrono::microseconds(300));
    }
  };
  std::vector<std::thread> threads;
  for (int thread = 0; thread < THREADS; thread++) threads.emplace_back(client);
  for (auto& thread : threads) thread.join();
  while (is_busy()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  double flushed = options.statistics->getTickerCount(FLUSH_WRITE_BYTES);
  double compacted = options.statistics->getTickerCount(COMPACT_WRITE_BYTES);
  if (!db->Flush(FlushOptions()).ok()) abort();

  auto written = late([](int row) { return sequence_of[row]; });
  std::vector<int> rows(ROWS);
  std::iota(rows.begin(), rows.end(), 0);
  std::sort(rows.begin(), rows.end(), [](int one, int other) { return sequence_of[one] < sequence_of[other]; });
  std::vector<int> ends;
  for (int place = 1; place < ROWS; place++) {
    if (file_of[rows[place]] != file_of[rows[place - 1]]) ends.push_back(place);
  }
  auto late_ends = std::count_if(ends.begin(), ends.end(), [&](int end) { return written[end]; });
  printf("written %.2f times; rows late at %ld of %zu ends of memtables\n", (flushed + compacted) / flushed, late_ends, ends.size());
  printf("rows late at %.1f %% of all places by sequence numbers, %.1f %% by the clock before the write, %.1f %% by that after it\n",
         share(written), share(late([](int row) { return statements[row / STATEMENT_ROWS].before; })),
         share(late([](int row) { return statements[row / STATEMENT_ROWS].after; })));
  delays("before", [](Statement& one) { return one.before; });
  delays("after", [](Statement& one) { return one.after; });
  if (arguments[2]) {
    FILE* out = fopen(arguments[2], "w");
    for (int row : rows) fprintf(out, "%d %d\n", row, file_of[row]);
    fclose(out);
  }
  delete db;
}
