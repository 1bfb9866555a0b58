/** A stage for actions: real agents, real contenders, and the ends of the storyline that every test needs. */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Action } from '@/lib/domain/actions/action';
import type { Outcome } from '@/lib/domain/actions/plan';
import { isProblem, type Problem } from '@/lib/domain/problem';
import type { Planned } from '@/lib/domain/seam/provider';
import { type Actor, createActor } from '@/lib/providers/consul/actions/actions';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import type { KvRow } from '@/lib/providers/consul/client/wire';
import { lockFlags, readCoordination, semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { runConsulLock, type TestConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';

export const signal = () => AbortSignal.timeout(30_000);
/** Whatever it plans, it must take back: no plan may see what `apply` refuses unasked. */
export const actorOn = (client: ConsulClient, roots: readonly string[] = ['']): Actor => {
  const actor = createActor({ client, roots, now: Date.now });
  return {
    ...actor,
    plan: async (action, signal) => {
      const result = await actor.plan(action, signal);
      if (!isProblem(result)) expect(actor.refuses(action, result.expect)).toBeNull();
      return result;
    },
  };
};

/** An id that no session has. */
export const ghost = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;

/** A name that no other test uses. */
export const fresh = (name: string) => `${name}-${randomUUID().slice(0, 8)}`;

export function planned<P extends Planned>(result: P | Problem): P {
  if (isProblem(result)) throw new Error(JSON.stringify(result));
  return result;
}

export function done(result: Outcome | Problem): Outcome {
  if (isProblem(result)) throw new Error(JSON.stringify(result));
  return result;
}

export function problem(result: Planned | Outcome | Problem): Problem {
  if (!isProblem(result)) throw new Error(`Not refused: ${JSON.stringify(result)}`);
  return result;
}

/** Plan and apply, as an operator who decides at once. */
export async function act(client: ConsulClient, action: Action): Promise<Outcome> {
  const actor = actorOn(client);
  return done(await actor.apply(action, planned(await actor.plan(action, signal())).expect, signal()));
}

export async function session(
  client: ConsulClient,
  {
    behavior = 'release',
    lockDelayMs = 0,
    name = 'test session',
  }: { behavior?: 'release' | 'delete'; lockDelayMs?: number; name?: string } = {},
): Promise<string> {
  return client.createSession({ name, ttlMs: null, behavior, lockDelayMs, checks: [] });
}

/** A lock as Go's `api.Lock` makes it. */
export async function heldLock(
  client: ConsulClient,
  options: {
    key?: string;
    lockDelayMs?: number;
    behavior?: 'release' | 'delete';
    flags?: string;
    value?: string;
  } = {},
): Promise<{ key: string; id: string }> {
  const key = options.key ?? fresh('lock');
  const id = await session(client, options);
  expect(
    await client.acquire({
      key,
      value: Buffer.from(options.value ?? 'x'),
      flags: options.flags ?? lockFlags,
      session: id,
    }),
  ).toBe(true);
  return { key, id };
}

/** Writes a coordination entry as it is, byte for byte. */
export async function entry(
  client: ConsulClient,
  prefix: string,
  text: string,
  flags = semaphoreFlags,
): Promise<void> {
  expect(await client.cas({ key: `${prefix}/.lock`, value: Buffer.from(text), flags, index: '0' })).toBe(
    true,
  );
}

/** A session with a contender entry. */
export async function contender(
  client: ConsulClient,
  prefix: string,
  { behavior = 'delete', flags = semaphoreFlags }: { behavior?: 'release' | 'delete'; flags?: string } = {},
): Promise<string> {
  const id = await session(client, { behavior });
  expect(await client.acquire({ key: `${prefix}/${id}`, value: Buffer.from(''), flags, session: id })).toBe(
    true,
  );
  return id;
}

export async function row(client: ConsulClient, key: string): Promise<KvRow> {
  const { value } = await client.get(key, { consistency: 'consistent' });
  if (value === null) throw new Error(`${key} is not there.`);
  return value;
}

export const textOf = async (client: ConsulClient, key: string) => (await row(client, key)).value.toString();

/** The recorded holders; `[]` when there is no coordination entry. */
export async function recorded(client: ConsulClient, prefix: string): Promise<readonly string[]> {
  const { value } = await client.get(`${prefix}/.lock`, { consistency: 'consistent' });
  return value === null ? [] : (readCoordination(value.value).holders ?? []);
}

/** So many real `consul lock -n=<n>` processes; resolves when as many hold as can. */
export async function crowd(
  consul: TestConsul,
  client: ConsulClient,
  prefix: string,
  { n, size }: { n: number; size: number },
) {
  const processes = Array.from({ length: size }, () =>
    // Without -verbose it says nothing when it loses its slot.
    runConsulLock(consul, { n, prefix, command: 'echo started; exec sleep 600', args: ['-verbose'] }),
  );
  await until(async () => (await recorded(client, prefix)).length === Math.min(n, size), {
    what: 'slots are taken',
  });
  await until(
    async () =>
      (await client.list(prefix)).value.filter((r) => r.session !== null).length === size &&
      processes.filter((p) => p.output().includes('started')).length === Math.min(n, size),
    { what: 'everyone contends' },
  );
  return processes;
}

/** As the prefix says who holds and who waits, exact flags everywhere. */
export async function expectExact(client: ConsulClient, prefix: string): Promise<void> {
  for (const r of (await client.list(`${prefix}/`, { consistency: 'consistent' })).value)
    expect(`${r.key} ${r.flags}`).toBe(`${r.key} ${semaphoreFlags}`);
}
