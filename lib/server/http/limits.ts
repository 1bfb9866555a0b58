/**
 * How often one person and one address may ask, and how much processor time their answers may take. The budgets are far above what people do, and below what a script in
 * a loop does.
 *
 * Whoever is known by name is counted by name, and then among all the named people at their address; whoever is not is counted by
 * address alone. So a person's loop ends at that person's own budget, a twentieth of the address's, and a
 * stranger's loop takes nothing from those who signed in. Behind a proxy that is not trusted everybody has the proxy's
 * address: budgets of addresses are therefore made for 200 people.
 *
 * Memory is bounded by construction: names and addresses are folded into a fixed number of counters, by a digest with a
 * salt of this process, so that nobody can choose whose counter to share.
 */
import { AsyncResource } from 'node:async_hooks';
import { createHmac, randomBytes } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Identity } from '@/lib/domain/identity';
import { HttpProblem } from './http';

/**
 * What is asked for. `embed`: anything that an embed asks for; `frame`: who may frame it, which is looked up for each
 * answer before it is made; `refused`: the body of somebody who was turned away is read, for the record, and apart from what they
 * may ask, as any page of another site can bring that about; `sign-in`: a person's token is to be checked; `token`: a
 * program's, which comes with each of its requests.
 */
export type Budget = 'read' | 'write' | 'stream' | 'refused' | 'sign-in' | 'token' | 'embed' | 'frame';
/** Where credentials are looked at. Apart, so that a program with an old token does not keep people from signing in. */
export type Checked = Extract<Budget, 'sign-in' | 'token'>;

export interface Asker {
  readonly identity: Identity;
  /** `null`: not known, and then all such share one counter. */
  readonly address: string | null;
  /** For the budget `token`: the name of the credential to check (`credentialName`). */
  readonly credential?: string;
}

export interface Limits {
  /** Throws as `take` does, for one whose answers have taken as much processor time as they may. */
  requireLeft(asker: Asker): Promise<void>;
  /** An answer to this asker has taken so much processor time. */
  spend(asker: Asker, ms: number): Promise<void>;
  /** Counts one request. Throws an `HttpProblem` of status 429 (`too-often`) beyond the budget. */
  take(budget: Budget, asker: Asker): Promise<void>;
  /**
   * A credential was refused. Beyond a few of these the address waits before another is looked at (`take` throws):
   * one second, then twice as long each time, up to a minute. It never grows beyond, as others may share the address.
   * A `credential` that is refused again is a forgotten program, not a guess: then only that credential waits.
   */
  refused(asker: Pick<Asker, 'address' | 'credential'>, checked?: Checked): Promise<void>;
}

interface Size {
  /** Requests, or milliseconds, within `seconds`, of one person who is known by name; `null`: nobody is, yet. */
  readonly person: number | null;
  /** Of all the people known by name at one address together. */
  readonly people: number;
  /** Of all strangers at one address together. */
  readonly strangers: number;
  readonly seconds: number;
}

/** Each is tried in `limits.test.ts` with what 200 people behind one address do. */
export const budgets: Readonly<Record<Budget, Size>> = {
  read: { person: 300, people: 6_000, strangers: 6_000, seconds: 10 },
  write: { person: 300, people: 6_000, strangers: 1_200, seconds: 10 },
  refused: { person: null, people: 120, strangers: 120, seconds: 10 },
  // A browser that is turned away tries again every second, then more seldom.
  stream: { person: 60, people: 1_200, strangers: 1_200, seconds: 60 },
  'sign-in': { person: null, people: 300, strangers: 300, seconds: 600 },
  token: { person: null, people: 6_000, strangers: 6_000, seconds: 10 },
  embed: { person: null, people: 6_000, strangers: 6_000, seconds: 60 },
  frame: { person: null, people: 6_000, strangers: 6_000, seconds: 60 },
};

/**
 * Processor time of their answers within `seconds`, in milliseconds. When the server comes back 200 people load their pages at once;
 * a program in a loop takes as much in a minute by itself.
 */
export const costs: Size = { person: 12_000, people: 40_000, strangers: 40_000, seconds: 60 };

/** Refused credentials from one address before it has to wait, and for how long they are remembered. */
export const refusedFree = 20;
const refusedSeconds = 900;
const pauseSecondsMax = 60;

const countersMaxDefault = 65_536;

/** One network of IPv6 is one customer: its addresses are as many as its owner likes. */
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

/** One person, or the strangers of one address together. */
export const clientOf = ({ identity, address }: Asker): string =>
  nameOf(identity) ?? `address ${networkOf(address)}`;

/** 429, with when to come again. */
export function tooOften(retryAfterMs: number): HttpProblem {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  return new HttpProblem(
    { code: 'busy', why: { code: 'too-often', facts: { retryAfterMs: seconds * 1000 } } },
    429,
    { 'retry-after': String(seconds) },
  );
}

/** `countersMax`: of each budget. */
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
  /** The meters that count this asker, each with the name by which it does. */
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
  /** Counts a refusal and returns how many there were. */
  const penalise = async ({ refusals, pauses }: Waits, name: string) => {
    const key = fold(name);
    const { consumedPoints } = await refusals.penalty(key);
    const beyond = consumedPoints - refusedFree;
    if (beyond > 0) await pauses.block(key, Math.min(pauseSecondsMax, 2 ** Math.min(beyond - 1, 16)));
    return consumedPoints;
  };

  // Each counter has a timer, which would keep the request that set it for as long, with all that was sent: minutes, by anybody.
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
      // First their own: what is turned away there takes nothing from the others at this address.
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
