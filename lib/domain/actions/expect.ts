/**
 * The state that a plan saw. It goes to the caller of the plan, and comes back unchanged with `apply`, which refuses
 * when the state has changed. Only the provider that made it reads it.
 */
import { z } from 'zod/mini';
import type { Verdict } from '@/lib/domain/model';

/** Any JSON object that a provider's plan gave. */
export type Expect = { readonly [member: string]: unknown };

/**
 * Most bytes of JSON, where a plan chooses how many entries it depends on: the server must accept the `apply` that
 * sends them back.
 */
export const expectBytesMax = 192 * 1024;
/** Most levels of objects and lists within one another. */
const expectDepthMax = 8;

const isWithin = (value: unknown, depth: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (depth > 0 && Object.values(value).every((one) => isWithin(one, depth - 1)));

/** Any JSON object of limited depth. The request that carries it limits its bytes. */
export const expectSchema = z
  .record(z.string(), z.unknown())
  .check(z.refine((value) => isWithin(value, expectDepthMax)));

/** The sessions that a plan is about, for the answer to the plan. */
export interface Target {
  readonly sessions: readonly string[];
  /** `null`: there is none, or none that matters. */
  readonly verdict: Verdict | null;
}

/** The content of an `expect`, in the provider's words, for the record and for people. */
export interface Saw extends Target {
  /** The keys that the target's session held; `null`: they do not matter. */
  readonly holdings: number | null;
  /** The entries that the plan depends on. */
  readonly entries: readonly {
    readonly key: string;
    /** Changes with every write of the entry; `null`: it was not there. */
    readonly index: string | null;
    /** The session that locked it. */
    readonly session: string | null;
    /** A fact that counts instead of the index. */
    readonly seen?: string;
  }[];
}

export const sawNothing: Saw = { sessions: [], verdict: null, holdings: null, entries: [] };
