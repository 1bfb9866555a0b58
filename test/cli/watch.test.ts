import { expect, test } from 'vitest';
import { lock } from '@/lib/domain/fixture/world';
import type { SourceState } from '@/lib/domain/source-state';
import type { Patch } from '@/lib/domain/world/change';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { createWorld, watch } from '@/packages/cli/watch.mjs';

test('a lock of another source is printed with it, and what goes of one says nothing of the other', () => {
  const world = createWorld();
  const locks = [lock({ key: 'a' }), lock({ key: 'a', source: 'other' })];
  const first = world.snapshot({ version: 1, locks, semaphores: [], findings: [] } as unknown as Snapshot);
  expect(first.lines.map((line) => line.split('  ')[0])).toEqual(['lock a', 'lock a [other]']);
  const patch = (from: number, more: Partial<Patch>) =>
    world.patch({ from, to: from + 1, asOfMs: 1, put: {}, edit: {}, remove: {}, ...more })?.lines;
  const edit = { locks: [{ of: 'a', source: 'other', set: { state: 'free', holder: null } }] };
  expect(patch(1, { edit })).toEqual(['lock a [other]  free  (-a)']);
  expect(patch(2, { remove: { locks: ['a'] } })).toEqual(['lock a  gone']);
  expect(patch(3, { removeIn: { other: { locks: ['a'] } } })).toEqual(['lock a [other]  gone']);
});

const sent = (event: string, data: object, id = 1) =>
  new TextEncoder().encode(`event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`);

/** A watch of these connections, in turn. It ends when it asks for one more. `asked`: the last id of each request. */
async function watched(connections: Uint8Array[][]) {
  const said: string[] = [];
  const warned: string[] = [];
  const asked: (string | null)[] = [];
  const stop = new AbortController();
  const stream = async (_path: string, lastId: string | null) => {
    asked.push(lastId);
    const next = connections.shift();
    if (next === undefined) stop.abort();
    return (async function* () {
      yield* next ?? [];
    })();
  };
  const ways = {
    api: { origin: 'http://box', stream, call: async () => ({ findings: [] }) },
    say: (line: string) => void said.push(line),
    warn: (line: string) => void warned.push(line),
    sayJson: () => {},
    paint: (_colour: string, line: string) => line,
  };
  await watch({}, ways as never, stop.signal);
  return { said, warned, asked };
}

test('after a restart of the console, rows of a source that it has not read yet are not gone; what really is is told once it was read', async () => {
  const part = (id: string, state: SourceState['state']) =>
    ({ id, title: id, state, staleSinceMs: null, problem: null }) as Partial<SourceState>;
  const world = (version: number, other: SourceState['state'], ...keys: string[]) => ({
    version,
    source: { ...part('both', other), parts: [part('consul', 'live'), part('other', other)] },
    locks: [lock({ key: 'a' }), ...keys.map((key) => lock({ key, source: 'other' }))],
    semaphores: [],
    sessions: [],
    findings: [],
  });
  const read = { from: 8, to: 9, asOfMs: 1, put: {}, edit: {}, remove: {} };
  const connections = [
    [sent('snapshot', world(3, 'live', 'x', 'y'))],
    [sent('snapshot', world(8, 'catching-up')), sent('patch', { ...read, source: world(9, 'live').source })],
    [sent('snapshot', world(9, 'live', 'x'))],
  ];
  const { said } = await watched(connections);
  expect(
    said.filter((line) => line.includes('gone')).map((line) => line.split('  ').slice(1).join(' ')),
  ).toEqual(['lock y [other] gone']);
  expect(connections).toEqual([]);
});

test('a console that must be asked again is asked at once from the last id, which is no outage; one that says nothing else is', async () => {
  const source = { id: 'consul', title: 'consul', state: 'live', staleSinceMs: null, problem: null };
  const world = {
    version: 1,
    source,
    locks: [lock({ key: 'a' })],
    semaphores: [],
    sessions: [],
    findings: [],
  };
  const gone = { from: 1, to: 2, asOfMs: 1, put: {}, edit: {}, remove: { locks: ['a'] } };
  const again = new TextEncoder().encode('event: again\ndata: {}\n\n');
  const { said, warned, asked } = await watched([
    [sent('snapshot', world), again],
    [sent('patch', gone, 2), again],
    [again],
  ]);
  expect(said.filter((line) => line.includes('gone'))).toHaveLength(1);
  expect(asked).toEqual([null, '1', '2', '2']);
  expect(warned).toEqual([
    'The console at http://box is away; retrying. It closed the connection.',
    'Connected again.',
  ]);
});
