/** What every action is given, and what it is: a dry run and the deed. */
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
  /** Tell the watch what was done: Redis keeps no trace of it. Those who wait were woken. */
  readonly woken: (name: string) => void;
  /** This holder was removed, by a script that was sent at that time, epoch milliseconds. */
  readonly took: (name: string, holder: string, atMs: number) => void;
  /** How `redis-cli` reaches the server, without a secret; `null`: not to be said. */
  readonly cli: string | null;
}

/** A script with its keys, and its arguments after the first two. */
export interface Call {
  readonly script: Script;
  readonly keys: readonly string[];
  readonly args: readonly string[];
}

/** A plan, with what it saw. */
export interface Prepared<S> {
  readonly plan: Plan;
  readonly seen: S;
}

/** One action. `S` is what its plan saw. */
export interface Deed<A extends Action, S> {
  /** Writes nothing. */
  plan(action: A, context: ActContext): Promise<Prepared<S>>;
  /** `null`: no plan of this action gives it. */
  seen(action: A, expect: Expect): S | null;
  saw(seen: S): Saw;
  apply(action: A, seen: S, context: ActContext, signal: AbortSignal): Promise<Outcome>;
  /** What it would run, for the question whether it may. */
  asks(action: A, context: ActContext): Call;
}

/** Throws for a name that this source does not watch. */
export function requireInView({ settings }: ActContext, name: string): void {
  if (!inPrefixes(settings, name)) throw refusal('not-found', { code: 'outside-view', facts: { name } });
  if (!isSure(name)) throw refusal('invalid', { code: 'name-not-sure', facts: {} });
}

/** Throws what the rules of all backends say on what was just read. */
export function requireAllowed(action: Action, found: Partial<FoundSubject>): void {
  const permission = descriptorOf(action).can(action, {
    lock: null,
    semaphore: null,
    session: null,
    ...found,
  });
  if (!permission.allowed) throw refusal(problemOfRule[permission.reason.code], permission.reason);
}

/** What a keyboard can write of an id: the client's beginning and the thread, or the beginning. */
function typedOf(id: string): string {
  const known = redissonIdOf(id);
  return known === null ? id.slice(0, 8) : `${known.client.slice(0, 8)}:${known.thread}`;
}

export const frictionFor = (party: Party | null) => frictionOf(party, ({ sessionId }) => typedOf(sessionId));
