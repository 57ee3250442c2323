#include "crc8.h"

/* x^8 + x^2 + x + 1. A table would be faster and 256 bytes bigger. */
uint8_t crc8(uint8_t crc, const void *data, unsigned length)
{
    const uint8_t *byte = data;
    while (length--) {
        crc ^= *byte++;
        for (int bit = 0; bit < 8; bit++)
            crc = (uint8_t)(crc & 0x80 ? (crc << 1) ^ 0x07 : crc << 1);
    }
    return crc;
}
