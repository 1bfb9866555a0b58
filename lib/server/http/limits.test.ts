import { describe, expect, test } from 'vitest';
import type { Identity } from '@/lib/domain/identity';
import { HttpProblem } from './http';
import { type Budget, budgets, createLimits, networkOf, refusedFree } from './limits';

const anonymous: Identity = { kind: 'anonymous' };
const person = (n: number): Identity => ({ kind: 'token', id: `accessor-${n}`, name: `person ${n}` });
const office = '192.0.2.1';

async function passed(count: number, take: () => Promise<void>): Promise<number> {
  let through = 0;
  for (let n = 0; n < count; n += 1)
    await take().then(
      () => {
        through += 1;
      },
      (error: unknown) => expect(error).toBeInstanceOf(HttpProblem),
    );
  return through;
}

describe('200 people behind one address can work', () => {
  /** The requests of 200 browsers at once after a restart, and in the rest of that window. */
  const atOnce: Readonly<
    Record<Exclude<Budget, 'refused' | 'sign-in' | 'token' | 'embed' | 'frame'>, number>
  > = {
    read: 5,
    write: 2,
    stream: 3,
  };
  test.each(Object.entries(atOnce) as [Budget, number][])('%s, signed in', async (budget, times) => {
    const limits = createLimits();
    for (let n = 0; n < 200; n += 1)
      expect(await passed(times, () => limits.take(budget, { identity: person(n), address: office }))).toBe(
        times,
      );
  });
  test.each(Object.entries(atOnce) as [Budget, number][])('%s, as strangers', async (budget, times) => {
    const limits = createLimits();
    expect(
      await passed(200 * times, () => limits.take(budget, { identity: anonymous, address: office })),
    ).toBe(200 * times);
  });
  test('and sign in within ten minutes, one in ten of them mistyping once', async () => {
    const limits = createLimits();
    for (let n = 0; n < 220; n += 1) {
      await limits.take('sign-in', { identity: anonymous, address: office });
      if (n % 11 === 0) await limits.refused({ address: office });
    }
  });
});

describe('one person in a loop', () => {
  test.each(['read', 'write', 'stream'] as const)(
    '%s: ends at their own budget, and leaves the others theirs',
    async (budget) => {
      const limits = createLimits();
      const own = budgets[budget].person ?? 0;
      expect(
        await passed(own * 25, () => limits.take(budget, { identity: person(1), address: office })),
      ).toBe(own);
      expect(await passed(own, () => limits.take(budget, { identity: person(2), address: office }))).toBe(
        own,
      );
      expect(await passed(1, () => limits.take(budget, { identity: anonymous, address: office }))).toBe(1);
    },
  );
  test('continues nowhere by moving to another address', async () => {
    const limits = createLimits();
    const own = budgets.write.person ?? 0;
    await passed(own, () => limits.take('write', { identity: person(1), address: office }));
    const elsewhere = { identity: person(1), address: '198.51.100.7' };
    expect(await passed(1, () => limits.take('write', elsewhere))).toBe(0);
  });
  test('a stranger in a loop takes nothing from those who signed in, nor from another address', async () => {
    const limits = createLimits();
    await passed(budgets.write.strangers + 100, () =>
      limits.take('write', { identity: anonymous, address: office }),
    );
    expect(await passed(1, () => limits.take('write', { identity: anonymous, address: office }))).toBe(0);
    expect(await passed(1, () => limits.take('write', { identity: person(1), address: office }))).toBe(1);
    expect(
      await passed(1, () => limits.take('write', { identity: anonymous, address: '198.51.100.7' })),
    ).toBe(1);
  });
});

test('a refused client learns for how long, as a problem and as a header', async () => {
  const limits = createLimits();
  await passed(budgets.write.person ?? 0, () =>
    limits.take('write', { identity: person(1), address: office }),
  );
  const error: unknown = await limits
    .take('write', { identity: person(1), address: office })
    .catch((e: unknown) => e);
  expect(error).toMatchObject({
    httpStatus: 429,
    headers: { 'retry-after': expect.stringMatching(/^([1-9]|10)$/) },
    problem: { code: 'busy', why: { code: 'too-often' } },
  });
});

describe('credentials that are refused', () => {
  const waitOf = async (limits: ReturnType<typeof createLimits>) => {
    const error: unknown = await limits
      .take('sign-in', { identity: anonymous, address: office })
      .catch((e: unknown) => e);
    return error instanceof HttpProblem ? Number(error.headers['retry-after']) : 0;
  };
  test('the pause grows with each, and never beyond a minute', async () => {
    const limits = createLimits();
    for (let n = 0; n < refusedFree; n += 1) await limits.refused({ address: office });
    expect(await waitOf(limits)).toBe(0);
    const waits: number[] = [];
    for (let n = 0; n < 40; n += 1) {
      await limits.refused({ address: office });
      waits.push(await waitOf(limits));
    }
    expect(waits.slice(0, 8)).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    expect(Math.max(...waits)).toBe(60);
  });
  test('they pause sign-in at that address alone, and no signed-in person', async () => {
    const limits = createLimits();
    for (let n = 0; n < refusedFree + 10; n += 1) await limits.refused({ address: office });
    expect(await waitOf(limits)).toBeGreaterThan(0);
    await limits.take('sign-in', { identity: anonymous, address: '198.51.100.7' });
    await limits.take('read', { identity: person(1), address: office });
    await limits.take('read', { identity: anonymous, address: office });
  });
  const program = (credential: string) => ({ identity: anonymous, address: office, credential });
  /** Two tokens must not share a counter by chance: 22 of them in 65,536 do in one run of 300. */
  const apart = { countersMax: 2 ** 32 };
  test('many different tokens pause programs at their address, and keep no person from signing in', async () => {
    const limits = createLimits(apart);
    const guess = (n: number) => limits.refused(program(`guess-${n}`), 'token');
    for (let n = 0; n < refusedFree; n += 1) await guess(n);
    expect(await passed(1, () => limits.take('token', program('unseen')))).toBe(1);
    for (let n = refusedFree; n < refusedFree + 10; n += 1) await guess(n);
    expect(await passed(1, () => limits.take('token', program('unseen')))).toBe(0);
    expect(await waitOf(limits)).toBe(0);
  });
  test('one stale token that is repeated waits alone: other tokens of its address are checked', async () => {
    const limits = createLimits(apart);
    for (let n = 0; n < 500; n += 1) await limits.refused(program('stale'), 'token');
    expect(await passed(1, () => limits.take('token', program('stale')))).toBe(0);
    expect(await passed(95, () => limits.take('token', program('another')))).toBe(95);
    // The program counts against its address once, like one guess.
    for (let n = 0; n < refusedFree - 1; n += 1) await limits.refused(program(`guess-${n}`), 'token');
    expect(await passed(1, () => limits.take('token', program('another')))).toBe(1);
    await limits.refused(program('one guess more'), 'token');
    expect(await passed(1, () => limits.take('token', program('another')))).toBe(0);
  });
});

test('one network of IPv6 is one counter, however many addresses it uses; a mapped IPv4 address is itself', () => {
  expect(networkOf('2001:db8:1:2:3:4:5:6')).toBe(networkOf('2001:db8:1:2::ffff'));
  expect(networkOf('2001:0DB8:0001:0002::1')).toBe(networkOf('2001:db8:1:2:aaaa:bbbb:cccc:dddd'));
  expect(networkOf('2001:db8:1:3::1')).not.toBe(networkOf('2001:db8:1:2::1'));
  expect(networkOf('fe80::1%eth0')).toBe(networkOf('fe80::2'));
  expect(networkOf('::1')).toBe('0:0:0:0');
  expect(networkOf('::ffff:192.0.2.1')).toBe('192.0.2.1');
});

test('memory is bounded: however many names there are, they share a fixed number of counters', async () => {
  const size = { person: 3, people: 3, strangers: 3, seconds: 60 };
  const sizes = {
    read: size,
    write: size,
    stream: size,
    refused: size,
    'sign-in': size,
    token: size,
    embed: size,
    frame: size,
  };
  const limits = createLimits({ sizes, countersMax: 4 });
  let name = 0;
  const next = () => {
    name += 1;
    return limits.take('embed', { identity: anonymous, address: `name-${name}` });
  };
  expect(await passed(1_000, next)).toBe(4 * 3);
});
