/**
 * A person who acts through Signalbox all along, one action at a time, and compares what they were told with what Consul
 * says when asked past Signalbox.
 *
 * Three deeds in turn: a limit is set to a number that was never used before, a session of our own is ended, and a holder
 * of the contended semaphore is evicted. For the first two nobody else writes what they write, so that every effect in
 * Consul is this person's.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Action, Expect } from '@/lib/domain/action';
import { within } from '@/lib/server/within';
import type { FaultProxy } from '@/test/support/fault-proxy';
import { until } from '@/test/support/until';
import { pool } from './contenders';
import type { Chance } from './fault';
import { coordinationOf, lockFlags, type Reader, semaphoreFlags, type Truth } from './reader';

export const limitPrefix = 'chaos/limit';
const limitKey = `${limitPrefix}/.lock`;
const everyMs = 600;

export interface Deed {
  /** When its plan was asked for, and when it was answered; instants of `performance.now()`. */
  readonly atMs: number;
  readonly answeredMs: number;
  readonly action: Action;
  /** `done`; or the code of a problem; `no-answer` when Signalbox gave none. */
  readonly told: string;
  /** What Consul said afterwards: whether its effect was there. */
  readonly seen: boolean;
  /** Requests that carried its write to Consul; more than one would be a write sent twice. */
  readonly sent: number;
}

export interface Operator {
  /** What was applied, the oldest first. Requests that were refused while planning are counted only. */
  readonly deeds: readonly Deed[];
  readonly refusedPlans: number;
  /** Sessions that were evicted or destroyed, or may have been. */
  readonly evicted: ReadonlySet<string>;
  /** Limits that were refused, and so must never appear. */
  readonly refusedLimits: ReadonlySet<number>;
  stop(): Promise<void>;
}

interface Answer {
  readonly code?: string;
  readonly expect?: Expect;
  readonly outcome?: { readonly done: boolean };
}

/** Acts from now on, through every outage. */
export function startOperator({
  baseUrl,
  addresses,
  token,
  proxy,
  reader,
  chance,
}: {
  baseUrl: string;
  addresses: readonly string[];
  token: string | null;
  proxy: FaultProxy;
  reader: Reader;
  chance: Chance;
}): Operator {
  const end = new AbortController();
  const deeds: Deed[] = [];
  const evicted = new Set<string>();
  const refusedLimits = new Set<number>();
  let refusedPlans = 0;
  let limit = 10;

  /** Directly to Consul, to set a scene. */
  const put = async (path: string, body: string) => {
    const headers = new Headers(token === null ? {} : { 'x-consul-token': token });
    const signal = within(3_000, end.signal);
    const url = `http://${addresses.at(-1)}/v1/${path}`;
    const response = await fetch(url, { method: 'PUT', body, headers, signal });
    if (!response.ok) throw new Error(`${response.status}`);
    return (await response.text()).trim();
  };
  const post = async (body: object): Promise<Answer | null> => {
    try {
      const response = await fetch(`${baseUrl}/api/v1/actions`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(token === null ? {} : { 'x-consul-token': token }),
        },
        body: JSON.stringify({ reason: 'chaos', ...body }),
        signal: within(90_000, end.signal),
      });
      return (await response.json()) as Answer;
    } catch {
      return null;
    }
  };
  /** Plans and applies; `null` when it was refused as a plan, and so nothing may have been written. */
  const act = async (
    action: Action,
    { mark, happened }: { mark: RegExp; happened: (truth: Truth) => boolean },
  ): Promise<Deed | null> => {
    const atMs = performance.now();
    const planned = await post({ mode: 'plan', action });
    if (planned?.expect === undefined) {
      refusedPlans += 1;
      return null;
    }
    const before = proxy.writes.length;
    const answer = await post({ mode: 'apply', action, expect: planned.expect });
    const answeredMs = performance.now();
    end.signal.throwIfAborted();
    const told = answer === null ? 'no-answer' : (answer.code ?? (answer.outcome?.done ? 'done' : 'partly'));
    const seen = happened(await reader.patientTruth(end.signal));
    const sent = proxy.writes.slice(before).filter((line) => mark.test(line)).length;
    const deed = { atMs, answeredMs, action, told, seen, sent };
    deeds.push(deed);
    return deed;
  };
  const limitIn = ({ entries }: Truth) =>
    coordinationOf(entries.find(({ key }) => key === limitKey)?.value ?? '')?.limit ?? null;

  const resize = async () => {
    if (limitIn(await reader.truth()) === null) {
      // A number of its own again: the one before may have been refused.
      limit += 1;
      await put(`kv/${limitKey}?cas=0&flags=${semaphoreFlags}`, `{"Limit":${limit},"Holders":{}}`);
    }
    limit += 1;
    const wanted = limit;
    const action: Action = { type: 'semaphore.resize', prefix: limitPrefix, limit: wanted };
    const deed = await act(action, {
      mark: /chaos%2Flimit%2F\.lock|\/v1\/txn/,
      happened: (truth) => limitIn(truth) === wanted,
    });
    // Nothing was sent, or what was sent was refused as a whole: it may not appear later either.
    if (deed === null || !['done', 'unknown-result', 'no-answer'].includes(deed.told))
      refusedLimits.add(wanted);
  };
  const destroy = async () => {
    const terms = { Name: 'chaos victim', Behavior: 'delete', LockDelay: '0s', Checks: [], NodeChecks: [] };
    const { ID: sessionId } = JSON.parse(await put('session/create', JSON.stringify(terms))) as {
      ID: string;
    };
    const key = `chaos/victim/${randomUUID().slice(0, 8)}`;
    await put(`kv/${key}?acquire=${sessionId}&flags=${lockFlags}`, 'x');
    evicted.add(sessionId);
    await act(
      { type: 'session.destroy', sessionId },
      {
        mark: new RegExp(`/session/destroy/${sessionId}`),
        happened: ({ sessions }) => !sessions.includes(sessionId),
      },
    );
    // Whatever became of it, the scene is cleared.
    await put(`session/destroy/${sessionId}`, '');
  };
  const evict = async () => {
    const entry = (await reader.truth()).entries.find(({ key }) => key === `${pool.prefix}/.lock`);
    const holders = coordinationOf(entry?.value ?? '')?.holders ?? [];
    const sessionId = holders[Math.floor(chance() * holders.length)];
    if (sessionId === undefined) return;
    evicted.add(sessionId);
    await act(
      { type: 'semaphore.evict', prefix: pool.prefix, sessionId, how: 'destroy-session' },
      {
        mark: new RegExp(`/session/destroy/${sessionId}`),
        happened: ({ sessions }) => !sessions.includes(sessionId),
      },
    );
  };
  const acting = (async () => {
    for (let turn = 0; !end.signal.aborted; turn += 1) {
      const deed = [resize, destroy, resize, evict][turn % 4] ?? resize;
      // Consul may be away when the scene is set: then there is nothing to act on.
      await deed().catch(() => undefined);
      await delay(everyMs * (0.5 + chance()), undefined, { signal: end.signal }).catch(() => undefined);
    }
  })();
  return {
    deeds,
    get refusedPlans() {
      return refusedPlans;
    },
    evicted,
    refusedLimits,
    stop: async () => {
      end.abort();
      await acting;
    },
  };
}

/** Resolves when the person has acted so many times more. */
export const acted = (operator: Operator, more: number): Promise<true> => {
  const wanted = operator.deeds.length + more;
  return until(() => operator.deeds.length >= wanted, { what: 'actions', timeoutMs: 60_000 });
};
