#include <stddef.h>
#include <stdint.h>

extern uint8_t host_eeprom[512], host_flash[65536];
extern size_t host_flash_used;
extern int16_t host_input[16];
extern char host_sent[256], host_shown[64];
