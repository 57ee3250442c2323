#include <stdio.h>

#include "board.h"
#include "firnpole.h"

/* eight characters: channel, colon, value */
void display_show(uint8_t channel, int16_t value)
{
    char text[12];
    snprintf(text, sizeof text, "%c:%6d", '0' + channel, value);
    board_show(text);
}
