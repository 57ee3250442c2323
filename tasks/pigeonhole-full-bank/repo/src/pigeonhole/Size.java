package pigeonhole;

/** Of parcels and doors, smallest first. */
enum Size { S, M, L }
