#include <string.h>

#include "flash.h"
#include "page.h"
#include "pika.h"
#include "record.h"

void pika_open(struct pika *store)
{
    struct page_head head, best = { 0, 0 };
    store->active = -1;
    store->end = 0;
    for (int page = 0; page < FLASH_PAGES; page++) {
        if (!page_read_head(page, &head) || head.state != PAGE_ACTIVE)
            continue;
        if (store->active < 0 || head.sequence > best.sequence) {
            store->active = page;
            best = head;
        }
    }
    if (store->active >= 0)
        store->end = page_end(store->active);
}

/* The last entry of a key, 1 if there is one (which may say that it is deleted). */
static int find(const struct pika *store, const char *key, struct record *found)
{
    struct record record;
    uint16_t offset = PAGE_HEAD;
    int any = 0;
    if (store->active < 0)
        return 0;
    while (page_next(store->active, &offset, &record)) {
        if (strcmp(record.key, key) == 0) {
            *found = record;
            any = 1;
        }
    }
    return any;
}

enum pika_result pika_get(const struct pika *store, const char *key, char *value)
{
    struct record record;
    if (!find(store, key, &record) || record.value_length == RECORD_DELETED)
        return PIKA_NONE;
    strcpy(value, record.value);
    return PIKA_OK;
}

/* Whether the entry that ends at offset is the last one of its key. */
static int is_last(int page, uint16_t offset, const char *key)
{
    struct record later;
    while (page_next(page, &offset, &later))
        if (strcmp(later.key, key) == 0)
            return 0;
    return 1;
}

/* Calls for each entry that counts. */
static void each_record(int page, void (*visit)(const struct record *, void *), void *context)
{
    struct record record;
    uint16_t offset = PAGE_HEAD;
    while (page_next(page, &offset, &record))
        if (record.value_length != RECORD_DELETED && is_last(page, offset, record.key))
            visit(&record, context);
}

struct visitor {
    void (*visit)(const char *key, const char *value, void *context);
    void *context;
};

static void show(const struct record *record, void *context)
{
    struct visitor *visitor = context;
    visitor->visit(record->key, record->value, visitor->context);
}

void pika_each(const struct pika *store,
               void (*visit)(const char *key, const char *value, void *context), void *context)
{
    struct visitor visitor = { visit, context };
    if (store->active >= 0)
        each_record(store->active, show, &visitor);
}

static void append(const struct record *record, void *context)
{
    struct pika *to = context;
    record_write(to->active, to->end, record);
    to->end = (uint16_t)(to->end + record_size(record));
}

/* Takes what counts over to the other page. */
static void move_over(struct pika *store)
{
    struct page_head head = { 0, PAGE_ACTIVE };
    struct pika to = { store->active == 0 ? 1 : 0, PAGE_HEAD };
    if (store->active >= 0)
        page_read_head(store->active, &head);
    head.sequence++;
    page_begin(to.active, &head);
    if (store->active >= 0)
        each_record(store->active, append, &to);
    *store = to;
}

static enum pika_result put(struct pika *store, const struct record *record)
{
    if (store->active < 0 || store->end + record_size(record) > FLASH_PAGE_SIZE)
        move_over(store);
    if (store->end + record_size(record) > FLASH_PAGE_SIZE)
        return PIKA_FULL;
    append(record, store);
    return PIKA_OK;
}

enum pika_result pika_set(struct pika *store, const char *key, const char *value)
{
    struct record record;
    size_t key_length = strlen(key), value_length = strlen(value);
    if (key_length < 1 || key_length > PIKA_KEY_MAX || value_length > PIKA_VALUE_MAX)
        return PIKA_TOO_LONG;
    /* the same again costs nothing */
    if (find(store, key, &record) && record.value_length != RECORD_DELETED &&
        strcmp(record.value, value) == 0)
        return PIKA_OK;
    memcpy(record.key, key, key_length + 1);
    memcpy(record.value, value, value_length + 1);
    record.key_length = (int8_t)key_length;
    record.value_length = (int8_t)value_length;
    return put(store, &record);
}

enum pika_result pika_del(struct pika *store, const char *key)
{
    struct record record;
    if (!find(store, key, &record) || record.value_length == RECORD_DELETED)
        return PIKA_NONE;
    record.value_length = RECORD_DELETED;
    return put(store, &record);
}
