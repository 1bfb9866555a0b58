/** Real clients' data in a real Consul: the recorded fixtures, as rows of its API and as the bytes of their values. */
import { readdirSync, readFileSync } from 'node:fs';
import { inProject } from '@/scripts/project.mjs';

interface Fixture {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly sessions: readonly Readonly<Record<string, unknown>>[];
  readonly checks: readonly Readonly<Record<string, unknown>>[];
}

const folder = inProject('lib', 'providers', 'consul', 'fixtures');

export const fixtures: readonly Fixture[] = readdirSync(folder)
  .sort()
  .map((file) => JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')) as Fixture);

/** Consul's form, in which flags are integers. */
const printed = (of: unknown) =>
  Buffer.from(JSON.stringify(of).replace(/"Flags":"(\d+)"/g, '"Flags":$1'), 'utf8');

/** Bodies of `GET /v1/kv/?recurse`. */
export const rowBodies = fixtures.map(({ rows }) => printed(rows));
export const sessionBodies = fixtures.map(({ sessions }) => printed(sessions));
export const checkBodies = fixtures.map(({ checks }) => printed(checks));

/** Every stored value in the fixtures, and the handwritten shapes. */
export const values: readonly Buffer[] = [
  ...new Map(
    fixtures
      .flatMap(({ rows }) => rows.map(({ Value }) => (typeof Value === 'string' ? Value : '')))
      .map((value) => [value, Buffer.from(value, 'base64')]),
  ).values(),
  Buffer.from('{"Limit":2,"Holders":{"aaaaaaa1-0000-4000-8000-000000000001":true}}'),
  Buffer.from(
    '{\n  "limit": 3,\n  "holders": ["aaaaaaa1-0000-4000-8000-000000000001"],\n  "x": {"y": [1]}\n}',
  ),
];
