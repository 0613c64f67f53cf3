/* Byte orders of other systems. */
#include <string.h>

#include "json.h"

void check_orders(const char *folder) {
  static const struct {
    int32_t order;
    const char *name;
  } orders[] = {{IDGEN_GUID, "guid"}, {IDGEN_JAVA_LEGACY, "java_legacy"}, {IDGEN_TIMEUUID, "timeuuid"}};
  json_t *vectors = load(folder, "orders.json"), *vector;
  size_t number;
  json_array_foreach(member(vectors, "orders"), number, vector) {
    uint8_t id[16], bytes[16], expected[16], *found;
    id_of(text_of(vector, "uuid"), id);
    for (size_t i = 0; i < 3; i++) {
      check(idgen_to_order(orders[i].order, id, bytes, NULL) == IDGEN_OK, text_of(vector, "uuid"), orders[i].name);
      /* Cassandra refuses other versions than 1 in a timeuuid. */
      if (member(vector, orders[i].name)) {
        check(bytes_of(text_of(vector, orders[i].name), &found) == 16, text_of(vector, "uuid"), "16 bytes");
        memcpy(expected, found, 16);
        free(found);
        check(memcmp(bytes, expected, 16) == 0, text_of(vector, "uuid"), orders[i].name);
      }
      /* In place. */
      check(idgen_from_order(orders[i].order, bytes, bytes, NULL) == IDGEN_OK, text_of(vector, "uuid"), orders[i].name);
      check(memcmp(bytes, id, 16) == 0, text_of(vector, "uuid"), "back");
    }
  }
  json_decref(vectors);
  uint8_t id[16] = {0};
  idgen_error error;
  check(idgen_to_order(3, id, id, &error) == IDGEN_CONFIG && strstr(error.message, "number 3"), "3", error.message);
  check(idgen_from_order(-1, id, id, &error) == IDGEN_CONFIG, "-1", error.message);
  check(idgen_to_order(IDGEN_GUID, NULL, id, &error) == IDGEN_ARGUMENT, "NULL", error.message);
  check(idgen_from_order(IDGEN_GUID, id, NULL, &error) == IDGEN_ARGUMENT, "NULL", error.message);
}
