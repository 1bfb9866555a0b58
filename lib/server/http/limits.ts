/**
 * Limits requests and processor time per person and address, far above human use and below a script in a loop.
 *
 * All named people at one address share a budget beside their own, and strangers share the budget of their address. So
 * a person's loop ends at that person's budget, a twentieth of the address's, and a stranger's loop costs signed-in
 * people nothing. Address budgets fit 200 people.
 *
 * Names and addresses hash into a fixed number of counters. The salt is per process, so that no client can choose a
 * counter to share.
 */
import { AsyncResource } from 'node:async_hooks';
import { createHmac, randomBytes } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Identity } from '@/lib/domain/identity';
import { HttpProblem } from './http';

/**
 * - `embed`: any request of an embed.
 * - `frame`: the look-up of allowed frames, before each answer.
 * - `refused`: reading the body of a refused request, for the record; counted apart, as any foreign page can cause it.
 * - `sign-in`: the check of a person's token.
 * - `token`: the check of a program's token, with each request.
 */
export type Budget = 'read' | 'write' | 'stream' | 'refused' | 'sign-in' | 'token' | 'embed' | 'frame';
/** Separate, so that a program with an old token does not keep people from signing in. */
export type Checked = Extract<Budget, 'sign-in' | 'token'>;

export interface Asker {
  readonly identity: Identity;
  /** `null`: unknown; all unknown addresses share one counter. */
  readonly address: string | null;
  /** The `credentialName`, for the budget `token`. */
  readonly credential?: string;
}

export interface Limits {
  /** Throws as `take` does once the processor time is used up. */
  requireLeft(asker: Asker): Promise<void>;
  /** Counts processor time. */
  spend(asker: Asker, ms: number): Promise<void>;
  /** Counts one request. Throws an `HttpProblem` of status 429 (`too-often`) beyond the budget. */
  take(budget: Budget, asker: Asker): Promise<void>;
  /**
   * After a few refusals `take` throws for this address: for 1 s, then doubling up to 1 min, as innocent people may
   * share it. A `credential` refused again is a forgotten program, and only that one waits.
   */
  refused(asker: Pick<Asker, 'address' | 'credential'>, checked?: Checked): Promise<void>;
}

interface Size {
  /** Within `seconds`, for one named person; `null`: no names are known yet. */
  readonly person: number | null;
  /** The budget of all named people at one address. */
  readonly people: number;
  /** The budget of all strangers at one address. */
  readonly strangers: number;
  readonly seconds: number;
}

/** `limits.test.ts` tries each with 200 people behind one address. */
export const budgets: Readonly<Record<Budget, Size>> = {
  read: { person: 300, people: 6_000, strangers: 6_000, seconds: 10 },
  write: { person: 300, people: 6_000, strangers: 1_200, seconds: 10 },
  refused: { person: null, people: 120, strangers: 120, seconds: 10 },
  // A refused browser retries after 1 s, then less often.
  stream: { person: 60, people: 1_200, strangers: 1_200, seconds: 60 },
  'sign-in': { person: null, people: 300, strangers: 300, seconds: 600 },
  token: { person: null, people: 6_000, strangers: 6_000, seconds: 10 },
  embed: { person: null, people: 6_000, strangers: 6_000, seconds: 60 },
  frame: { person: null, people: 6_000, strangers: 6_000, seconds: 60 },
};

/** Milliseconds within `seconds`. After a restart 200 people load pages at once. */
export const costs: Size = { person: 12_000, people: 40_000, strangers: 40_000, seconds: 60 };

/** Refusals before the address must wait, and the time for which they count. */
export const refusedFree = 20;
const refusedSeconds = 900;
const pauseSecondsMax = 60;

const countersMaxDefault = 65_536;

/** One IPv6 network is one customer. */
export function networkOf(address: string | null): string {
  if (address === null) return 'unknown';
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  const [head = '', tail = ''] = address.toLowerCase().replace(/%.*$/, '').split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0');
  return [...left, ...zeros, ...right]
    .slice(0, 4)
    .map((part) => part.replace(/^0+(?=.)/, ''))
    .join(':');
}

const nameOf = (identity: Identity): string | null =>
  identity.kind === 'token'
    ? `token ${identity.id}`
    : identity.kind === 'proxy'
      ? `proxy ${identity.name}`
      : null;

/** One person, or all strangers of one address. */
export const clientOf = ({ identity, address }: Asker): string =>
  nameOf(identity) ?? `address ${networkOf(address)}`;

/** 429, with `retry-after`. */
export function tooOften(retryAfterMs: number): HttpProblem {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  return new HttpProblem(
    { code: 'busy', why: { code: 'too-often', facts: { retryAfterMs: seconds * 1000 } } },
    429,
    { 'retry-after': String(seconds) },
  );
}

/** `countersMax`: for each budget. */
export function createLimits({
  sizes = budgets,
  cost = costs,
  countersMax = countersMaxDefault,
}: {
  sizes?: Readonly<Record<Budget, Size>>;
  cost?: Size;
  countersMax?: number;
} = {}): Limits {
  const salt = randomBytes(16);
  const fold = (name: string) =>
    String(createHmac('sha256', salt).update(name).digest().readUInt32BE(0) % countersMax);
  const counter = (points: number, seconds: number) => {
    const limiter = new RateLimiterMemory({ points, duration: seconds });
    return async (name: string) => {
      try {
        await limiter.consume(fold(name));
      } catch (error) {
        if (error instanceof RateLimiterRes) throw tooOften(error.msBeforeNext);
        throw error;
      }
    };
  };
  const counters = new Map(
    (Object.entries(sizes) as [Budget, Size][]).map(([budget, { person, people, strangers, seconds }]) => [
      budget,
      {
        person: person === null ? null : counter(person, seconds),
        people: counter(people, seconds),
        strangers: counter(strangers, seconds),
      },
    ]),
  );
  const meter = (points: number | null) =>
    points === null ? null : { points, spent: new RateLimiterMemory({ points, duration: cost.seconds }) };
  const meters = { person: meter(cost.person), people: meter(cost.people), strangers: meter(cost.strangers) };
  const metersOf = ({ identity, address }: Asker) => {
    const name = nameOf(identity);
    const network = networkOf(address);
    const all =
      name === null
        ? [[meters.strangers, network]]
        : [
            [meters.person, name],
            [meters.people, network],
          ];
    return (all as [ReturnType<typeof meter>, string][]).flatMap(([one, of]) =>
      one === null ? [] : [{ ...one, key: fold(of) }],
    );
  };
  const waits = () => ({
    refusals: new RateLimiterMemory({ points: refusedFree, duration: refusedSeconds }),
    pauses: new RateLimiterMemory({ points: 0, duration: pauseSecondsMax }),
  });
  type Waits = ReturnType<typeof waits>;
  const waiting: Readonly<Record<Checked, Waits>> = { 'sign-in': waits(), token: waits() };
  const stale = waits();
  const requireNoPause = async ({ pauses }: Waits, name: string) => {
    const pause = await pauses.get(fold(name));
    if (pause !== null && pause.msBeforeNext > 0) throw tooOften(pause.msBeforeNext);
  };
  /** Returns the number of refusals. */
  const penalise = async ({ refusals, pauses }: Waits, name: string) => {
    const key = fold(name);
    const { consumedPoints } = await refusals.penalty(key);
    const beyond = consumedPoints - refusedFree;
    if (beyond > 0) await pauses.block(key, Math.min(pauseSecondsMax, 2 ** Math.min(beyond - 1, 16)));
    return consumedPoints;
  };

  // A counter's timer would keep the request that set it for minutes.
  return {
    take: AsyncResource.bind(async (budget, { identity, address, credential }) => {
      const network = networkOf(address);
      if (budget === 'sign-in' || budget === 'token') await requireNoPause(waiting[budget], network);
      if (credential !== undefined) await requireNoPause(stale, credential);
      const name = nameOf(identity);
      const { person, people, strangers } = counters.get(budget) as NonNullable<
        ReturnType<typeof counters.get>
      >;
      if (name === null) return strangers(network);
      // Requests refused there cost the others at this address nothing.
      await person?.(name);
      return people(network);
    }),
    requireLeft: async (asker) => {
      for (const { points, spent, key } of metersOf(asker)) {
        const so = await spent.get(key);
        if (so !== null && so.consumedPoints >= points) throw tooOften(so.msBeforeNext);
      }
    },
    spend: AsyncResource.bind(async (asker, ms) => {
      for (const { spent, key } of metersOf(asker)) await spent.penalty(key, ms);
    }),
    refused: AsyncResource.bind(async ({ address, credential }, checked = 'sign-in') => {
      const times = credential === undefined ? 1 : await penalise(stale, credential);
      if (times === 1) await penalise(waiting[checked], networkOf(address));
    }),
  };
}
