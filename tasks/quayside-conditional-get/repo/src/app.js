import { harbourTime } from './clock.js';
import { HttpError } from './errors.js';
import { chooseType } from './negotiate.js';
import { render } from './render/index.js';
import { findRoute } from './router.js';

/**
 * handle({ method, url, headers, body }) -> { status, headers, body }
 * Header names are lower case, as node:http delivers them.
 */
export function createApp({ store, token, now = () => new Date(), log = () => {} }) {
  function respond(status, view, type, headers = {}) {
    return {
      status,
      headers: { 'content-type': `${type}; charset=utf-8`, ...headers },
      body: render(view, type),
    };
  }

  function answer(request) {
    const url = new URL(request.url, 'http://quayside');
    const route = findRoute(request.method, url.pathname);
    if (route.write) authorize(request, token);
    const type = chooseType(request.headers.accept);
    const at = harbourTime(now());
    const result = route.handler({ store, at, query: url.searchParams, body: request.body });
    const headers = route.live
      ? { 'cache-control': 'no-store' }
      : { 'cache-control': 'no-cache', vary: 'Accept' };
    return respond(result.status ?? 200, { generatedAt: at, ...result.view }, type, headers);
  }

  return {
    handle(request) {
      let response;
      try {
        response = answer(request);
      } catch (error) {
        if (!(error instanceof HttpError)) throw error;
        response = respond(error.status, { kind: 'error', error: error.message }, 'application/json');
      }
      if (request.method === 'HEAD') response = { ...response, body: '' };
      log(`${request.method} ${request.url} ${response.status} ${Buffer.byteLength(response.body)}`);
      return response;
    },
  };
}

function authorize(request, token) {
  if (!token || request.headers.authorization !== `Bearer ${token}`) {
    throw new HttpError(401, 'a token is needed to write');
  }
}
