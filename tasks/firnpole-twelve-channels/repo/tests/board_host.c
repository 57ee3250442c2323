#include <string.h>

#include "board.h"
#include "board_host.h"

uint8_t host_eeprom[512], host_flash[65536];
size_t host_flash_used;
int16_t host_input[16];
char host_sent[256], host_shown[64];

int16_t board_read_input(uint8_t input) { return host_input[input]; }
void board_eeprom_read(uint16_t address, void *to, size_t length) { memcpy(to, host_eeprom + address, length); }
void board_eeprom_write(uint16_t address, const void *from, size_t length) { memcpy(host_eeprom + address, from, length); }
void board_send(const char *text) { strncpy(host_sent, text, sizeof host_sent - 1); }
void board_show(const char *text) { strncpy(host_shown, text, sizeof host_shown - 1); }

void board_flash_append(const void *from, size_t length)
{
    memcpy(host_flash + host_flash_used, from, length);
    host_flash_used += length;
}
