export function listPiers({ store }) {
  return { view: { kind: 'piers', piers: store.piers } };
}
