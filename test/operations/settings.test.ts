/** The table of variables in `docs/operations.md` and the code that reads them say the same. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const table = readFileSync('docs/operations.md', 'utf8').split('## Settings')[1]?.split('\n## ')[0] ?? '';
const code = [
  'lib/server/process/env.ts',
  'lib/server/process/source-list.ts',
  'lib/providers/consul/client/settings.ts',
]
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n');
const names = (text: string) =>
  new Set(
    [...text.matchAll(/\b((?:SIGNALBOX|CONSUL)_[A-Z_]*[A-Z]|DATABASE_URL|LOG_LEVEL)\b/g)].map(
      ([, name = '']) => name,
    ),
  );
/** Read by the start scripts alone, or by demo and tests. */
const ofScripts = [
  'CONSUL_BIN',
  'SIGNALBOX_CACHE',
  'SIGNALBOX_CONSUL_RELEASES',
  'SIGNALBOX_DEBIAN_MIRROR',
  'SIGNALBOX_STATE',
];
const ofNobody = ['SIGNALBOX_DEMO'];

test('every variable that is read is in the table, and nothing else', () => {
  // Those marked with * may be given as a file, in a variable that has no row.
  const read = [...names(code)].filter((name) => !/_TOKEN_FILE$/.test(name) && !ofNobody.includes(name));
  expect([...names(table)].sort()).toEqual([...read, ...ofScripts].sort());
});

test('those that may be given as a file are marked, and no others', () => {
  const secrets = [...code.matchAll(/(?:secret|keysOf)\(env, '([A-Z_]+)'\)/g)].map(([, name]) => name);
  const named = [...code.matchAll(/const name = '(SIGNALBOX_[A-Z_]+)';\s*\n[^\n]*secret\(env, name\)/g)];
  const marked = [...table.matchAll(/`([A-Z_]+)` \*/g)].map(([, name]) => name);
  expect(marked.sort()).toEqual([...secrets, ...named.map(([, name]) => name), 'CONSUL_HTTP_TOKEN'].sort());
});
