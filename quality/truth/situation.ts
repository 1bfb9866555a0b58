/**
 * One row of the truth table: a situation made for real on a lock server, what the API and the screen say of it, and what they
 * must not say. Truth first: what the server cannot know is never shown, so the second half matters more than the first.
 * `docs/truth.md` is written from these rows. `quality/truth/api-*.test.ts` checks the API, `e2e/truth-*.spec.ts` the
 * screen as well.
 */

import type { FindingCode } from '@/lib/domain/findings/finding';
import type { EvidenceCode, Lock, Semaphore, Session, Subject, Verdict } from '@/lib/domain/model';
import type { OutageCode } from '@/lib/domain/outage';
import { firstSource, type SourceId } from '@/lib/domain/source';
import type { AllMessages } from '@/lib/i18n/messages';
import type { LampKind } from '@/lib/view/board-rows';
import type { RedisStage } from '@/quality/truth/redis-stage';
import type { Stage } from '@/quality/truth/stage';
import { type Turn, takeTurn } from '@/quality/truth/turn';
import type { ZooKeeperStage } from '@/quality/truth/zookeeper-stage';

/** Any part of a shape: what is left out may be anything. */
export type Part<T> = T extends readonly (infer E)[]
  ? readonly Part<E>[]
  : T extends object
    ? { readonly [K in keyof T]?: Part<T[K]> }
    : T;

/** What the API must say. */
export interface ApiClaim {
  /** Part of the subject's row in the snapshot; `null`: it has no row. */
  readonly row: Part<Lock> | Part<Semaphore> | Part<Session> | null;
  /** Verdicts of its holders and waiters, by session id. */
  readonly verdicts?: Readonly<Record<string, Verdict>>;
  /** Facts that must stand behind every holder's verdict. */
  readonly evidence?: readonly EvidenceCode[];
  /** Codes that must be said of the subject. */
  readonly findings?: readonly FindingCode[];
}

/** What the screen must say: each text is a part of the page's main text, in its language's words (`text.ts`). */
export interface ScreenClaim {
  /** The subject's own page by default. */
  readonly path?: string;
  readonly has: readonly string[];
  /** How many lamps of a kind the page draws on its shelf of slots. */
  readonly lamps?: Readonly<Partial<Record<LampKind, number>>>;
  /** Buttons that cannot be pressed, each with a reason that can be read. */
  readonly blocked?: readonly { readonly name: string; readonly why: string }[];
  /** The outage on the page; absent: none. */
  readonly outage?: OutageCode;
}

/**
 * What neither may say. A verdict, a fact, a finding and a state are forbidden in the API and, with all the product's
 * sentences for them (`forbidden.ts`), on the whole page, its header and its banner.
 */
export interface Never {
  /** For any holder or waiter of the subject: in the API, as a lamp on its page, and in words. */
  readonly verdicts?: readonly Verdict[];
  readonly evidence?: readonly EvidenceCode[];
  readonly findings?: readonly FindingCode[];
  readonly states?: readonly Lock['state'][];
  /** Shapes that the subject's row must not have. */
  readonly rows?: readonly (Part<Lock> | Part<Semaphore> | Part<Session>)[];
  /** It must not be listed (`false`: must not be missing). */
  readonly listed?: boolean;
  /** Sentences of the product that belong to no state above. */
  readonly texts?: readonly string[];
  /** Texts stored in the server, or derived from it, that must not be shown. */
  readonly stored?: readonly string[];
  /** Buttons that must not be there to be pressed. */
  readonly enabled?: readonly string[];
}

/** `shared`: one agent that all such rows share. `stored`: another one, where nothing moves. The others have agents of their own. */
export type WorldName = 'shared' | 'stored' | 'nodes' | 'permissions' | 'cluster' | 'redis' | 'zookeeper';

/** The tools of a world, by the backend that its situations are made on. */
export interface Stages {
  readonly consul?: Stage;
  readonly redis?: RedisStage;
  readonly zookeeper?: ZooKeeperStage;
}

/** `ruled`: some are refused in a transaction (`client/key-rule.ts`), and are there from before. */
export type Keys = 'any' | 'ruled';

interface Row<M extends { readonly subject: Subject }, S> {
  /** The name of the test and the row. */
  readonly title: string;
  /** What the server knows, what Signalbox says, and what it must not say: one clause each, for the document. */
  readonly knows: string;
  readonly says: string;
  readonly mustNot: string;
  readonly world?: WorldName;
  /** Which keys the server has to take, where that matters: any, or those alone that Consul 2.0 and later write. */
  readonly keys?: Keys;
  /**
   * Rows that time ends are looked at `first`, rows that time has to make `last`; both are made with the others, so
   * that their waiting costs nothing.
   */
  readonly when?: 'first' | 'steady' | 'last';
  /** Its turn changes what every other row of its world is about: they are judged up to it. */
  readonly endsOthers?: true;
  /** Real writes and processes; names what it made. Called once, or once again after a failure, on a fresh agent. */
  make(stage: S): Promise<M>;
  /** Brings it about when its turn has come: for what must be seen to happen. Then `from` is what the API says first. */
  readonly turn?: Turn<M, S>;
  from?(made: M): ApiClaim;
  api(made: M): ApiClaim;
  screen(made: M, words: AllMessages): ScreenClaim;
  /** At no time, from when the console starts to the end of the look; of what it says in words, on the whole page. */
  never(made: M, words: AllMessages): Never;
  /** Forbidden once the turn is taken and seen: what was true before it. */
  after?(made: M, words: AllMessages): Never;
}

export interface Claims {
  readonly subject: Subject;
  readonly from: ApiClaim | null;
  readonly api: ApiClaim;
  screen(words: AllMessages): ScreenClaim;
  never(words: AllMessages): Never;
  after(words: AllMessages): Never;
  readonly turn: (() => Promise<void>) | null;
}

export interface Situation {
  readonly title: string;
  readonly knows: string;
  readonly says: string;
  readonly mustNot: string;
  readonly world: WorldName;
  /** `null`: on every server. */
  readonly keys: Keys | null;
  readonly when: 'first' | 'steady' | 'last';
  readonly endsOthers: boolean;
  claims(stages: Stages): Promise<Claims>;
}

/** A row, with what its maker returned hidden behind its claims. */
const situationOn =
  <N extends keyof Stages>(backend: N, usual: WorldName) =>
  <M extends { readonly subject: Subject }>(row: Row<M, NonNullable<Stages[N]>>): Situation => {
    const { title, knows, says, mustNot, world = usual, keys = null, when = 'steady' } = row;
    const { endsOthers = false } = row;
    return {
      title,
      knows,
      says,
      mustNot,
      world,
      keys,
      when,
      endsOthers,
      claims: async (stages) => {
        const stage = stages[backend];
        if (stage === undefined) throw new Error(`${title}: the world ${world} has no ${backend}.`);
        const made = await row.make(stage);
        const { turn, from } = row;
        if ((turn === undefined) !== (from === undefined))
          throw new Error(`${title}: what is brought about has a state before it, and nothing else has.`);
        return {
          subject: made.subject,
          from: from === undefined ? null : from(made),
          api: row.api(made),
          screen: (words) => row.screen(made, words),
          never: (words) => row.never(made, words),
          after: (words) => row.after?.(made, words) ?? {},
          turn: turn === undefined ? null : () => takeTurn(turn, stage, made),
        };
      },
    };
  };

/** On Consul. */
export const situation = situationOn('consul', 'shared');
export const onRedis = situationOn('redis', 'redis');
export const onZooKeeper = situationOn('zookeeper', 'zookeeper');

/** Rows that are made in a world of their own kind, where they name none. */
export const inWorld = (world: WorldName, rows: readonly Situation[]): readonly Situation[] =>
  rows.map((row) => (row.world === 'shared' ? { ...row, world } : row));

/** Of a row about one session. */
export interface OfOne {
  readonly subject: Subject;
  readonly id: string;
}

export const lockAt = (key: string, source: SourceId = firstSource): Subject => ({
  source,
  kind: 'lock',
  key,
});
export const semaphoreAt = (prefix: string, source: SourceId = firstSource): Subject => ({
  source,
  kind: 'semaphore',
  prefix,
});
export const sessionAt = (id: string): Subject => ({ source: firstSource, kind: 'session', id });
