/**
 * One row of the truth table: a situation made for real on a lock server, with the claims of the API and the screen.
 * Its forbidden claims matter more, because the screen may never show what the server cannot know. `docs/truth.md` is
 * written from these rows. `quality/truth/api-*.test.ts` checks the API, and `e2e/truth-*.spec.ts` also the screen.
 */

import type { FindingCode, Severity } from '@/lib/domain/findings/finding';
import type { EvidenceCode, Lock, Semaphore, Session, Subject, Verdict } from '@/lib/domain/model';
import type { OutageCode } from '@/lib/domain/outage';
import { firstSource, type SourceId } from '@/lib/domain/source';
import type { AllMessages } from '@/lib/i18n/messages';
import type { LampKind } from '@/lib/view/board-rows';
import type { RedisStage } from '@/quality/truth/redis-stage';
import type { Stage } from '@/quality/truth/stage';
import { type Turn, takeTurn } from '@/quality/truth/turn';
import type { ZooKeeperStage } from '@/quality/truth/zookeeper-stage';

/** A part of a shape. Members that it lacks may have any value. */
export type Part<T> = T extends readonly (infer E)[]
  ? readonly Part<E>[]
  : T extends object
    ? { readonly [K in keyof T]?: Part<T[K]> }
    : T;

/** Demands on the API. */
export interface ApiClaim {
  /** A part of the subject's row in the snapshot; `null`: no row. */
  readonly row: Part<Lock> | Part<Semaphore> | Part<Session> | null;
  /** Verdicts of its holders and waiters, by session id. */
  readonly verdicts?: Readonly<Record<string, Verdict>>;
  /** Facts that must stand behind every holder's verdict. */
  readonly evidence?: readonly EvidenceCode[];
  /** Codes of findings that the subject must have. */
  readonly findings?: readonly FindingCode[];
}

/** Demands on the screen. Each text is a part of the page's main text, in its language's words (`text.ts`). */
export interface ScreenClaim {
  /** The subject's own page by default. */
  readonly path?: string;
  readonly has: readonly string[];
  /** The number of lamps of a kind on the page's shelf of slots. */
  readonly lamps?: Readonly<Partial<Record<LampKind, number>>>;
  /** Buttons that cannot be pressed, each with its readable reason. */
  readonly blocked?: readonly { readonly name: string; readonly why: string }[];
  /** The outage on the page; absent: none. */
  readonly outage?: OutageCode;
}

/**
 * Claims that neither may make. A verdict, a fact, a finding and a state are forbidden in the API. All sentences of the
 * product for them (`forbidden.ts`) are forbidden on the whole page, with header and banner.
 */
export interface Never {
  /** Verdicts on any holder or waiter of the subject: in the API, as a lamp on its page, and in words. */
  readonly verdicts?: readonly Verdict[];
  readonly evidence?: readonly EvidenceCode[];
  readonly findings?: readonly FindingCode[];
  /** Severities that no finding of the subject may have. */
  readonly severities?: readonly Severity[];
  readonly states?: readonly Lock['state'][];
  /** Shapes that the subject's row must not have. */
  readonly rows?: readonly (Part<Lock> | Part<Semaphore> | Part<Session>)[];
  /** False: it must be listed. True: it must not. */
  readonly listed?: boolean;
  /** Further sentences of the product. */
  readonly texts?: readonly string[];
  /** Texts stored in the server, or derived from it, that must not show. */
  readonly stored?: readonly string[];
  /** Buttons that must be absent or blocked. */
  readonly enabled?: readonly string[];
}

/**
 * `shared`: one agent for all such rows. `stored`: another one, where nothing moves. The others have their own servers.
 */
export type WorldName = 'shared' | 'stored' | 'nodes' | 'permissions' | 'cluster' | 'redis' | 'zookeeper';

/** The tools of a world, by the backend of its situations. */
export interface Stages {
  readonly consul?: Stage;
  readonly redis?: RedisStage;
  readonly zookeeper?: ZooKeeperStage;
}

/** `ruled`: the server refuses some keys in a transaction (`client/key-rule.ts`), which are there from before. */
export type Keys = 'any' | 'ruled';

interface Row<M extends { readonly subject: Subject }, S> {
  /** The name of the test and of the row. */
  readonly title: string;
  /** The server's knowledge, Signalbox's claim and the forbidden claim, one clause each, for the document. */
  readonly knows: string;
  readonly says: string;
  readonly mustNot: string;
  readonly world?: WorldName;
  /** The keys that the server must take, where it matters: any, or only those that Consul 2.0 and later write. */
  readonly keys?: Keys;
  /**
   * Rows that time ends are looked at `first`, and rows that time must make `last`. Both are made with the others, so
   * that the waits overlap.
   */
  readonly when?: 'first' | 'steady' | 'last';
  /** True when its turn changes every other row of its world. They are judged up to it. */
  readonly endsOthers?: true;
  /**
   * Makes the situation by real writes and processes. Returns its subject and ids. Called once, or again on a fresh
   * agent after a failure.
   */
  make(stage: S): Promise<M>;
  /** Changes the situation while Signalbox watches. The API must say `from` before. */
  readonly turn?: Turn<M, S>;
  from?(made: M): ApiClaim;
  api(made: M): ApiClaim;
  screen(made: M, words: AllMessages): ScreenClaim;
  /** Forbidden from the start of the console to the end of the look. Sentences are forbidden on the whole page. */
  never(made: M, words: AllMessages): Never;
  /** Forbidden once the turn is taken and seen, such as the state before it. */
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
  /** `null`: every server fits. */
  readonly keys: Keys | null;
  readonly when: 'first' | 'steady' | 'last';
  readonly endsOthers: boolean;
  claims(stages: Stages): Promise<Claims>;
}

/** A row, whose claims hide the type of its maker's result. */
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

/** A row on Consul. */
export const situation = situationOn('consul', 'shared');
export const onRedis = situationOn('redis', 'redis');
export const onZooKeeper = situationOn('zookeeper', 'zookeeper');

/** Sets the world of rows that name none. */
export const inWorld = (world: WorldName, rows: readonly Situation[]): readonly Situation[] =>
  rows.map((row) => (row.world === 'shared' ? { ...row, world } : row));

/** The facts of a row about one session. */
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
