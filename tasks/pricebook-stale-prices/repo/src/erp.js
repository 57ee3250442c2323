// The ERP's HTTP interface. Every call is billed.

export class ErpError extends Error {
  constructor(message, options) {
    super(message, options);
    this.name = 'ErpError';
  }
}

export function createErp({ url, token, timeoutMs, fetch = globalThis.fetch }) {
  return {
    async fetchPrice(sku, currency) {
      const address = new URL(`/v2/prices/${encodeURIComponent(sku)}`, url);
      address.searchParams.set('currency', currency);
      let response;
      try {
        response = await fetch(address, {
          headers: { authorization: `Bearer ${token}` },
          signal: AbortSignal.timeout(timeoutMs),
        });
      } catch (cause) {
        throw new ErpError(`no answer for ${sku}`, { cause });
      }
      if (!response.ok) {
        throw new ErpError(`${response.status} for ${sku}`);
      }
      const { amount } = await response.json();
      return amount; // minor units
    },
  };
}
