#include "board.h"
#include "firnpole.h"

/* the mux has sixteen inputs */
typedef char mux_is_big_enough[MAX_CHANNELS <= 16 ? 1 : -1];

void sensors_sample(const struct calibration calibration[MAX_CHANNELS], uint8_t minute, int16_t values[MAX_CHANNELS])
{
    for (uint8_t channel = 0; channel < MAX_CHANNELS; channel++) {
        values[channel] = (int16_t)(board_read_input(channel) + calibration[channel].offset);
        ring_push(record_make(channel, (enum kind)calibration[channel].kind, minute, values[channel]));
    }
}
