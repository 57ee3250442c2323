export function renderJson({ kind, ...rest }) {
  return `${JSON.stringify(rest)}\n`;
}
