import { createCatalog } from './catalog.js';
import { loadConfig } from './config.js';
import { createErp } from './erp.js';
import { createServer } from './server.js';

const config = loadConfig();
const erp = createErp({
  url: process.env.ERP_URL,
  token: process.env.ERP_TOKEN,
  timeoutMs: config.erp.timeoutMs,
});
const catalog = createCatalog({ erp, ttlMs: config.ttlMs });

createServer({ catalog, currencies: config.currencies }).listen(config.port, () => {
  console.log(`pricebook on :${config.port}`);
});
