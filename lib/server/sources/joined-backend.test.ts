import { afterEach, expect, test, vi } from 'vitest';
import type { World } from '@/lib/domain/model';
import type { Provider, SharedWatch } from '@/lib/domain/seam/provider';
import type { SourceState } from '@/lib/domain/source-state';
import { createToldBackend, type ToldBackend, worldOf } from './fixture/told-backend';
import { joinBackends, togetherRefused } from './joined-backend';

afterEach(() => void vi.useRealTimers());
const signal = () => AbortSignal.timeout(10_000);

function followed(provider: Provider) {
  const worlds: World[] = [];
  const states: SourceState[] = [];
  const contacts: number[] = [];
  const shared: (SharedWatch | null)[] = [];
  const end = new AbortController();
  const ended = provider.watch(
    {
      world: (world) => void worlds.push(world),
      source: (state) => void states.push(state),
      contact: (atMs) => void contacts.push(atMs),
      shares: (watch) => void shared.push(watch),
    },
    end.signal,
  );
  return {
    worlds,
    states,
    contacts,
    shared,
    keys: () => worlds.at(-1)?.locks.map(({ source, key }) => `${source} ${key}`),
    state: () => states.at(-1),
    ended,
    stop: async () => {
      end.abort();
      await ended;
    },
  };
}

function joined(...told: readonly [ToldBackend, ...ToldBackend[]]) {
  const [first, ...others] = told;
  return joinBackends([first.backend, ...others.map(({ backend }) => backend)]);
}

test('one source is not wrapped', () => {
  const only = createToldBackend('consul');
  expect(joined(only)).toBe(only.backend);
});

test('two sources are one world, sorted, with the same key of both, and unchanged rows and lists keep their identity', async () => {
  const [a, b] = [createToldBackend('consul', { asks: true }), createToldBackend('files')];
  const watch = followed(joined(a, b).provider(null));
  a.world(worldOf('consul', 'x', 'y', '\ue000late'));
  const files = worldOf('files', 'a', 'x');
  b.world(files);
  // By the name of the row: the first source's go by their bare keys.
  expect(watch.keys()).toEqual(['consul x', 'consul y', 'files a', 'files x', 'consul \ue000late']);
  const before = watch.worlds.at(-1);
  b.world({ ...files, locks: [...files.locks] });
  const after = watch.worlds.at(-1);
  expect(after?.locks.every((row, i) => row === before?.locks[i])).toBe(true);
  expect(after?.semaphores).toBe(before?.semaphores);
  await watch.stop();
  expect([a, b].map(({ listeners }) => listeners.size)).toEqual([0, 0]);
});

test('the state is the worst with each beside it, and one source that is down keeps its rows and stops no other', async () => {
  const [a, b] = [createToldBackend('consul', { asks: true }), createToldBackend('files')];
  const watch = followed(joined(a, b).provider(null));
  b.source();
  b.world(worldOf('files', 'b'));
  // Of what was never read nothing is known, but what another source has shown stays on show.
  expect(watch.state()).toMatchObject({ state: 'catching-up', staleSinceMs: 1_000, lastContactMs: null });
  expect(watch.worlds.at(-1)?.scope).toBe('part');
  a.source();
  a.world(worldOf('consul', 'a'));
  expect(watch.state()).toMatchObject({ state: 'live', staleSinceMs: null, title: 'CONSUL, FILES' });
  expect(watch.worlds.at(-1)?.scope).toBe('whole');
  a.source({ state: 'down', staleSinceMs: 900, lastContactMs: 900, problem: { code: 'unavailable' } });
  expect(watch.state()).toMatchObject({ state: 'down', staleSinceMs: 900, problem: { code: 'unavailable' } });
  expect(watch.state()?.parts?.map(({ id, state }) => [id, state])).toEqual([
    ['consul', 'down'],
    ['files', 'live'],
  ]);
  b.world(worldOf('files', 'b', 'c'));
  expect(watch.keys()).toEqual(['consul a', 'files b', 'files c']);
  await watch.stop();
});

test('that the first source has forgotten a credential is told, whatever else is wrong', async () => {
  const [a, b] = [createToldBackend('consul', { asks: true }), createToldBackend('files')];
  const watch = followed(joined(a, b).provider('one'));
  b.source({ state: 'down', problem: { code: 'unavailable' } });
  a.source({ state: 'stale', problem: { code: 'signed-out' } });
  expect(watch.state()).toMatchObject({ state: 'down', problem: { code: 'signed-out' } });
  await watch.stop();
});

test('the last contact is that of the live source that answered longest ago', async () => {
  const [a, b] = [createToldBackend('consul', { asks: true }), createToldBackend('files')];
  const watch = followed(joined(a, b).provider(null));
  a.source();
  b.source();
  a.contact(10);
  expect(watch.contacts).toEqual([]);
  b.contact(20);
  a.contact(30);
  expect(watch.contacts).toEqual([10, 20]);
  a.source({ state: 'down' });
  b.contact(40);
  expect(watch.contacts).toEqual([10, 20, 40]);
  await watch.stop();
});

test('what names a source is asked of that source alone, and of none that is not there', async () => {
  const [a, b] = [createToldBackend('consul', { asks: true }), createToldBackend('files')];
  const provider = joined(a, b).provider(null);
  const release = (source: string) => ({ type: 'lock.release', source, key: 'k', how: 'hand-over' }) as const;
  await provider.plan(release('files'), signal());
  expect([a.asked, b.asked]).toEqual([['access control'], ['plan lock.release']]);
  expect(await provider.plan(release('west'), signal())).toEqual({
    code: 'not-found',
    why: { code: 'no-source', facts: { source: 'west', known: 'consul, files' } },
  });
  // Neither has rights to ask for, so nothing is denied; what is not there is.
  const rights = await provider.rights?.([release('files'), release('west')], signal());
  expect(rights?.map(({ right }) => right)).toEqual(['yes', 'no']);
  // What none of them can be asked is not offered.
  expect(provider.probe).toBeUndefined();
});

test('people sign in to the source that asks, and one watch of the other serves them all', async () => {
  const [files, consul] = [
    createToldBackend('files'),
    createToldBackend('consul', { asks: true, control: 'on' }),
  ];
  const backend = joined(files, consul);
  expect(await backend.accessControl(signal())).toBe('on');
  expect(await backend.signIn('secret', signal())).toMatchObject({ id: 'consul secret' });
  const [one, two] = [followed(backend.provider('one')), followed(backend.provider('two'))];
  expect([files.secrets, consul.secrets]).toEqual([[null], ['one', 'two']]);
  expect([files.begun, consul.begun]).toEqual([1, 2]);
  files.world(worldOf('files', 'f'));
  const late = followed(backend.provider('three'));
  expect([one, two, late].map((watch) => watch.keys())).toEqual(Array(3).fill(['files f']));
  await one.stop();
  await two.stop();
  expect(files.listeners.size).toBe(1);
  await late.stop();
  expect(files.listeners.size).toBe(0);
});

test('whom the first source shows the same has one joined watch, and is alone again with it', async () => {
  const [a, b] = [createToldBackend('consul', { asks: true }), createToldBackend('files')];
  const backend = joined(a, b);
  const [one, two] = [followed(backend.provider('one')), followed(backend.provider('two'))];
  const alike: SharedWatch = {
    id: 'consul',
    watch: async (listener) => void listener.world(worldOf('consul', 's'), 1),
  };
  a.shares(alike);
  expect(one.shared[0]).toBe(two.shared[0]);
  const both = followed(one.shared[0] as Provider);
  b.world(worldOf('files', 'f'));
  expect(both.keys()).toEqual(['consul s', 'files f']);
  a.shares(null);
  expect(one.shared).toHaveLength(2);
  expect(one.shared[1]).toBeNull();
  for (const watch of [one, two, both]) await watch.stop();
});

test('a bug in one watch ends them all with that bug', async () => {
  const [a, b] = [createToldBackend('consul', { asks: true }), createToldBackend('files')];
  const watch = followed(joined(a, b).provider(null));
  b.fail(new Error('a bug'));
  await expect(watch.ended).rejects.toThrow('a bug');
  expect([a, b].map(({ listeners }) => listeners.size)).toEqual([0, 0]);
});

test('a further source that asks for credentials is never shown by the server’s own, also when it begins to ask later', async () => {
  vi.useFakeTimers();
  const [a, b] = [
    createToldBackend('consul', { asks: true, control: 'on' }),
    createToldBackend('west', { asks: true, control: 'unknown' }),
  ];
  const backend = joined(a, b);
  const provider = backend.provider('one');
  const watch = followed(provider);
  const others = ['two', 'three'].map((secret) => followed(backend.provider(secret)));
  await vi.advanceTimersByTimeAsync(3_000);
  expect(b.begun).toBe(0);
  // It is asked for everyone together, however many look.
  expect(b.asked.length).toBeLessThan(10);
  for (const other of others) await other.stop();
  b.control = 'off';
  await vi.advanceTimersByTimeAsync(1_000);
  b.source();
  b.world(worldOf('west', 'w'));
  expect(watch.keys()).toEqual(['west w']);
  b.control = 'unknown';
  await vi.advanceTimersByTimeAsync(10_000);
  // An outage decides nothing.
  expect(watch.keys()).toEqual(['west w']);
  b.control = 'on';
  await vi.advanceTimersByTimeAsync(5_000);
  expect(watch.keys()).toEqual([]);
  expect(b.listeners.size).toBe(0);
  expect(watch.state()?.parts?.[1]).toMatchObject({
    state: 'down',
    problem: { code: 'forbidden', why: { code: 'second-sign-in' } },
  });
  const release = { type: 'lock.release', source: 'west', key: 'k', how: 'hand-over' } as const;
  expect(await provider.plan(release, signal())).toMatchObject({ why: { code: 'second-sign-in' } });
  expect(b.asked.filter((one) => one !== 'access control')).toEqual([]);
  await watch.stop();
});

test('one that is shown by the server’s own is shown only while people sign in, so that no unknown caller looks', async () => {
  vi.useFakeTimers();
  const [a, b] = [
    createToldBackend('consul', { asks: true, control: 'on' }),
    createToldBackend('west', { asks: true, control: 'on' }),
  ];
  const backend = joinBackends([a.backend, b.backend], (id) => (id === 'west' ? 'read' : null));
  const watch = followed(backend.provider('one'));
  await vi.advanceTimersByTimeAsync(10);
  b.source();
  b.world(worldOf('west', 'w'));
  expect(watch.keys()).toEqual(['west w']);
  expect(watch.state()?.parts?.[1]).toMatchObject({ id: 'west', readOnly: true });
  a.control = 'unknown';
  await vi.advanceTimersByTimeAsync(10_000);
  expect(watch.keys()).toEqual(['west w']);
  a.control = 'off';
  await vi.advanceTimersByTimeAsync(5_000);
  expect(watch.keys()).toEqual([]);
  expect(watch.state()?.parts?.[1]).toMatchObject({ problem: { why: { code: 'second-sign-in' } } });
  await watch.stop();
});

test('while people sign in elsewhere, a source that never asked them takes an action only where its operator says so', async () => {
  vi.useFakeTimers();
  const [a, b] = [
    createToldBackend('consul', { asks: true, control: 'unknown' }),
    createToldBackend('redis'),
  ];
  const at = (access: 'act' | null) =>
    joinBackends([a.backend, b.backend], (id) => (id === 'redis' ? access : null)).provider('one');
  const release = { type: 'lock.release', source: 'redis', key: 'k', how: 'hand-over' } as const;
  const whether = async (provider: Provider) => {
    b.asked.splice(0);
    const answers = [await provider.plan(release, signal()), await provider.apply(release, {}, signal())];
    const [right] = (await provider.rights?.([release], signal())) ?? [];
    const refused = answers.every((answer) => 'why' in answer && answer.why?.code === 'source-read-only');
    expect(b.asked).toEqual(refused ? [] : ['plan lock.release', 'apply lock.release']);
    expect(right?.right).toBe(refused ? 'no' : 'yes');
    return refused ? 'read-only' : 'acts';
  };
  const [unset, act] = [at(null), at('act')];
  const watch = followed(unset);
  const shown = async () => {
    await vi.advanceTimersByTimeAsync(3_000);
    return watch.state()?.parts?.[1]?.readOnly ?? false;
  };
  b.source();
  expect([await shown(), await whether(unset), await whether(act)]).toEqual([true, 'read-only', 'acts']);
  a.control = 'on';
  expect([await shown(), await whether(unset), await whether(act)]).toEqual([true, 'read-only', 'acts']);
  a.control = 'off';
  expect([await shown(), await whether(unset), await whether(act)]).toEqual([false, 'acts', 'acts']);
  // An outage changes nothing that was known.
  a.control = 'unknown';
  expect([await shown(), await whether(unset)]).toEqual([false, 'acts']);
  await watch.stop();
});

test('where each is shown a further source by their own credential, no two share a watch, and the weakest word counts for all', async () => {
  const [a, b] = [createToldBackend('consul', { asks: true }), createToldBackend('west', { asks: true })];
  const backend = joinBackends([a.backend, b.backend], (id) => (id === 'west' ? 'token' : null));
  const [one, two] = [followed(backend.provider('one')), followed(backend.provider('two'))];
  expect(b.secrets).toEqual([null, 'one', 'two']);
  expect(b.begun).toBe(2);
  a.shares({ id: 'consul', watch: async () => {} });
  expect([one.shared, two.shared]).toEqual([[], []]);
  b.world(worldOf('west', 'w'));
  b.source({ state: 'stale', problem: { code: 'signed-out' } });
  // A token that is unknown there ends no sign-in here, and takes its rows with it.
  expect(one.state()?.problem?.code).not.toBe('signed-out');
  expect(one.keys()).toEqual([]);
  b.source();
  expect(one.keys()).toEqual(['west w']);
  expect(backend.seesAll).toBe('yes');
  for (const watch of [one, two]) await watch.stop();
});

test('two sources that both ask for credentials end the start, and so does one that stands behind another', async () => {
  const at = (id: string, control: 'on' | 'off' | 'unknown') =>
    createToldBackend(id, { asks: true, control }).backend;
  const files = createToldBackend('files').backend;
  const refused = (...backends: Parameters<typeof togetherRefused>[0]) => togetherRefused(backends, signal());
  const access = (id: string, is: 'token' | 'read', ...backends: Parameters<typeof togetherRefused>[0]) =>
    togetherRefused(backends, signal(), (one) => (one === id ? is : null));
  expect(await refused(at('consul', 'on'), at('west', 'on'), files)).toContain(
    'consul and west both ask for tokens',
  );
  expect(await refused(at('consul', 'off'), at('west', 'on'))).toContain(
    'west asks for tokens, so it must stand before consul',
  );
  expect(await refused(at('consul', 'on'), at('west', 'off'), files)).toBeNull();
  expect(await refused(at('consul', 'unknown'), at('west', 'unknown'))).toBeNull();
  expect(await refused(at('consul', 'on'), files)).toBeNull();
  expect(await access('west', 'read', at('consul', 'on'), at('west', 'on'))).toBeNull();
  expect(await access('west', 'read', at('consul', 'off'), at('west', 'on'))).toContain('must stand before');
  expect(await access('consul', 'read', at('consul', 'on'), files)).toContain('leave it out there');
  expect(await access('files', 'token', at('consul', 'on'), files)).toContain('takes no tokens');
});
