#ifndef RECORD_H
#define RECORD_H

#include <stdint.h>

enum kind { DEPTH = 1, TEMPERATURE, CONDUCTIVITY, BATTERY, HOUR_MARKER = 31 };

/* docs/format.md */
struct record {
    uint8_t head;
    uint8_t minute;
    uint8_t value[2];
};

static inline struct record record_make(uint8_t channel, enum kind kind, uint8_t minute, int16_t value)
{
    struct record r;
    r.head = (uint8_t)(channel << 5 | kind);
    r.minute = minute;
    r.value[0] = (uint8_t)((uint16_t)value & 0xff);
    r.value[1] = (uint8_t)((uint16_t)value >> 8);
    return r;
}

static inline uint8_t record_channel(struct record r) { return r.head >> 5; }
static inline uint8_t record_kind(struct record r) { return r.head & 31; }
static inline int16_t record_value(struct record r) { return (int16_t)(r.value[0] | r.value[1] << 8); }

#endif
