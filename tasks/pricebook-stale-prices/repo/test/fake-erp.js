// An ERP that counts its calls and answers from a table.

export function fakeErp(prices) {
  const calls = [];
  return {
    calls,
    async fetchPrice(sku, currency) {
      const key = `${sku}:${currency}`;
      calls.push(key);
      await null;
      if (prices[key] instanceof Error) throw prices[key];
      return prices[key];
    },
  };
}
