import http from 'node:http';

// Only what the app reads. When all of them went through, the balancer's session
// cookie ended up in the error reports (2023-11).
const FORWARDED = ['accept', 'authorization'];

const MAX_BODY = 16 * 1024;

export function createServer(app) {
  return http.createServer(async (req, res) => {
    try {
      const headers = {};
      for (const name of FORWARDED) {
        if (req.headers[name] !== undefined) headers[name] = req.headers[name];
      }
      const body = await readJson(req);
      const response = app.handle({ method: req.method, url: req.url, headers, body });
      res.writeHead(response.status, response.headers);
      res.end(response.body);
    } catch (error) {
      console.error(error);
      if (!res.headersSent) res.writeHead(500);
      res.end();
    }
  });
}

/** undefined for no body, null for one that is no JSON: the routes turn either into a 400. */
async function readJson(req) {
  let text = '';
  for await (const chunk of req) {
    text += chunk;
    if (text.length > MAX_BODY) return null;
  }
  if (!text) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
