import { afterEach, expect, test, vi } from 'vitest';
import { session as sessionOf } from '@/lib/domain/fixture/world';
import type { Session, World } from '@/lib/domain/model';
import { apply, type Patch } from '@/lib/domain/world/change';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import type { Hub } from '@/lib/server/live/hub';
import { createToldHub } from '@/test/support/told-hub';
import { createStreams, readEventId, type StreamRequest, type Streams } from './sse';
import { createPlaces } from './stream-quota';
import { queueBytesMax } from './viewer';

const asker = { identity: { kind: 'anonymous' }, address: null } as const;
const session = (id: string, name: string): Session =>
  sessionOf({
    id,
    name,
    holds: id.startsWith('in') ? [{ source: 'consul', kind: 'lock', key: `in/${id}` }] : [],
  });
const worldOf = (name: string, ids: string[]): World => ({
  locks: [],
  semaphores: [],
  sessions: ids.map((id) => session(id, name)),
});

let hub: Hub;
let streams: Streams;
let say: (world: World) => void;
let contact: (atMs: number) => void;

function begin(max = 10): void {
  ({ hub, tell: say, tellContact: contact } = createToldHub());
  streams = createStreams({ hub, max, onBug: () => {} });
}
afterEach(async () => {
  streams.close();
  await hub.close();
});

interface Event {
  readonly name: string;
  readonly id: string | null;
  readonly body: unknown;
}

/** Reads a stream as a browser would. */
function reader(stream: ReadableStream<Uint8Array>) {
  const source = stream.getReader();
  const decoder = new TextDecoder();
  let text = '';
  return {
    /** The next event that is not a ping; `null` at the end. */
    next: async (): Promise<Event | null> => {
      for (;;) {
        const end = text.indexOf('\n\n');
        if (end === -1) {
          const { value, done } = await source.read();
          if (done) return null;
          text += decoder.decode(value, { stream: true });
          continue;
        }
        const lines = text.slice(0, end).split('\n');
        text = text.slice(end + 2);
        const field = (name: string) =>
          lines.find((l) => l.startsWith(`${name}: `))?.slice(name.length + 2) ?? null;
        const name = field('event');
        if (name === null || name === 'ping') continue;
        return { name, id: field('id'), body: JSON.parse(field('data') ?? 'null') };
      }
    },
    cancel: () => source.cancel(),
  };
}

function open(more: Partial<Pick<StreamRequest, 'filter' | 'lastEventId' | 'follow'>> = {}) {
  const signal = new AbortController();
  const stream = streams.open({ asker, filter: null, lastEventId: null, ...more, signal: signal.signal });
  if (stream === null) throw new Error('refused');
  return { ...reader(stream), abort: () => signal.abort() };
}

test('a viewer gets a snapshot, then the patches that join it', async () => {
  begin();
  say(worldOf('x', ['a']));
  const viewer = open();
  const first = await viewer.next();
  expect(first?.name).toBe('snapshot');
  say(worldOf('x', ['a', 'b']));
  const second = await viewer.next();
  expect(second?.name).toBe('patch');
  expect(second?.id).toBe(`one-${hub.snapshot().version}`);
  expect(apply(first?.body as Snapshot, second?.body as Patch)).toEqual(hub.snapshot());
});

test('a ping says when the backend answered last: soon after it did, and as often as before while it does not', async () => {
  vi.useFakeTimers();
  try {
    begin();
    say(worldOf('a', ['a']));
    const signal = new AbortController();
    const stream = streams.open({ asker, filter: null, lastEventId: null, signal: signal.signal });
    const source = stream?.getReader();
    const told: (readonly [afterMs: number, contactMs: number | null])[] = [];
    const startMs = Date.now();
    const read = async () => {
      for (;;) {
        const { value, done = true } = (await source?.read()) ?? {};
        if (done) return;
        const text = new TextDecoder().decode(value);
        const said = /event: ping\ndata: (.*)\n/.exec(text)?.[1];
        if (said !== undefined) told.push([Date.now() - startMs, JSON.parse(said).contactMs]);
      }
    };
    const ended = read();
    await vi.advanceTimersByTimeAsync(500);
    contact(7);
    await vi.advanceTimersByTimeAsync(1_600);
    // The backend has stopped.
    await vi.advanceTimersByTimeAsync(6_500);
    expect(told).toEqual([
      [0, null],
      [2_000, 7],
      [5_000, 7],
      [8_000, 7],
    ]);
    signal.abort();
    await ended;
  } finally {
    vi.useRealTimers();
  }
});

test('a viewer that comes back with its last id gets only what it missed', async () => {
  begin();
  say(worldOf('x', ['a']));
  const before = hub.snapshot();
  say(worldOf('x', ['a', 'b']));
  const event = await open({ lastEventId: `one-${before.version}` }).next();
  expect(event).toMatchObject({ name: 'patch', body: { from: before.version } });
});

test('an id of another process, of before a restart or of nothing at all brings a snapshot', async () => {
  begin();
  say(worldOf('x', ['a']));
  for (const lastEventId of ['two-1', 'one-99', 'one-', 'one-x', 'nonsense'])
    expect((await open({ lastEventId }).next())?.name).toBe('snapshot');
  expect(readEventId('one', 'one-7')).toBe(7);
});

test('a slow viewer is not queued for without bound: it gets one snapshot when it reads again', async () => {
  begin();
  const many = Array.from({ length: 2_000 }, (_, n) => `s${String(n).padStart(5, '0')}`);
  const viewer = open();
  for (let n = 0; n < 20; n += 1) say(worldOf(`round ${n} ${'.'.repeat(200)}`, many));
  let bytes = 0;
  let last: Event | null = null;
  let events = 0;
  do {
    last = await viewer.next();
    events += 1;
    bytes += JSON.stringify(last?.body).length;
  } while ((last?.body as Snapshot | undefined)?.version !== hub.snapshot().version);
  expect(last?.name).toBe('snapshot');
  expect(last?.body).toEqual(hub.snapshot());
  expect(events).toBeLessThan(10);
  expect(bytes).toBeLessThan(5_000_000);
  // Continues with patches that join.
  say(worldOf('after', many.slice(0, 1)));
  expect(await viewer.next()).toMatchObject({
    name: 'patch',
    body: { from: hub.snapshot().version - 1 },
  });
});

test('changes while a viewer reads a large world follow as patches, not as that world again', async () => {
  begin();
  const many = Array.from({ length: 8_000 }, (_, n) => `s${String(n).padStart(5, '0')}`);
  say(worldOf('x', many));
  const viewer = open();
  for (let n = 1; n <= 5; n += 1) say(worldOf('x', many.slice(n)));
  const first = await viewer.next();
  expect(JSON.stringify(first?.body).length).toBeGreaterThan(queueBytesMax);
  let shown = first?.body as Snapshot;
  for (let n = 1; n <= 5; n += 1) {
    const event = await viewer.next();
    expect(event?.name).toBe('patch');
    shown = apply(shown, event?.body as Patch) as Snapshot;
  }
  expect(shown.version).toBe(hub.snapshot().version);
  expect(shown.sessions.length).toBe(many.length - 5);
});

test('a filtered viewer sees its part only, and every patch joins the one before', async () => {
  begin();
  say(worldOf('x', ['in1', 'out1']));
  const viewer = open({ filter: { prefix: 'in/', kind: null, source: null } });
  const first = (await viewer.next())?.body as Snapshot;
  expect(first.sessions.map((s) => s.id)).toEqual(['in1']);
  // All rows filtered out: naming a session as gone does no harm.
  say(worldOf('y', ['in1', 'in2', 'out1']));
  const patch = (await viewer.next())?.body as Patch;
  const after = apply(first, patch);
  expect(after?.sessions.map((s) => s.id)).toEqual(['in1', 'in2']);
});

test('there is a bound to the number of viewers, and one that leaves makes room', async () => {
  begin(2);
  const first = open();
  open();
  const refused = () =>
    streams.open({ asker, filter: null, lastEventId: null, signal: new AbortController().signal });
  expect(refused()).toBeNull();
  await first.cancel();
  expect(streams.count).toBe(1);
  const third = open();
  third.abort();
  expect(streams.count).toBe(1);
  expect(hub.viewers).toBe(1);
});

test('one address does not take every place, and others find room', async () => {
  ({ hub, tell: say } = createToldHub());
  const places = createPlaces({ address: 2, person: 1 });
  streams = createStreams({ hub, max: 3, onBug: () => {}, places });
  say(worldOf('x', ['a']));
  const come = (address: string) =>
    streams.answer(
      { asker: { ...asker, address }, filter: null, lastEventId: null, signal: new AbortController().signal },
      new Request('http://signalbox.test/api/v1/events'),
    );
  const first = come('192.0.2.1');
  come('192.0.2.1');
  const refused = come('192.0.2.1');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10']);
  expect(await refused.json()).toMatchObject({
    code: 'busy',
    why: { code: 'too-many-pages-of-address', facts: { max: 2 } },
    detail: 'Your address has 2 pages open here, the most for one address. Close some.',
  });
  await first.body?.cancel();
  expect(come('192.0.2.1').status).toBe(200);
  expect(come('192.0.2.2').status).toBe(200);
  const full = come('192.0.2.3');
  expect([full.status, await full.json()]).toMatchObject([503, { why: { code: 'too-many-pages' } }]);
});

test('a browser that left before its stream began holds no place', () => {
  begin();
  const stream = streams.open({ asker, filter: null, lastEventId: null, signal: AbortSignal.abort() });
  expect(stream).toBeNull();
  expect(streams.count).toBe(0);
  expect(hub.viewers).toBe(0);
});

test('a viewer that must ask again hears so before the end, and finds its place free', async () => {
  begin(1);
  say(worldOf('x', ['a']));
  let askAgain: (problem: null) => void = () => {};
  const viewer = open({
    follow: (onEnd) => {
      askAgain = onEnd;
      return () => {};
    },
  });
  const { id } = (await viewer.next()) ?? {};
  askAgain(null);
  const again = open({ lastEventId: id ?? null });
  expect(await viewer.next()).toEqual({ name: 'again', id: null, body: {} });
  expect(await viewer.next()).toBeNull();
  say(worldOf('x', ['a', 'b']));
  expect((await again.next())?.name).toBe('patch');
});

test('when the hub closes, every stream ends', async () => {
  begin();
  const viewer = open();
  await viewer.next();
  await hub.close();
  expect(await viewer.next()).toBeNull();
});
