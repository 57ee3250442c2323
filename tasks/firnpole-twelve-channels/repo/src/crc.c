#include "firnpole.h"

uint16_t crc16(const void *data, uint16_t length)
{
    const uint8_t *byte = data;
    uint16_t crc = 0xffff;
    while (length--) {
        crc ^= *byte++;
        for (int bit = 0; bit < 8; bit++)
            crc = (uint16_t)(crc & 1 ? crc >> 1 ^ 0xa001 : crc >> 1);
    }
    return crc;
}
