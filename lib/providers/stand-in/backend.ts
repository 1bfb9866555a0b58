/**
 * The stand-in: the smallest complete provider, and the best one to read first. It serves the contract suite and as an
 * example, and runs only where a source names it. Every person who may open the console sees it, because a file asks
 * for no credentials.
 */
import type { Backend } from '@/lib/domain/seam/backend';
import type { Provider } from '@/lib/domain/seam/provider';
import type { SourceId } from '@/lib/domain/source';
import { applyOn, planOn, sawIn } from './actions';
import { watchFile } from './watch';

export interface StandInOptions {
  readonly id: SourceId;
  /** The name for people. */
  readonly title: string;
  readonly path: string;
  readonly now: () => number;
}

/** Most viewers. A look at a file costs next to nothing. */
const lookersMax = 1_000;

export function createStandInBackend(options: StandInOptions): Backend {
  const { id, title, path } = options;
  const provider: Provider = {
    id,
    watch: (listener, signal) => watchFile(options, listener, signal),
    plan: (action) => planOn(options, action),
    saw: (_action, expect) => sawIn(expect),
    apply: (action, expect, signal) => applyOn(options, action, expect, signal),
    close: () => {},
  };
  return {
    id,
    sources: [{ id, kind: 'stand-in', title }],
    origin: path,
    asks: false,
    hasOwnCredential: false,
    credentialsMax: lookersMax,
    seesAll: 'yes',
    accessControl: async () => 'off',
    signIn: async () => ({ code: 'invalid', why: { code: 'no-sign-in-here', facts: {} } }),
    provider: () => provider,
    close: () => {},
  };
}
