#include "firnpole.h"

bool schedule_due(uint8_t minute, uint8_t interval)
{
    return minute % interval == 0;
}
