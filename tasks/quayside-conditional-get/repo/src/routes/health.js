export function health({ store }) {
  return { view: { kind: 'health', ok: true, revision: store.revision } };
}
