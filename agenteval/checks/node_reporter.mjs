// A reporter for `node --test`: one <testcase> for every test and every suite, with its file.
// Node's own JUnit reporter shows a test that has subtests as a <testsuite> without an outcome of
// its own, so an assertion that fails after the subtests, or a failing hook, would not be seen.
import { relative } from 'node:path';

const escape = (text) =>
  String(text)
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, (c) => `\\x${c.charCodeAt(0).toString(16)}`)
    .replace(/[&<>"\t\n\r]/g, (c) => `&#${c.charCodeAt(0)};`);

const outcome = (type, data) => {
  if (data.skip !== undefined || data.todo !== undefined) return '<skipped/>';
  return type === 'test:fail' ? '<failure/>' : '';
};

export default async function* report(source) {
  const open = new Map(); // file -> names of the tests that are open, outermost first
  yield '<?xml version="1.0" encoding="utf-8"?>\n<testsuites>\n';
  for await (const { type, data } of source) {
    if (!['test:start', 'test:pass', 'test:fail'].includes(type)) continue;
    const names = (open.get(data.file) ?? []).slice(0, data.nesting);
    names[data.nesting] = data.name;
    open.set(data.file, names);
    if (type === 'test:start') continue;
    const file = data.file ? relative(process.cwd(), data.file) : 'test';
    const name = data.name === data.file ? '(file)' : names.join(' > ');
    yield `<testcase classname="${escape(file)}" name="${escape(name)}">${outcome(type, data)}</testcase>\n`;
  }
  yield '</testsuites>\n';
}
