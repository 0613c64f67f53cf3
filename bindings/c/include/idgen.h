/* The C interface of idgen. Licensed under Apache-2.0 or MIT, at your option.
 *
 * Rules for all functions:
 *
 * - A function that can fail returns an IDGEN_ status, and writes to `error` what is wrong, if `error` is not NULL.
 *   If it succeeds, it leaves `error` as it is. A function that creates an object returns NULL instead.
 * - Every object that a function named `_new` returns belongs to you: pass it to the function `_free` of its type once.
 *   All other pointers that you pass are only read or written during the call, unless the function says otherwise.
 * - A pointer may be NULL only where the function says so. NULL elsewhere, invalid UTF-8, a buffer that is too short and a number
 *   outside its range are errors with the status IDGEN_ARGUMENT or IDGEN_BUFFER, and nothing is done.
 * - All functions may be called from any thread. Freeing an object while another thread uses it is a mistake in your program.
 * - A 128-bit id is 16 bytes in the order of its text. Ids in a batch lie one after another without gaps.
 */


#ifndef IDGEN_H
#define IDGEN_H

/* `IDGEN_WRITE_HEADER=1 cargo test` in bindings/c writes this file from the Rust source: do not edit it. */

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// 36 characters.
#define IDGEN_HYPHENATED 0

// 32 hexadecimal digits.
#define IDGEN_SIMPLE 1

// 45 characters: urn:uuid: and the hyphenated form.
#define IDGEN_URN 2

// 38 characters: the hyphenated form in braces.
#define IDGEN_BRACED 3

// 22 characters, MySQL's TO_BASE64().
#define IDGEN_BASE64 4

// 22 characters for URLs.
#define IDGEN_BASE64URL 5

// 22 characters that sort like the bytes.
#define IDGEN_ORDERED64 6

// 26 characters, the text of a ULID.
#define IDGEN_BASE32 7

// 26 characters of RFC 4648, padded at the end.
#define IDGEN_BASE32HEX 8

// 26 characters of Crockford's alphabet, padded at the end.
#define IDGEN_BASE32HUMAN 9

// 16 bytes of UUID_TO_BIN(u, 1).
#define IDGEN_SWAPPED 10

// Up to 39 decimal digits.
#define IDGEN_INT 11

// 16 bytes.
#define IDGEN_BINARY 12

// The size of a buffer that each form fits in bytes, with the NUL at its end.
#define IDGEN_TEXT_SIZE 46

// The function has done what it says.
#define IDGEN_OK 0

// A text is not an id of the format.
#define IDGEN_PARSE 1

// The clock is behind the last id by more than the tolerance.
#define IDGEN_CLOCK_BEHIND 2

// The kind cannot hold the time of the clock.
#define IDGEN_TIME_OUT_OF_RANGE 3

// All ids of this second, or all clock sequences of a fixed node, are used.
#define IDGEN_EXHAUSTED 4

// The system provides no random bytes.
#define IDGEN_ENTROPY 5

// The state file cannot be read, understood, locked or written.
#define IDGEN_STATE 6

// A setting is not allowed.
#define IDGEN_CONFIG 7

// The process was forked, and the generator would repeat the ids of the parent.
#define IDGEN_FORKED 8

// A buffer is too short. Nothing was written to it.
#define IDGEN_BUFFER 9

// An argument is wrong: a null pointer, invalid UTF-8, or a number outside its range.
#define IDGEN_ARGUMENT 10

// A bug in idgen. The object that was used is not usable any more, and must still be freed.
#define IDGEN_BUG 11

// The number of the device is leased for other times than that of the clock: see idgen_generator_set_lease.
#define IDGEN_OUTSIDE_LEASE 12

// The size of the message of an error in bytes, with the NUL at its end.
#define IDGEN_MESSAGE_SIZE 1024

// The most readings that a text or a number has.
#define IDGEN_FOREIGN_READINGS 5

// `time` is known.
#define IDGEN_FOREIGN_HAS_TIME 1

// `id` is known.
#define IDGEN_FOREIGN_HAS_ID 2

// `short_id` is the id, and `id` is zero.
#define IDGEN_HAS_SHORT_ID 1

// `format` is known.
#define IDGEN_HAS_FORMAT 2

// The id has a version.
#define IDGEN_HAS_VERSION 4

// The id has a time.
#define IDGEN_HAS_TIME 8

// The id has a clock sequence.
#define IDGEN_HAS_CLOCK_SEQUENCE 16

// The id has a node.
#define IDGEN_HAS_NODE 32

// The id has a counter.
#define IDGEN_HAS_COUNTER 64

// The first 16 bits may be a prefix.
#define IDGEN_HAS_PREFIX 128

// An ascending tail would have this time.
#define IDGEN_HAS_TAIL_TIME 256

// The id has a round.
#define IDGEN_HAS_ROUND 512

// The id has an offset in its interval.
#define IDGEN_HAS_OFFSET 1024

// The id has the tag of a writer.
#define IDGEN_HAS_WRITER_TAG 2048

// The id has a fraction of the millisecond, if it is of the present layout.
#define IDGEN_HAS_FRACTION 4096

// The size of a buffer for idgen_time_text in bytes.
#define IDGEN_TIME_SIZE 40

// The bytes of a GUID in .NET and SQL Server: the first three fields have their least significant byte first.
#define IDGEN_GUID 0

// Both halves reversed: what MongoDB's old driver for Java wrote (subtype 3), and what ClickHouse's binary formats hold.
#define IDGEN_JAVA_LEGACY 1

// The bytes that compare from left to right as Cassandra and ScyllaDB compare a timeuuid, which has ids of version 1 alone.
#define IDGEN_TIMEUUID 2

// UUID version 1: Gregorian time (low bits first), clock sequence, node.
#define IDGEN_V1 1

// UUID version 4: random.
#define IDGEN_V4 4

// UUID version 6: Gregorian time (high bits first), clock sequence, node.
#define IDGEN_V6 6

// UUID version 7: Unix milliseconds and their fraction, counter, random tail.
#define IDGEN_V7 7

// ULID: Unix milliseconds and 80 bits, without version and variant.
#define IDGEN_ULID 10

// A prefix that stays the same for an interval, and a tail.
#define IDGEN_PREFIXED 11

// UUID version 8: a prefix that never changes, and an ascending tail.
#define IDGEN_FIXED_PREFIX 12

// 64 bits: seconds, low bytes of the node, counter.
#define IDGEN_SHORT 13

// Beyond the tolerance, continue at the time of the clock. A generator with a state cannot do that: it returns
// IDGEN_CLOCK_BEHIND.
#define IDGEN_RESTART 0

// Beyond the tolerance, return IDGEN_CLOCK_BEHIND.
#define IDGEN_ERROR 1

// Beyond the tolerance, wait for the clock.
#define IDGEN_WAIT 2

// A prefix that counts the intervals.
#define IDGEN_SEQUENTIAL 0

// A prefix that hides the time, from a secret.
#define IDGEN_KEYED 1

// The prefix that MySQL computes for a week.
#define IDGEN_MD5_WEEK 2

// Ids of an interval ascend.
#define IDGEN_ASCENDING 0

// The rest is random, with the version field 4.
#define IDGEN_RANDOM_V4 1

// The rest is random, with the version field 8.
#define IDGEN_RANDOM_V8 2

// Sources for tests, so that generators return known ids: a clock that stands still, bytes in place of random ones, and a state in
// memory. Never use it for real ids: they would be repeated.
typedef struct idgen_fixed idgen_fixed;

// Generates ids: see idgen_generator_new.
typedef struct idgen_generator idgen_generator;

// The key of keyed prefixes.
typedef struct idgen_prefix_key idgen_prefix_key;

// A key or a ring of keys, which seals ids.
typedef struct idgen_seal idgen_seal;

// What a generator is created from. Call idgen_settings_init first, and then set what differs. Texts end with a NUL. All
// pointers are only read while idgen_generator_new runs.
typedef struct idgen_settings {
  // Set by idgen_settings_init; do not change it.
  size_t size;
  // The kind of the ids, such as IDGEN_V7.
  int32_t kind;
  // What happens if the clock is behind the last id by more than the tolerance: IDGEN_RESTART (default), IDGEN_ERROR or IDGEN_WAIT.
  int32_t when_behind;
  // By how many milliseconds the clock may be behind while ids continue from the time of the last one: 10,000 by default, UINT64_MAX
  // for any.
  uint64_t tolerance_ms;
  // The path of the state file in UTF-8, or NULL (default) for no state. One generator at a time can hold the file. It is
  // written ahead: after a crash, ids continue behind those that may have been returned.
  const char *state_path;
  // The node of IDGEN_V1, IDGEN_V6 and IDGEN_SHORT as twelve hexadecimal digits, or NULL (default) for a random one.
  const char *node;
  // Of IDGEN_PREFIXED: IDGEN_SEQUENTIAL (default), IDGEN_KEYED or IDGEN_MD5_WEEK.
  int32_t prefix;
  // The width of a sequential prefix in bits, 1 to 16 (default).
  int32_t prefix_bits;
  // The offset of the weeks of IDGEN_MD5_WEEK from UTC in seconds: 0 by default.
  int32_t utc_offset_secs;
  // The tail of IDGEN_PREFIXED: IDGEN_ASCENDING (default), IDGEN_RANDOM_V4 or IDGEN_RANDOM_V8.
  int32_t tail;
  // The interval of IDGEN_PREFIXED, such as "day" (default), "ten-minutes", "week" or "90s".
  const char *interval;
  // The secret of IDGEN_KEYED, at least 16 bytes.
  const uint8_t *secret;
  // The number of bytes of `secret`.
  size_t secret_length;
  // The name of the writer of IDGEN_KEYED, or of IDGEN_SEQUENTIAL with an ascending tail; NULL (default) for none.
  const char *writer;
  // The first bits of IDGEN_FIXED_PREFIX, such as "ffffffff" (default) or "0b101": up to 32.
  const char *fixed_prefix;
  // Clock and random bytes of a test, or NULL (default) for those of the system.
  const struct idgen_fixed *fixed;
  // Whether the generator uses the state in memory of `fixed`: false by default.
  bool fixed_state;
  // How many milliseconds one call may wait with IDGEN_WAIT, and for the next second after 65,536 ids of IDGEN_SHORT: 60,000 by
  // default, 0 for no wait. Then it returns IDGEN_CLOCK_BEHIND or IDGEN_EXHAUSTED.
  uint64_t longest_wait_ms;
} idgen_settings;

// Why a function failed. You provide the memory, which need not be initialized.
typedef struct idgen_error {
  // One of the IDGEN_ statuses, but not IDGEN_OK.
  int32_t status;
  // The offset of the first wrong byte of a text, or -1 if no single byte is wrong.
  int32_t offset;
  // The length of the message in bytes, without the NUL at its end.
  uint32_t message_length;
  // What was wrong, with which value, and what to do: UTF-8 with a NUL at its end. A longer message, such as one with a
  // very long path, is cut after a whole character.
  char message[IDGEN_MESSAGE_SIZE];
} idgen_error;

// One reading of a text or a number as the id of another generator. You provide the memory, which need not be initialized.
typedef struct idgen_foreign {
  // The time in units of 100 ns since 1970, with IDGEN_FOREIGN_HAS_TIME in `fields`.
  int64_t time;
  // The UUID of a TypeID, with IDGEN_FOREIGN_HAS_ID in `fields`.
  uint8_t id[16];
  // The kind: see idgen_foreign_name.
  int32_t kind;
  // Which of the fields the reading has: the sum of IDGEN_FOREIGN_HAS_ flags. The others are zero.
  uint32_t fields;
} idgen_foreign;

// The fields of an id. You provide the memory, which need not be initialized.
typedef struct idgen_inspection {
  // The 16 bytes of a 128-bit id.
  uint8_t id[16];
  // A 64-bit id.
  uint64_t short_id;
  // The time in units of 100 ns since 1970.
  int64_t time;
  // The time of the tail in units of 100 ns since 1970, if the id has an ascending tail after a prefix that does not hide the time.
  int64_t tail_time;
  // The offset in the interval in milliseconds, of an ascending tail after a keyed prefix.
  uint64_t offset_ms;
  // Which of the fields the id has: the sum of IDGEN_HAS_ flags. The others are zero.
  uint32_t fields;
  // The number of the format of the text, or -1.
  int32_t format;
  // What kind of id it is: see idgen_nature_name.
  int32_t nature;
  // The counter.
  uint32_t counter;
  // The round of 65,536 intervals, of an ascending tail after a keyed prefix.
  uint32_t round;
  // The clock sequence.
  uint16_t clock_sequence;
  // The first 16 bits.
  uint16_t prefix;
  // The tag of the writer, of an ascending tail after a keyed prefix with a named writer.
  uint16_t writer_tag;
  // The node.
  uint8_t node[6];
  // The version of the UUID.
  uint8_t version;
  // How many nanoseconds after the whole millisecond of its time an id of version 7 or 8 was made, if its generator is one of this
  // library's present layout, or one of version 7 with the method 3 of RFC 9562 section 6.2.
  uint32_t fraction_ns;
} idgen_inspection;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The version of the library, such as "0.1.0": that of the header is IDGEN_VERSION.
const char *idgen_version(void);

// Finds the smallest and the largest id of the times from `start` to the one before `end`, in units of 100 ns since 1970, for queries
// such as WHERE id BETWEEN ... AND .... `settings` says the kind, and the prefix of IDGEN_FIXED_PREFIX; the other settings have no effect. All
// ids of these times are in the range, and so are the other ids of the first and the last millisecond (100 ns for IDGEN_V1 and IDGEN_V6).
//
// The ids of IDGEN_V1 bound a column of swapped bytes: encode them as IDGEN_SWAPPED. IDGEN_SHORT has idgen_short_bounds, and IDGEN_PREFIXED
// idgen_prefixed_bounds. Returns IDGEN_CONFIG if the times end before they begin or the ids of the kind do not begin with their time, and
// IDGEN_TIME_OUT_OF_RANGE if the kind cannot hold the times.
int32_t idgen_bounds(const struct idgen_settings *settings,
                     int64_t start,
                     int64_t end,
                     uint8_t *first,
                     uint8_t *last,
                     struct idgen_error *error);

// Finds the bounds of IDGEN_PREFIXED: a pair of ids for each interval of the times, in their order, each pair 32 bytes. `settings` are those
// with which the ids are generated. `capacity` is the number of pairs that fit; the number of pairs is written to `count`. If there is memory for
// fewer, it returns IDGEN_BUFFER and writes nothing but the number.
//
// After an ascending tail, a pair has the ids of these times only. After a random tail it has all ids of the interval, and those of all other
// intervals with the same prefix. A keyed prefix takes about 0.2 ms for each interval.
int32_t idgen_prefixed_bounds(const struct idgen_settings *settings,
                              int64_t start,
                              int64_t end,
                              uint8_t *pairs,
                              size_t capacity,
                              size_t *count,
                              struct idgen_error *error);

// Finds the smallest and the largest 64-bit id of the times from `start` to the one before `end`, in units of 100 ns since 1970. All ids of the
// first and the last second are in the range.
int32_t idgen_short_bounds(int64_t start,
                           int64_t end,
                           uint64_t *first,
                           uint64_t *last,
                           struct idgen_error *error);

// Returns the name of a format, such as "base64url", or NULL if none has the number. The text is static: do not free it.
const char *idgen_format_name(int32_t format);

// Encodes an id of 16 bytes. `capacity` is the size of `text` in bytes; IDGEN_TEXT_SIZE is always enough. A text gets a NUL at its
// end; IDGEN_BINARY and IDGEN_SWAPPED are 16 bytes without a NUL. The length without the NUL is written to `length`, unless it is NULL.
// If the buffer is too short, it returns IDGEN_BUFFER and writes nothing but the length.
int32_t idgen_encode(int32_t format,
                     const uint8_t *id,
                     char *text,
                     size_t capacity,
                     size_t *length,
                     struct idgen_error *error);

// Encodes `count` ids of 16 bytes each, with a line break after each text, and without one after 16 bytes. `capacity` must be at least
// IDGEN_TEXT_SIZE * count bytes. The length of all lines is written to `length`; there is no NUL.
int32_t idgen_encode_lines(int32_t format,
                           const uint8_t *ids,
                           size_t count,
                           char *text,
                           size_t capacity,
                           size_t *length,
                           struct idgen_error *error);

// Decodes `length` bytes of `text`, which need no NUL at their end, into the 16 bytes of `id`. Only what idgen_encode writes is
// accepted, apart from the case of hexadecimal and base32 digits; else it returns IDGEN_PARSE and leaves `id` as it is.
int32_t idgen_decode(int32_t format,
                     const char *text,
                     size_t length,
                     uint8_t *id,
                     struct idgen_error *error);

// Detects the format of a text, and decodes it: writes the number of the format and the id. If more than one format could have written
// the text, it returns IDGEN_PARSE.
int32_t idgen_detect(const char *text,
                     size_t length,
                     int32_t *format,
                     uint8_t *id,
                     struct idgen_error *error);

// Creates sources for tests, with the clock at 1970. Generators draw these bytes in order; after the last one, the first one follows.
// The bytes are copied. Returns NULL if there are none. Free it with idgen_fixed_free.
struct idgen_fixed *idgen_fixed_new(const uint8_t *bytes,
                                    size_t count,
                                    struct idgen_error *error);

// Frees the sources; NULL is allowed. Generators that use them keep what they need.
void idgen_fixed_free(struct idgen_fixed *fixed);

// Sets the clock to `ticks` units of 100 ns since 1970.
int32_t idgen_fixed_set_time(const struct idgen_fixed *fixed, int64_t ticks);

// Returns the time of the clock in units of 100 ns since 1970; 0 if `fixed` is NULL. A generator that waits moves the clock.
int64_t idgen_fixed_time(const struct idgen_fixed *fixed);

// Behaves as if the process was killed: generators that exist now save nothing any more, not even when they are freed.
int32_t idgen_fixed_crash(const struct idgen_fixed *fixed);

// Reads the state in memory. Writes the position, a number of 128 bits, as its upper and lower 64 bits, and the 6 bytes of
// the node. Returns 0 if nothing is saved, 1 if a position without a node is saved, 2 with a node, and -IDGEN_ARGUMENT if a
// pointer is NULL.
int32_t idgen_fixed_saved(const struct idgen_fixed *fixed,
                          uint64_t *high,
                          uint64_t *low,
                          uint8_t *node);

// Finds the kinds of other generators that have the characters of a text: `length` bytes, which need no NUL at their end. Writes the
// readings and their number, which is 0 for most texts. `capacity` is the number of readings that fit: IDGEN_FOREIGN_READINGS is always enough.
int32_t idgen_foreign_texts(const char *text,
                            size_t length,
                            struct idgen_foreign *readings,
                            size_t capacity,
                            size_t *count,
                            struct idgen_error *error);

// Finds the layouts of 64 bits that give a number a plausible time, the most plausible first: at least a day after the layout's
// beginning, and at most a day after `now`, in units of 100 ns since 1970. Writes the readings and their number, as idgen_foreign_texts.
int32_t idgen_foreign_numbers(uint64_t number,
                              int64_t now,
                              struct idgen_foreign *readings,
                              size_t capacity,
                              size_t *count,
                              struct idgen_error *error);

// Returns the name of a kind of ids of other generators, such as "ksuid", or NULL if none has the number. The text is static: do not
// free it.
const char *idgen_foreign_name(int32_t kind);

// Creates a generator from settings, which are only read during the call. It opens and locks the state file, if there is one.
// Free it with idgen_generator_free.
struct idgen_generator *idgen_generator_new(const struct idgen_settings *settings,
                                            struct idgen_error *error);

// Ends a generator; NULL is allowed. With a state, it saves the exact position, and then releases the file.
void idgen_generator_free(struct idgen_generator *generator);

// For the hook that runs after a virtual machine or the image of a process was restored, before any thread generates ids: an image that is
// restored twice continues twice with the same keys in memory, and both copies would generate the same ids. After this call, all
// generators take new keys, and versions 1 and 6 a new random node; a generator with a state returns IDGEN_FORKED. 64-bit ids and fixed nodes
// stay the same: give each copy a node of its own.
void idgen_reseed(void);

// Generates `count` ids of 16 bytes each, in order: `ids` has space for 16 * count bytes. If it fails, all of them are zero,
// and no id was generated. The errors are IDGEN_CLOCK_BEHIND, IDGEN_TIME_OUT_OF_RANGE, IDGEN_EXHAUSTED, IDGEN_ENTROPY,
// IDGEN_STATE and IDGEN_FORKED. A generator of 64-bit ids returns IDGEN_ARGUMENT.
int32_t idgen_generator_fill(const struct idgen_generator *generator,
                             uint8_t *ids,
                             size_t count,
                             struct idgen_error *error);

// Generates one id of 16 bytes, with the errors of idgen_generator_fill.
int32_t idgen_generator_next(const struct idgen_generator *generator,
                             uint8_t *id,
                             struct idgen_error *error);

// Generates `count` ids of a generator of IDGEN_SHORT: `ids` has space for so many numbers. The errors are those of idgen_generator_fill, and
// IDGEN_OUTSIDE_LEASE.
int32_t idgen_generator_fill_short(const struct idgen_generator *generator,
                                   uint64_t *ids,
                                   size_t count,
                                   struct idgen_error *error);

// Generates one id of a generator of IDGEN_SHORT.
int32_t idgen_generator_next_short(const struct idgen_generator *generator,
                                   uint64_t *id,
                                   struct idgen_error *error);

// Reads the fields of an id of any format: `length` bytes of `text`, which need no NUL at their end. Returns IDGEN_PARSE if it is not
// the text of an id.
int32_t idgen_inspect(const char *text,
                      size_t length,
                      struct idgen_inspection *inspection,
                      struct idgen_error *error);

// The same for an id with an ascending tail after a keyed prefix that changes once every `interval`, such as "day". `is_named` says
// whether its writer had a name. Returns IDGEN_CONFIG if no keyed prefix can have the interval.
int32_t idgen_inspect_keyed(const char *text,
                            size_t length,
                            const char *interval,
                            bool is_named,
                            struct idgen_inspection *inspection,
                            struct idgen_error *error);

// Returns the name of a nature: "nil", "max", "v1", "v4", "v6", "v7", "v8", "other-version", "ulid", "other-variant" or "short", for 0 to
// 10; else NULL. The text is static: do not free it.
const char *idgen_nature_name(int32_t nature);

// Writes a time of `ticks` units of 100 ns since 1970 as RFC 3339 in UTC, with a NUL at its end: "2022-02-22T19:22:22.5Z". `capacity` is
// the size of `text` in bytes; IDGEN_TIME_SIZE is always enough.
int32_t idgen_time_text(int64_t ticks,
                        char *text,
                        size_t capacity,
                        struct idgen_error *error);

// Gives a generator of IDGEN_SHORT the number of its device that a server has leased, for the seconds from `not_before` to `not_after`, both in units of
// 100 ns since 1970. A fraction of a second makes the lease shorter at its beginning, and counts as the whole second at its end. The number is the node,
// and outside of the lease, the functions that generate ids return IDGEN_OUTSIDE_LEASE. Call it before the first id, and again with the renewed lease.
//
// Keep a state beside the lease: without it, a restart after the clock was set back may repeat ids of this device itself. With a lease, a clock that
// steps back further than the tolerance is an error also with IDGEN_RESTART, because a restart takes another node.
//
// Returns IDGEN_CONFIG if no second lies in the lease, and IDGEN_TIME_OUT_OF_RANGE if a 64-bit id cannot hold one of the times. The lease before it then
// stays. A generator of 128-bit ids returns IDGEN_ARGUMENT.
int32_t idgen_generator_set_lease(const struct idgen_generator *generator,
                                  uint16_t number,
                                  int64_t not_before,
                                  int64_t not_after,
                                  struct idgen_error *error);

// Makes the UUID of version 5 of a name: the SHA-1 of the 16 bytes of a namespace and the `length` bytes of `name`, which need no NUL at
// their end. The same name in the same namespace always has the same id. The namespaces of RFC 9562, section 6.6, are
// 6ba7b810-9dad-11d1-80b4-00c04fd430c8 for names of DNS, 6ba7b811-… for URLs, 6ba7b812-… for OIDs and 6ba7b814-… for X.500.
int32_t idgen_v5(const uint8_t *namespace_id,
                 const char *name,
                 size_t length,
                 uint8_t *id,
                 struct idgen_error *error);

// Makes the UUID of version 3 of a name, with MD5 in place of SHA-1. Prefer version 5, unless others have ids of version 3.
int32_t idgen_v3(const uint8_t *namespace_id,
                 const char *name,
                 size_t length,
                 uint8_t *id,
                 struct idgen_error *error);

// Makes the UUID of version 8 of 16 bytes of your own, of which version and variant replace six bits.
int32_t idgen_v8(const uint8_t *bytes,
                 uint8_t *id,
                 struct idgen_error *error);

// Writes the 16 bytes of an id in the order of another system: IDGEN_GUID, IDGEN_JAVA_LEGACY or IDGEN_TIMEUUID. `bytes` may be `id`.
int32_t idgen_to_order(int32_t order,
                       const uint8_t *id,
                       uint8_t *bytes,
                       struct idgen_error *error);

// Writes the id of 16 bytes in the order of another system. `id` may be `bytes`.
int32_t idgen_from_order(int32_t order,
                         const uint8_t *bytes,
                         uint8_t *id,
                         struct idgen_error *error);

// Creates a key from a secret of at least 16 bytes, which is copied, and from the name of a writer, or NULL for none. Free it with
// idgen_prefix_key_free.
struct idgen_prefix_key *idgen_prefix_key_new(const uint8_t *secret,
                                              size_t secret_length,
                                              const char *writer,
                                              struct idgen_error *error);

// Frees a key, and wipes its secret; NULL is allowed.
void idgen_prefix_key_free(struct idgen_prefix_key *key);

// Writes the prefix of the interval with this number since 1970.
int32_t idgen_prefix_key_prefix(const struct idgen_prefix_key *key,
                                int64_t interval_number,
                                uint16_t *prefix,
                                struct idgen_error *error);

// Writes the tag of the writer after a prefix. Returns IDGEN_CONFIG if the writer has no name.
int32_t idgen_prefix_key_writer_tag(const struct idgen_prefix_key *key,
                                    uint16_t prefix,
                                    uint16_t *tag,
                                    struct idgen_error *error);

// Generates the ids of `count` rows that exist, such as those of a table that gets a key later: the id at each place has the time at
// that place of `times`, in units of 100 ns since 1970. The times may be in any order, and ids of one time ascend in the order of their rows.
// `ids` has space for 16 * count bytes.
//
// `settings` says the kind, one that contains its time: not IDGEN_V4, and not IDGEN_SHORT, whose ids of two devices are only told apart by a node. A state
// has no effect on times of the past, so it returns IDGEN_CONFIG for one; the policy of the clock has none, either. If it fails, all ids are
// zero: IDGEN_TIME_OUT_OF_RANGE if the kind cannot hold one of the times.
int32_t idgen_ids_at(const struct idgen_settings *settings,
                     const int64_t *times,
                     uint8_t *ids,
                     size_t count,
                     struct idgen_error *error);

// Creates a key from a secret of at least 16 bytes, which is copied. Free it with idgen_seal_free.
struct idgen_seal *idgen_seal_key_new(const uint8_t *secret,
                                      size_t secret_length,
                                      struct idgen_error *error);

// Creates a ring from the secret of its first key, to which idgen_seal_ring_add adds more. Free it with idgen_seal_free.
struct idgen_seal *idgen_seal_ring_new(const uint8_t *secret,
                                       size_t secret_length,
                                       struct idgen_error *error);

// Adds the key that seals ids from this time in milliseconds since 1970 on. The times must ascend: else it returns IDGEN_CONFIG. If it
// fails, the ring is as before.
int32_t idgen_seal_ring_add(const struct idgen_seal *ring,
                            int64_t from_unix_ms,
                            const uint8_t *secret,
                            size_t secret_length,
                            struct idgen_error *error);

// Frees a key or a ring, and wipes its secrets; NULL is allowed.
void idgen_seal_free(struct idgen_seal *seal);

// Replaces `count` ids of version 7, of 16 bytes each, by their sealed ids. Returns IDGEN_CONFIG if one of them is not of version 7, or
// beyond the year 2527; then all are as before.
int32_t idgen_seal_ids(const struct idgen_seal *seal,
                       uint8_t *ids,
                       size_t count,
                       struct idgen_error *error);

// Replaces `count` sealed ids, of 16 bytes each, by the ids of version 7. Returns IDGEN_CONFIG if one of them is not of version 4, or
// was sealed by no key of a ring; then all are as before. A single key cannot see that it did not seal an id.
int32_t idgen_open_ids(const struct idgen_seal *seal,
                       uint8_t *ids,
                       size_t count,
                       struct idgen_error *error);

// Sets all settings to their defaults, for ids of this kind. Does nothing if `settings` is NULL. In C and C++ it is a macro for
// idgen_settings_init_sized, with the size of your header.
void idgen_settings_init(struct idgen_settings *settings,
                         int32_t kind);

// Sets the first `size` bytes of the settings to their defaults. A program that was compiled with an older header has fewer
// settings than the library: the library leaves the memory behind them alone. Does nothing if `settings` is NULL or if this
// library has no settings of this size.
void idgen_settings_init_sized(struct idgen_settings *settings,
                               size_t size,
                               int32_t kind);

// Reads the decimal text of a 64-bit id: `length` bytes, which need no NUL at their end. Else it returns IDGEN_PARSE.
int32_t idgen_short_decode(const char *text,
                           size_t length,
                           uint64_t *id,
                           struct idgen_error *error);

// Writes the fields of a 64-bit id: the seconds since 1970, the 16 bits of the node, and the counter.
int32_t idgen_short_fields(uint64_t id,
                           uint32_t *unix_secs,
                           uint16_t *node,
                           uint16_t *counter,
                           struct idgen_error *error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* IDGEN_H */

/* The version of this header; idgen_version() is that of the library. */
#define IDGEN_VERSION "0.1.0"
#define IDGEN_VERSION_NUMBER 100 /* 10,000 for each major version, 100 for each minor one */

/* Initializes the settings that this header has, also if the library has more. */
#define idgen_settings_init(settings, kind) idgen_settings_init_sized((settings), sizeof(idgen_settings), (kind))
