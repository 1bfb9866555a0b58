/** The two sides of every action, a dry run and the deed, and the context that both receive. */
import type { Action } from '@/lib/domain/actions/action';
import { descriptorOf, isSure, problemOfRule } from '@/lib/domain/actions/action';
import type { FoundSubject } from '@/lib/domain/actions/descriptor';
import type { Expect, Saw } from '@/lib/domain/actions/expect';
import { frictionOf } from '@/lib/domain/actions/friction';
import type { Outcome, Plan } from '@/lib/domain/actions/plan';
import type { Lock, Party } from '@/lib/domain/model';
import { redissonIdOf } from '@/lib/providers/redis/client/names';
import { inPrefixes, type RedisSettings } from '@/lib/providers/redis/client/settings';
import type { FreshContext } from './fresh';
import type { ScriptServer } from './reading';
import { refusal } from './refused';
import type { Script } from './script';

export interface ActContext extends FreshContext {
  readonly server: ScriptServer;
  readonly settings: Pick<RedisSettings, 'prefixes' | 'redlock' | 'semaphores'>;
  /** Every lock in view. */
  readonly locks: () => readonly Lock[];
  /** Notifies the watch that the waiters were woken. Redis keeps no trace of it. */
  readonly woken: (name: string) => void;
  /** Notifies the watch that this holder was removed. `atMs`: when the script was sent, epoch milliseconds. */
  readonly took: (name: string, holder: string, atMs: number) => void;
  /** The `redis-cli` command line that reaches the server, without a secret; `null`: not shown. */
  readonly cli: string | null;
}

/** A script with its keys, and its arguments after the first two. */
export interface Call {
  readonly script: Script;
  readonly keys: readonly string[];
  readonly args: readonly string[];
}

/** A plan, and the state that it was made from. */
export interface Prepared<S> {
  readonly plan: Plan;
  readonly seen: S;
}

/** One action. `S` is the state that its plan saw. */
export interface Deed<A extends Action, S> {
  /** Writes nothing. */
  plan(action: A, context: ActContext): Promise<Prepared<S>>;
  /** The state in `expect`; `null`: no plan of this action gives it. */
  seen(action: A, expect: Expect): S | null;
  saw(seen: S): Saw;
  apply(action: A, seen: S, context: ActContext, signal: AbortSignal): Promise<Outcome>;
  /** The script that the action would run, for the check of its rights. */
  asks(action: A, context: ActContext): Call;
}

/** Throws for a name that this source does not watch. */
export function requireInView({ settings }: ActContext, name: string): void {
  if (!inPrefixes(settings, name)) throw refusal('not-found', { code: 'outside-view', facts: { name } });
  if (!isSure(name)) throw refusal('invalid', { code: 'name-not-sure', facts: {} });
}

/** Throws when the rules of all backends refuse the action on this reading. */
export function requireAllowed(action: Action, found: Partial<FoundSubject>): void {
  const permission = descriptorOf(action).can(action, {
    lock: null,
    semaphore: null,
    session: null,
    ...found,
  });
  if (!permission.allowed) throw refusal(problemOfRule[permission.reason.code], permission.reason);
}

/** The part of an id that the operator types: the start of the client, with the thread where there is one. */
function typedOf(id: string): string {
  const known = redissonIdOf(id);
  return known === null ? id.slice(0, 8) : `${known.client.slice(0, 8)}:${known.thread}`;
}

export const frictionFor = (party: Party | null) => frictionOf(party, ({ sessionId }) => typedOf(sessionId));
