// 20 characters a line, that is all the LED boards have.
const WIDTH = 20;

const LINES = {
  departures: (view) => view.departures.map(departure),
  piers: (view) => view.piers.map((pier) => pier.name),
  notices: (view) => view.notices.map((notice) => notice.text),
  health: (view) => [view.ok ? 'ok' : 'down'],
};

function departure({ expected, delay, to }) {
  return `${expected}${delay ? '!' : ' '} ${to}`.slice(0, WIDTH);
}

export function renderText(view) {
  const lines = LINES[view.kind](view);
  return `${[...lines, `as of ${view.generatedAt}`].join('\n')}\n`;
}
