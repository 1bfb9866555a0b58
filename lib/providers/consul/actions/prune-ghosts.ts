/**
 * Prunes ghosts from the record by the client library's own rule, in one semaphore or many. Each semaphore has its own
 * comparison, so a changed one does not hold up the others.
 */

import type { ActionOf } from '@/lib/domain/actions/action';
import type { OutcomePart, Touch, Warning } from '@/lib/domain/actions/plan';
import { shortId } from '@/lib/domain/model';
import type { Why } from '@/lib/domain/refusal';
import type { SourceId } from '@/lib/domain/source';
import { semaphoreSubject, sessionSubject } from '@/lib/domain/subject';
import { anyName } from '@/lib/providers/consul/client/acl';
import type { TxnOp } from '@/lib/providers/consul/client/wire';
import { contenderKey, coordinationKey, isSessionId } from '@/lib/providers/consul/rows/coordination';
import { reading } from '@/lib/providers/consul/sight/rights';
import { type Act, outcomeOf, type Prepared } from './act';
import {
  type ActContext,
  readAll,
  refusal,
  requireAllowed,
  requireSemaphoreInView,
  requireTaken,
} from './consistent-read';
import { expectEntry, fact, requireUnchanged, rowDifference, type SeenChangeCode } from './expectation';
import { rewriting } from './manual';
import { entryNeed, writing } from './needs';
import {
  type AskedRows,
  askedOfFresh,
  ghostsIn,
  readSemaphore,
  requireDecided,
  requireUnderstood,
  rewriteOp,
  type SemaphoreRows,
} from './semaphore-rows';
import { requireReadable } from './token-rights';
import { converge, isTooLarge, problemOf, requireFits } from './write';

type Part = OutcomePart;

/** Five ids. The request to apply a batch repeats the ghosts of each semaphore, and the server bounds its bytes. */
const batchFactMax = 200;
/** All ghosts as the fact that a plan compares. */
const factOf = (ghosts: readonly string[], { prefixes }: ActionOf<'semaphore.prune'>) => {
  const ids = [...ghosts].sort().join(', ');
  return prefixes.length > 1 ? fact(ids, batchFactMax) : ids;
};
const named = (ghosts: readonly string[]) => ghosts.map(shortId).join(', ');

const stored = (text: string | undefined) =>
  text === undefined ? null : { code: 'stored' as const, facts: { text } };

/** The contender entries that would keep ghosts alive. A name that is no session's can lock nothing. */
const ghostKeys = (semaphore: SemaphoreRows) =>
  ghostsIn(semaphore)
    .filter(isSessionId)
    .map((id) => contenderKey(semaphore.prefix, id));

function pruneOps(semaphore: SemaphoreRows): TxnOp[] {
  const { lock, coordination } = requireUnderstood(semaphore);
  const ghosts = new Set(ghostsIn(semaphore));
  const holders = coordination.holders.filter((id) => !ghosts.has(id));
  return [rewriteOp(lock, coordination, { holders })];
}

function planPrune(
  context: ActContext,
  source: SourceId,
  prunable: readonly SemaphoreRows[],
): Pick<Prepared['plan'], 'writes' | 'touches' | 'manual'> {
  const touches: Touch[] = prunable.flatMap((semaphore) =>
    ghostsIn(semaphore).map((id) => ({
      subject: sessionSubject({ source, id }),
      effect: 'loses-slot' as const,
      who: null,
      detail: { code: 'locks-nothing-under' as const, facts: { prefix: semaphore.prefix } },
    })),
  );
  const writes = prunable.map((semaphore) => {
    const op = pruneOps(semaphore)[0];
    return {
      operation: 'update' as const,
      target: coordinationKey(semaphore.prefix),
      condition: {
        code: 'same-ghosts' as const,
        facts: { index: semaphore.lock?.modifyIndex ?? '' },
      },
      before: stored(semaphore.reading?.coordination?.text),
      after: stored(op !== undefined && 'value' in op ? op.value.toString('utf8') : undefined),
    };
  });
  const manual = prunable.flatMap((semaphore) =>
    rewriting(context.client.settings, pruneOps(semaphore), {
      code: 'prunes-ghosts',
      facts: { key: coordinationKey(semaphore.prefix), ghosts: named(ghostsIn(semaphore)) },
    }),
  );
  return { writes, touches, manual };
}

async function prune(
  context: ActContext,
  action: ActionOf<'semaphore.prune'>,
  prefix: string,
  seen: SeenChangeCode,
): Promise<{ part: Part; lost: boolean }> {
  const read = () => readSemaphore(context, prefix);
  let pruned: string[] = [];
  const { answerLost } = await converge(context, {
    next: async () => {
      const rows = await read();
      requireDecided(rows);
      const ghosts = ghostsIn(rows);
      requireUnchanged(
        rowDifference(seen, coordinationKey(prefix), rows.lock, {
          code: 'ghosts-changed',
          now: factOf(ghosts, action),
        }),
        rows.lock !== null && ghosts.length === 0,
      );
      if (ghosts.length === 0) return null;
      await requireReadable(context, ghostKeys(rows));
      pruned = ghosts;
      return pruneOps(rows);
    },
    reached: async () => {
      const recorded = (await read()).reading?.holders ?? [];
      return !pruned.some((id) => recorded.includes(id));
    },
  });
  const detail: Part['detail'] =
    pruned.length === 0
      ? { code: 'had-no-ghost', facts: {} }
      : { code: 'pruned', facts: { ghosts: pruned.length, named: named(pruned) } };
  return {
    part: { subject: semaphoreSubject({ source: action.source, prefix }), done: true, problem: null, detail },
    lost: answerLost,
  };
}

/** The reason for no prune: no ghost, or a hidden session that only looks like one. */
function whyNone(all: readonly AskedRows[]): Why {
  const [sessionId] = all.flatMap(({ hidden }) => hidden);
  return sessionId === undefined
    ? { code: 'no-ghost', facts: {} }
    : { code: 'session-hidden', facts: { sessionId } };
}

/** The semaphores whose pruned record Consul takes. A single one that is too large is refused with the reason. */
async function takenOf(
  context: ActContext,
  prunable: readonly AskedRows[],
  isBatch: boolean,
): Promise<AskedRows[]> {
  const fitting: AskedRows[] = [];
  for (const rows of prunable) {
    try {
      await requireFits(context, pruneOps(rows));
      fitting.push(rows);
    } catch (error) {
      if (!isTooLarge(error) || !isBatch) throw error;
    }
  }
  return fitting;
}

/** Names the chosen semaphores that have no ghost any more, or that cannot be written. */
function leftOut(all: readonly SemaphoreRows[], prunable: readonly SemaphoreRows[]): Warning[] {
  const names = all.filter((rows) => !prunable.includes(rows)).map(({ prefix }) => prefix);
  return names.length === 0
    ? []
    : [{ code: 'left-out', facts: { prefixes: names.length, names: names.slice(0, 5).join('\n') } }];
}

/** Names the holders that look like ghosts on the screen, but whose sessions exist. */
function hiddenStay(prunable: readonly AskedRows[]): Warning[] {
  const ids = prunable.flatMap(({ hidden }) => hidden);
  return ids.length === 0
    ? []
    : [{ code: 'hidden-stay', facts: { holders: ids.length, ids: ids.join('\n') } }];
}

export const pruneGhosts: Act<'semaphore.prune'> = {
  async plan(action, context) {
    const { prefixes } = action;
    for (const prefix of prefixes) requireSemaphoreInView(context, prefix);
    const fresh = await readAll(context);
    const all = await askedOfFresh(context, fresh, [...new Set(prefixes)]);
    const [only] = all;
    if (all.length === 1 && only !== undefined) {
      requireTaken(fresh, coordinationKey(only.prefix));
      requireUnderstood(only);
      requireDecided(only);
    }
    // A ghost may be alive by an entry outside of the readable keys.
    if (all.some(({ prefix }) => !fresh.index.covers(prefix)))
      throw refusal('forbidden', { code: 'prefixes-not-readable', facts: {} });
    const withGhosts = all.filter(
      (rows) =>
        rows.reading?.coordination != null &&
        ghostsIn(rows).length > 0 &&
        fresh.index.takes(coordinationKey(rows.prefix)),
    );
    if (withGhosts.length === 0) throw refusal('not-held', whyNone(all));
    requireAllowed(action, fresh);
    const prunable = await takenOf(context, withGhosts, all.length > 1);
    if (prunable.length === 0) throw refusal('invalid', { code: 'write-too-large', facts: { bytes: null } });
    await requireReadable(context, prunable.flatMap(ghostKeys));
    const total = prunable.reduce((sum, rows) => sum + ghostsIn(rows).length, 0);
    const [first] = prunable;
    return {
      plan: {
        summary:
          prunable.length === 1 && first !== undefined
            ? { code: 'prune-one', facts: { prefix: first.prefix, ghosts: total } }
            : { code: 'prune-many', facts: { semaphores: prunable.length, ghosts: total } },
        ...planPrune(context, action.source, prunable),
        warnings: [...leftOut(all, prunable), ...hiddenStay(prunable)],
        undo: { code: 'not-needed', facts: {}, action: null },
        friction: 'click',
        confirmName: null,
      },
      expect: {
        entries: all.map((rows) =>
          expectEntry(coordinationKey(rows.prefix), rows.lock, factOf(ghostsIn(rows), action)),
        ),
        sessions: [],
      },
    };
  },

  shape({ prefixes }) {
    const keys = [...new Set(prefixes.map(coordinationKey))];
    return {
      needs: keys,
      fits: ({ session, seen }) => session === null && seen !== undefined,
      entriesMax: keys.length,
    };
  },

  needs({ prefixes }) {
    const keys = prefixes.map(coordinationKey);
    const [prefix = ''] = prefixes;
    if (keys.length > 1) {
      const named = [{ code: 'write-semaphores', facts: { count: keys.length } }] as const;
      return { asks: keys.map(writing), named, parts: true };
    }
    // The proof of a live holder must be readable, or no holder is called a ghost (`token-rights.ts`).
    const need = entryNeed(coordinationKey(prefix));
    return { ...need, asks: [...need.asks, reading(contenderKey(prefix, anyName))] };
  },

  /** A single semaphore is refused as a whole. Among many, each part reports its own result. */
  async apply(action, seen, context) {
    const { source, prefixes } = action;
    for (const prefix of prefixes) requireSemaphoreInView(context, prefix);
    const parts: Part[] = [];
    let lost = false;
    for (const prefix of new Set(prefixes)) {
      try {
        const one = await prune(context, action, prefix, seen);
        parts.push(one.part);
        lost ||= one.lost;
      } catch (error) {
        if (prefixes.length === 1) throw error;
        const problem = problemOf(error, context.signal);
        parts.push({ subject: semaphoreSubject({ source, prefix }), done: false, problem, detail: null });
      }
    }
    const outcome = await outcomeOf(context, {
      freed: parts.flatMap(({ done, subject, detail }) =>
        done && detail?.code === 'pruned' ? [subject] : [],
      ),
      lost,
      subject: prefixes.length === 1 ? semaphoreSubject({ source, prefix: prefixes[0] ?? '' }) : null,
      parts,
    });
    return { ...outcome, done: parts.every(({ done }) => done) };
  },
};
