#ifndef RECORD_H
#define RECORD_H

#include <stdint.h>

#include "pika.h"

#define RECORD_HEAD 3
#define RECORD_DELETED (-2) /* 0xFE */

struct record {
    int8_t key_length;
    int8_t value_length; /* or RECORD_DELETED */
    char key[PIKA_KEY_MAX + 1];
    char value[PIKA_VALUE_MAX + 1];
};

/* Bytes it takes in a page. */
uint16_t record_size(const struct record *record);

/* 1 and the record, 0 if there is no good one at this place. */
int record_read(int page, uint16_t offset, struct record *record);
void record_write(int page, uint16_t offset, const struct record *record);

#endif
