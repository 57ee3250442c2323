// One call per key at a time: whoever comes while it is running waits for it too.

export function createCoalescer() {
  const flights = new Map();

  return {
    get size() {
      return flights.size;
    },

    run(key, start) {
      const running = flights.get(key);
      if (running !== undefined) return running;

      const flight = start().then((value) => {
        flights.delete(key);
        return value;
      });
      flights.set(key, flight);
      return flight;
    },
  };
}
