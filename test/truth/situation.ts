/**
 * One row of the truth table: a situation that is made for real on Consul, what the API and the screen say of it, and
 * what they must not say. Truth first: what Consul cannot know is never shown, so the second half matters more than
 * the first. `docs/truth.md` is written from these rows and `e2e/truth.spec.ts` runs them.
 */
import type { LampKind } from '@/components/lamp';
import type { FindingCode } from '@/lib/domain/finding';
import type { EvidenceCode, Lock, Semaphore, Session, Subject, Verdict } from '@/lib/domain/model';
import type { OutageCode } from '@/lib/domain/outage';
import type { Stage } from '@/test/truth/stage';

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

/** What the screen must say. A text matches where it is part of the page's main text, white space aside. */
export interface ScreenClaim {
  /** The subject's own page by default. */
  readonly path?: string;
  readonly has: readonly (string | RegExp)[];
  /** How many lamps of a kind the page draws on its shelf of slots. */
  readonly lamps?: Readonly<Partial<Record<LampKind, number>>>;
  /** Buttons that cannot be pressed, each with a reason that can be read. */
  readonly blocked?: readonly { readonly name: RegExp; readonly why: RegExp }[];
  /** The outage that the page tells of; none where this is left out. */
  readonly outage?: OutageCode;
}

/** What neither may say. */
export interface Never {
  /** For any holder or waiter of the subject: in the API, and as a lamp on its page. */
  readonly verdicts?: readonly Verdict[];
  readonly evidence?: readonly EvidenceCode[];
  readonly findings?: readonly FindingCode[];
  readonly states?: readonly Lock['state'][];
  readonly texts?: readonly (string | RegExp)[];
  /** Buttons that must not be there to be pressed. */
  readonly enabled?: readonly RegExp[];
}

/** `shared`: one agent that all such rows share. The others have agents of their own. */
export type WorldName = 'shared' | 'nodes' | 'permissions' | 'cluster';

/** `ruled`: some are refused in a transaction (`client/key-rule.ts`), and are there from before. */
export type Keys = 'any' | 'ruled';

interface Row<M extends { readonly subject: Subject }> {
  /** What the test and the row are called. */
  readonly title: string;
  /** What Consul knows, what Signalbox says, and what it must not say: one clause each, for the document. */
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
  /** Real writes and processes; names what it made. Called once, or once again after a failure, on a fresh agent. */
  make(stage: Stage): Promise<M>;
  /** Brings it about when its turn has come: only for rows that follow on others. */
  turn?(stage: Stage, made: M): Promise<void>;
  api(made: M): ApiClaim;
  screen(made: M): ScreenClaim;
  never(made: M): Never;
}

export interface Claims {
  readonly subject: Subject;
  readonly api: ApiClaim;
  readonly screen: ScreenClaim;
  readonly never: Never;
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
  claims(stage: Stage): Promise<Claims>;
}

/** A row, with what its maker returned hidden behind its claims. */
export function situation<M extends { readonly subject: Subject }>(row: Row<M>): Situation {
  const { title, knows, says, mustNot, world = 'shared', keys = null, when = 'steady' } = row;
  return {
    title,
    knows,
    says,
    mustNot,
    world,
    keys,
    when,
    claims: async (stage) => {
      const made = await row.make(stage);
      return {
        subject: made.subject,
        api: row.api(made),
        screen: row.screen(made),
        never: row.never(made),
        turn: row.turn === undefined ? null : async () => row.turn?.(stage, made),
      };
    },
  };
}

export const lockAt = (key: string): Subject => ({ kind: 'lock', key });
export const semaphoreAt = (prefix: string): Subject => ({ kind: 'semaphore', prefix });
export const sessionAt = (id: string): Subject => ({ kind: 'session', id });
