/**
 * A person who acts through Signalbox throughout, one action at a time and each kind in turn, with one of several
 * tokens. Compares each reported outcome with Consul's state, asked past Signalbox.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Action } from '@/lib/domain/actions/action';
import type { Expect } from '@/lib/domain/actions/expect';
import { within } from '@/lib/server/process/deadline';
import type { FaultProxy } from '@/test/support/fault-proxy';
import type { WriteCall } from '@/test/support/overheard';
import { until } from '@/test/support/until';
import type { Chance } from './chance';
import { createDeeds, type Scene } from './deeds';
import type { Reader } from './reader';

const everyMs = 600;

export interface Part {
  readonly name: string;
  /** Signalbox's answer. */
  readonly done: boolean;
  /** Consul's state. */
  readonly seen: boolean;
}

export interface Deed {
  /** Instants of `performance.now()`: the request for the plan, and the answer to the action. */
  readonly atMs: number;
  readonly answeredMs: number;
  readonly action: Action;
  /** `done`, or the code of a problem, or `no-answer` when Signalbox gave none. */
  readonly told: string;
  /** True when Consul showed the effect afterwards. */
  readonly seen: boolean;
  /** True when the effect can only be this action's. */
  readonly own: boolean;
  /** The requests to Consul for it. */
  readonly calls: readonly WriteCall[];
  /** True when a connection to Consul broke meanwhile, so that a sent request may be missing in `calls`. */
  readonly unheard: boolean;
  readonly parts: readonly Part[];
}

/** A refused action whose effect only it could have, looked at again. Instants of `performance.now()`. */
export interface LookedAgain {
  readonly action: Action;
  /** The answer to the action or to its plan. */
  readonly atMs: number;
  readonly lookedMs: number;
  readonly seen: boolean;
}

export interface Operator {
  /** Applied actions, the oldest first. Refusals while planning are only counted. */
  readonly deeds: readonly Deed[];
  readonly refusedPlans: number;
  /** Sessions that were evicted or destroyed, or may have been. */
  readonly evicted: ReadonlySet<string>;
  /** Limits that were refused, and so must never appear. */
  readonly refusedLimits: ReadonlySet<number>;
  readonly lookedAgain: readonly LookedAgain[];
  /** Every key, prefix and session that Signalbox was asked to write about. */
  readonly asked: ReadonlySet<string>;
  stop(): Promise<void>;
}

interface Answer {
  readonly code?: string;
  readonly expect?: Expect;
  readonly outcome?: { readonly done: boolean; readonly parts: readonly { readonly done: boolean }[] };
}

/** Outcomes after which something may have been written. */
const mayBeWritten = ['done', 'partly', 'unknown-result', 'no-answer'];
/** A request that was held back on its way would have come by then, as every connection has ended. */
const lookAgainMs = 30_000;

/** The actor of a turn. In each round of deeds every deed has the actor after its last one, whatever the numbers. */
export const actorOf = (turn: number, { deeds, actors }: { deeds: number; actors: number }): number =>
  ((turn % deeds) + Math.floor(turn / deeds)) % actors;

/** Acts from now on, through every outage. `tokens`: the actors', in turn; '' for an actor without one. */
export function startOperator({
  baseUrl,
  addresses,
  token,
  tokens,
  proxy,
  reader,
  chance,
}: {
  baseUrl: string;
  addresses: readonly string[];
  token: string | null;
  tokens: readonly string[];
  proxy: FaultProxy;
  reader: Reader;
  chance: Chance;
}): Operator {
  const end = new AbortController();
  const deeds: Deed[] = [];
  const evicted = new Set<string>();
  const refusedLimits = new Set<number>();
  const asked = new Set<string>();
  const lookedAgain: LookedAgain[] = [];
  let refused: { readonly scene: Scene; readonly atMs: number }[] = [];
  let refusedPlans = 0;
  let turn = 0;

  /** Writes to Consul directly, to set a scene. */
  const put = async (path: string, body: string) => {
    const headers = new Headers(token === null ? {} : { 'x-consul-token': token });
    const signal = within(3_000, end.signal);
    const url = `http://${addresses.at(-1)}/v1/${path}`;
    const response = await fetch(url, { method: 'PUT', body, headers, signal });
    if (!response.ok) throw new Error(`${response.status}`);
    return (await response.text()).trim();
  };
  const post = async (body: object): Promise<Answer | null> => {
    const own = tokens[actorOf(turn, { deeds: scenes.length, actors: tokens.length })];
    try {
      const response = await fetch(`${baseUrl}/api/v1/actions`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(own ? { 'x-consul-token': own } : {}),
        },
        body: JSON.stringify({ reason: 'chaos', ...body }),
        signal: within(90_000, end.signal),
      });
      return (await response.json()) as Answer;
    } catch {
      return null;
    }
  };
  /** Plans and applies; `null` when the plan was refused, so that nothing was written. */
  const act = async ({
    action,
    names,
    happened,
    parts = [],
    own,
    meanwhile,
  }: Scene): Promise<Deed | null> => {
    const atMs = performance.now();
    for (const name of names) asked.add(name);
    const planned = await post({ mode: 'plan', action });
    if (planned?.expect === undefined) {
      refusedPlans += 1;
      return null;
    }
    await meanwhile?.();
    const [before, brokenBefore] = [proxy.calls.length, proxy.broken];
    const answer = await post({ mode: 'apply', action, expect: planned.expect });
    const answeredMs = performance.now();
    end.signal.throwIfAborted();
    const told = answer === null ? 'no-answer' : (answer.code ?? (answer.outcome?.done ? 'done' : 'partly'));
    const truth = await reader.patientTruth(end.signal);
    const deed: Deed = {
      atMs,
      answeredMs,
      action,
      told,
      seen: happened(truth),
      own,
      unheard: proxy.broken > brokenBefore,
      calls: proxy.calls
        .slice(before)
        .filter(({ line, text }) =>
          names.some((name) => `${decodeURIComponent(line)} ${text}`.includes(name)),
        ),
      parts: parts.map((part, n) => ({
        name: part.name,
        done: answer?.outcome?.parts[n]?.done ?? false,
        seen: part.happened(truth),
      })),
    };
    deeds.push(deed);
    return deed;
  };

  const scenes = createDeeds({ put, reader, chance });
  const one = async () => {
    const scene = await scenes[turn % scenes.length]?.();
    if (scene == null) return;
    if (scene.ends !== undefined) evicted.add(scene.ends);
    const deed = await act(scene);
    // Nothing was sent, or Consul refused all of it, so the effect may not appear later.
    const isRefused = deed === null || !mayBeWritten.includes(deed.told);
    if (isRefused && scene.limit !== undefined) refusedLimits.add(scene.limit);
    if (isRefused && scene.alone === true) refused.push({ scene, atMs: performance.now() });
    else await scene.clear?.();
  };
  const lookAgain = async () => {
    const due = refused.filter(({ atMs }) => performance.now() - atMs >= lookAgainMs);
    if (due.length === 0) return;
    const truth = await reader.truth();
    const lookedMs = performance.now();
    refused = refused.filter((one) => !due.includes(one));
    for (const { scene, atMs } of due)
      lookedAgain.push({ action: scene.action, atMs, lookedMs, seen: scene.happened(truth) });
    // What cannot be cleared now, as Consul is away, stays: a session more.
    for (const { scene } of due) await scene.clear?.().catch(() => undefined);
  };
  const acting = (async () => {
    for (; !end.signal.aborted; turn += 1) {
      // Consul may be away when the scene is set, so that there is nothing to act on.
      await one().catch(() => undefined);
      await lookAgain().catch(() => undefined);
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
    lookedAgain,
    asked,
    stop: async () => {
      end.abort();
      await acting;
    },
  };
}

/** Resolves when the person has acted `more` times. */
export const acted = (operator: Operator, more: number): Promise<true> => {
  const wanted = operator.deeds.length + more;
  return until(() => operator.deeds.length >= wanted, { what: 'actions', timeoutMs: 60_000 });
};
