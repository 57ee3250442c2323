import { renderJson } from './json.js';
import { renderText } from './text.js';

export function render(view, type) {
  return type === 'text/plain' ? renderText(view) : renderJson(view);
}
