/**
 * Consul collects the tombstone of a deleted key after fifteen minutes, which no setting shortens, and the index of its
 * prefix falls. Only runs of an hour play this fault, or runs that name it.
 */
import type { Fault } from '@/quality/chaos/fault';
import { agent, type Ground } from '@/quality/chaos/ground';
import { lockFlags } from '@/quality/chaos/reader';
import type { Stage } from '@/quality/chaos/stage';

/** A prefix without other writes, whose rising index would hide the fall. */
const prefix = 'quiet/';
const minuteMs = 60_000;

const quiet: Ground = {
  name: 'one agent, and a prefix that is quiet',
  // Each prefix has queries of its own.
  env: { SIGNALBOX_PREFIXES: `chaos/,world/,${prefix}` },
  raise: agent.raise,
};

const ask = async (stage: Stage, method: string, path: string, body?: string) => {
  const url = `http://${stage.addresses[0]}/v1/${path}`;
  const signal = AbortSignal.timeout(10_000);
  const headers = { 'x-consul-token': stage.tokens.management };
  const response = await fetch(url, { method, headers, signal, ...(body === undefined ? {} : { body }) });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
  return { text: await response.text(), index: BigInt(response.headers.get('x-consul-index') ?? 0) };
};
/** A lock that is held until the data is gone. */
const lock = async (stage: Stage, name: string) => {
  const terms = { Name: 'chaos quiet', Behavior: 'release', LockDelay: '0s', Checks: [], NodeChecks: [] };
  const { text } = await ask(stage, 'PUT', 'session/create', JSON.stringify(terms));
  const { ID } = JSON.parse(text) as { ID: string };
  await ask(stage, 'PUT', `kv/${prefix}${name}?acquire=${ID}&flags=${lockFlags}`, name);
};
const indexOf = async (stage: Stage) => (await ask(stage, 'GET', `kv/${prefix}?recurse`)).index;

const indexBefore = new Map<object, bigint>();
const collected: Fault = {
  name: 'tombstones-collected',
  title: 'What a deleted key left behind is collected after 15 minutes: the index of its prefix falls',
  ground: quiet,
  hits: 'console',
  lastsMs: [16 * minuteMs, 16 * minuteMs],
  minutesMin: 60,
  inject: async (stage) => {
    await lock(stage, 'kept');
    await lock(stage, 'gone');
    await ask(stage, 'DELETE', `kv/${prefix}gone`);
    indexBefore.set(stage, await indexOf(stage));
  },
  mend: async (stage) => {
    const before = indexBefore.get(stage) ?? 0n;
    indexBefore.delete(stage);
    const after = await indexOf(stage);
    stage.say(`   the index of ${prefix} was ${before} and is ${after}`);
    if (after >= before) throw new Error('nothing was collected');
    // The next change must show, because a query that still waits for the old index would sleep.
    await lock(stage, 'next');
  },
};

export const tombstoneFaults: readonly Fault[] = [collected];
