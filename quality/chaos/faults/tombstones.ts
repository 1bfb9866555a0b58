/**
 * The trace of a deleted key is collected after fifteen minutes (no setting of Consul's shortens it), and the index of
 * its prefix falls. This is the only fault with a wait, so it is played in runs of an hour, or on request.
 */
import type { Fault } from '@/quality/chaos/fault';
import { agent, type Ground } from '@/quality/chaos/ground';
import { lockFlags } from '@/quality/chaos/reader';
import type { Stage } from '@/quality/chaos/stage';

/** No other writes here: a rising index hides that it has fallen. */
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
/** A held lock, for as long as the data lives. */
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
    // The next change must be seen: a query that still waited for the old index would sleep.
    await lock(stage, 'next');
  },
};

export const tombstoneFaults: readonly Fault[] = [collected];
