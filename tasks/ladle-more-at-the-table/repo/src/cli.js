import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parseRecipe } from './parse.js';
import { shoppingList } from './shop.js';
import { showRecipe } from './show.js';

const USAGE = `usage: ladle show FILE
       ladle shop FILE...`;

/** Exit code: 0, 1 for a recipe that is wrong, 2 for a command that is. */
export function main(argv, { out = console.log, err = console.error } = {}) {
  let positionals;
  try {
    ({ positionals } = parseArgs({ args: argv, allowPositionals: true, options: {} }));
  } catch (error) {
    err(error.message);
    return 2;
  }
  const [command, ...files] = positionals;
  try {
    if (command === 'show' && files.length === 1) {
      out(showRecipe(read(files[0])));
      return 0;
    }
    if (command === 'shop' && files.length) {
      for (const line of shoppingList(files.map(read))) out(line);
      return 0;
    }
  } catch (error) {
    err(`ladle: ${error.message}`);
    return 1;
  }
  err(USAGE);
  return 2;
}

function read(file) {
  return parseRecipe(readFileSync(file, 'utf8'));
}
