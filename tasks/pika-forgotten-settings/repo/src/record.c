#include "record.h"

#include <string.h>

#include "crc8.h"
#include "flash.h"

static uint16_t value_bytes(const struct record *record)
{
    return record->value_length == RECORD_DELETED ? 0 : (uint16_t)record->value_length;
}

uint16_t record_size(const struct record *record)
{
    return (uint16_t)(RECORD_HEAD + record->key_length + value_bytes(record));
}

static uint8_t checksum(const struct record *record)
{
    uint8_t crc = crc8(0, record->key, (unsigned)record->key_length);
    return crc8(crc, record->value, value_bytes(record));
}

int record_read(int page, uint16_t offset, struct record *record)
{
    uint8_t head[RECORD_HEAD];
    if (offset + RECORD_HEAD > FLASH_PAGE_SIZE)
        return 0;
    flash_read(page, offset, head, RECORD_HEAD);
    record->key_length = (int8_t)head[0];
    record->value_length = (int8_t)head[1];
    if (record->key_length < 1 || record->key_length > PIKA_KEY_MAX)
        return 0;
    if (offset + record_size(record) > FLASH_PAGE_SIZE || value_bytes(record) > PIKA_VALUE_MAX)
        return 0;
    offset += RECORD_HEAD;
    flash_read(page, offset, record->key, (uint16_t)record->key_length);
    record->key[record->key_length] = 0;
    flash_read(page, (uint16_t)(offset + record->key_length), record->value, value_bytes(record));
    record->value[value_bytes(record)] = 0;
    return checksum(record) == head[2];
}

void record_write(int page, uint16_t offset, const struct record *record)
{
    uint8_t head[RECORD_HEAD] = { (uint8_t)record->key_length, (uint8_t)record->value_length,
                                  checksum(record) };
    flash_write(page, offset, head, RECORD_HEAD);
    offset += RECORD_HEAD;
    flash_write(page, offset, record->key, (uint16_t)record->key_length);
    flash_write(page, (uint16_t)(offset + record->key_length), record->value, value_bytes(record));
}
