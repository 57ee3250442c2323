#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "flash.h"
#include "pika.h"

static struct pika store;
static char value[PIKA_VALUE_MAX + 1];

static void fresh(void)
{
    memset(flash_memory, 0xFF, sizeof flash_memory);
    flash_written = flash_erased = 0;
    flash_cut_after(-1);
    pika_open(&store);
}

static void test_set_and_get(void)
{
    fresh();
    assert(pika_get(&store, "site", value) == PIKA_NONE);
    assert(pika_set(&store, "site", "Gornergrat") == PIKA_OK);
    assert(pika_set(&store, "site", "Stockhorn") == PIKA_OK);
    pika_open(&store);
    assert(pika_get(&store, "site", value) == PIKA_OK && strcmp(value, "Stockhorn") == 0);
}

static void test_delete(void)
{
    fresh();
    assert(pika_del(&store, "site") == PIKA_NONE);
    pika_set(&store, "site", "Gornergrat");
    assert(pika_del(&store, "site") == PIKA_OK);
    pika_open(&store);
    assert(pika_get(&store, "site", value) == PIKA_NONE);
}

static void test_moves_over_when_full(void)
{
    char text[8];
    fresh();
    pika_set(&store, "site", "Gornergrat");
    for (int n = 0; n < 200; n++) {
        snprintf(text, sizeof text, "%d", n);
        assert(pika_set(&store, "run", text) == PIKA_OK);
    }
    pika_open(&store);
    assert(pika_get(&store, "run", value) == PIKA_OK && strcmp(value, "199") == 0);
    assert(pika_get(&store, "site", value) == PIKA_OK && strcmp(value, "Gornergrat") == 0);
    assert(flash_erased == 4);
}

static void test_limits(void)
{
    char text[PIKA_VALUE_MAX + 2];
    fresh();
    memset(text, 'x', sizeof text);
    text[PIKA_VALUE_MAX + 1] = 0;
    assert(pika_set(&store, "site", text) == PIKA_TOO_LONG);
    assert(pika_set(&store, "a key that is longer than any key may be", "1") == PIKA_TOO_LONG);
    assert(pika_set(&store, "", "1") == PIKA_TOO_LONG);
}

static void test_full(void)
{
    char key[8], text[61];
    int n;
    fresh();
    memset(text, 'x', 60);
    text[60] = 0;
    for (n = 0; n < 20; n++) {
        snprintf(key, sizeof key, "k%d", n);
        if (pika_set(&store, key, text) == PIKA_FULL)
            break;
    }
    assert(n == 7);
}

int main(void)
{
    test_set_and_get();
    test_delete();
    test_moves_over_when_full();
    test_limits();
    test_full();
    puts("store: ok");
    return 0;
}
