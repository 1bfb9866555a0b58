/** Entries on each term, without a Consul: the hold comes when the test says so. */
import { expect, test } from 'vitest';
import type { Hold } from './hold';
import { Reentry, type Terms } from './reentry';

const waits = (signal = new AbortController().signal): Terms => ({ once: false, signal });
const once: Terms = { once: true, signal: new AbortController().signal };
const none = () => Promise.resolve(null);

/** A `take` that gets its hold, or not, on demand; `released`: how often it was given back. */
function taking(lost = new AbortController().signal) {
  let get = (_: Hold) => {};
  let fail = (_: Error) => {};
  const promise = new Promise<Hold>((resolve, reject) => {
    [get, fail] = [resolve, reject];
  });
  const taken = { released: 0, times: 0 };
  const release = async () => {
    taken.released += 1;
  };
  const hold = { key: 'k', session: 's', fencingToken: 1n, lost, release };
  const take = () => {
    taken.times += 1;
    return promise;
  };
  return { take, taken, get: () => get(hold as unknown as Hold), fail };
}

test('an attempt does not wait behind an earlier caller of its key who does', async () => {
  const reentry = new Reentry();
  const { take, get } = taking();
  const waiting = reentry.enter('me', waits(), take);
  expect(await reentry.enter('me', once, none)).toBeNull();
  get();
  expect(await waiting).not.toBeNull();
  // The hold is entered.
  expect(await reentry.enter('me', once, none)).not.toBeNull();
  expect(reentry.count('me')).toBe(2);
});

test('two attempts of one key at one time are one, and both are inside', async () => {
  const reentry = new Reentry();
  const { take, taken, get } = taking();
  const both = [reentry.enter('me', once, take), reentry.enter('me', once, take)];
  get();
  for (const one of await Promise.all(both)) await one?.release();
  expect(taken).toEqual({ times: 1, released: 1 });
});

test('a caller that gives up beside an earlier one of its key ends alone, and is not counted as inside', async () => {
  const reentry = new Reentry();
  const { take, taken, get } = taking();
  const patience = new AbortController();
  const waiting = reentry.enter('me', waits(), take);
  const impatient = reentry.enter('me', waits(patience.signal), none);
  const gaveUp = expect(impatient).rejects.toThrow('enough');
  patience.abort(new Error('enough'));
  await gaveUp;
  expect(reentry.count('me')).toBe(0);
  get();
  const hold = await waiting;
  expect(reentry.count('me')).toBe(1);
  await hold?.release();
  expect(taken.released).toBe(1);
});

test('a caller that gave up before it asked rejects, and leaves nothing', async () => {
  const reentry = new Reentry();
  const { take, taken, get } = taking();
  const waiting = reentry.enter('me', waits(), take);
  await expect(reentry.enter('me', waits(AbortSignal.abort(new Error('enough'))), none)).rejects.toThrow(
    'enough',
  );
  get();
  await (await waiting)?.release();
  expect(taken.released).toBe(1);
});

test('a caller that gives up just as the hold comes leaves it to be given back once', async () => {
  for (const order of ['get first', 'abort first']) {
    const reentry = new Reentry();
    const { take, taken, get } = taking();
    const patience = new AbortController();
    const first = reentry.enter('me', waits(), take);
    const second = reentry.enter('me', waits(patience.signal), none).catch(() => null);
    if (order === 'get first') get();
    patience.abort(new Error('enough'));
    get();
    for (const one of await Promise.all([first, second])) await one?.release();
    expect([order, taken.released]).toEqual([order, 1]);
  }
});

test('where the earlier caller fails, only it rejects, and the others try on their own', async () => {
  const reentry = new Reentry();
  const [one, two] = [taking(), taking()];
  const first = reentry.enter('me', waits(), one.take);
  const second = reentry.enter('me', waits(), two.take);
  const failed = expect(first).rejects.toThrow('no Consul');
  one.fail(new Error('no Consul'));
  await failed;
  two.get();
  expect(await second).not.toBeNull();
  expect(two.taken.times).toBe(1);
});

test('a hold that is lost before anyone is inside is given back, and each caller enters another', async () => {
  const reentry = new Reentry();
  const [lost, next] = [taking(AbortSignal.abort()), taking()];
  const both = [
    reentry.enter('me', waits(), () => (lost.taken.times === 0 ? lost.take() : next.take())),
    reentry.enter('me', waits(), next.take),
  ];
  lost.get();
  next.get();
  for (const one of await Promise.all(both)) await one?.release();
  expect([lost.taken, next.taken]).toEqual([
    { times: 1, released: 1 },
    { times: 1, released: 1 },
  ]);
});
