#ifndef PIKA_H
#define PIKA_H

#include <stddef.h>
#include <stdint.h>

#define PIKA_KEY_MAX 32
#define PIKA_VALUE_MAX 250

enum pika_result { PIKA_OK, PIKA_NONE, PIKA_FULL, PIKA_TOO_LONG };

struct pika {
    int active;       /* page that counts, -1 if there is none yet */
    uint16_t end;     /* where its next entry goes */
};

/* Finds the page that counts. Writes nothing. */
void pika_open(struct pika *store);

/* value has room for PIKA_VALUE_MAX + 1 bytes, and is ended with a NUL. */
enum pika_result pika_get(const struct pika *store, const char *key, char *value);
enum pika_result pika_set(struct pika *store, const char *key, const char *value);
enum pika_result pika_del(struct pika *store, const char *key);

/* Calls for each key that has a value, once, in no particular order. */
void pika_each(const struct pika *store,
               void (*visit)(const char *key, const char *value, void *context), void *context);

#endif
