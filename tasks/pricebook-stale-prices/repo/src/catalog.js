import { createCoalescer } from './coalesce.js';
import { TtlCache } from './ttl-cache.js';

export function createCatalog({ erp, ttlMs, now = Date.now, log = () => {} }) {
  const cache = new TtlCache({ ttlMs, now });
  const fetches = createCoalescer();
  let hits = 0;
  let misses = 0;

  return {
    // Resolves to the price in minor units.
    async price(sku, currency) {
      const key = `${sku}:${currency}`;
      const cached = cache.get(key);
      if (cached !== undefined) {
        hits += 1;
        return cached;
      }
      misses += 1;
      const amount = await fetches.run(key, () => erp.fetchPrice(sku, currency));
      cache.set(key, amount);
      return amount;
    },

    // The price of this SKU has changed, in whatever currency.
    invalidate(sku) {
      const count = cache.deletePrefix(`${sku}:`);
      log(`invalidated ${sku}: ${count} entries`);
    },

    stats() {
      return { hits, misses, entries: cache.size, inflight: fetches.size };
    },
  };
}
