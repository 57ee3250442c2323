import { HttpError } from './errors.js';
import { listDepartures, postDelay } from './routes/departures.js';
import { health } from './routes/health.js';
import { listNotices, postNotice } from './routes/notices.js';
import { listPiers } from './routes/piers.js';

// live: about this process at this moment, never to be stored by anybody
const ROUTES = [
  { method: 'GET', path: '/departures', handler: listDepartures },
  { method: 'GET', path: '/piers', handler: listPiers },
  { method: 'GET', path: '/notices', handler: listNotices },
  { method: 'GET', path: '/health', handler: health, live: true },
  { method: 'POST', path: '/delays', handler: postDelay, write: true },
  { method: 'POST', path: '/notices', handler: postNotice, write: true },
];

export function findRoute(method, path) {
  const wanted = method === 'HEAD' ? 'GET' : method;
  const here = ROUTES.filter((route) => route.path === path);
  if (here.length === 0) throw new HttpError(404, `nothing at ${path}`);
  const route = here.find((candidate) => candidate.method === wanted);
  if (!route) throw new HttpError(405, `${method} does not work on ${path}`);
  return route;
}
