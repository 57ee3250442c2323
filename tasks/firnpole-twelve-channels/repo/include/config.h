#ifndef CONFIG_H
#define CONFIG_H

/* inputs of the mux that are in use */
#define MAX_CHANNELS 8

/* samples between flash and sampling; the ring keeps one slot empty */
#define RING_SIZE 64

#define DEFAULT_INTERVAL 15

#endif
