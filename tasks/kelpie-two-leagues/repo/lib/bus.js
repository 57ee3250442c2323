const listeners = {};

export function on(event, listener) {
  (listeners[event] ??= []).push(listener);
}

export function off(event, listener) {
  listeners[event] = (listeners[event] ?? []).filter((each) => each !== listener);
}

export function emit(event, detail) {
  for (const listener of listeners[event] ?? []) listener(detail);
}
