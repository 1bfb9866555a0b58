/**
 * What the audit keeps of an action: codes, facts, indexes, limits, sessions and what they were called; never a token or a
 * stored value.
 */
import { type Action, type Expect, subjectsOf } from '@/lib/domain/action';
import type { AuditEntry, Json } from '@/lib/domain/audit';
import { subjectId } from '@/lib/domain/model';
import type { Outcome } from '@/lib/domain/plan';
import { isProblem, type Problem } from '@/lib/domain/problem';
import type { Snapshot } from '@/lib/domain/snapshot';
import { type Whom, whomHit } from '@/lib/domain/whom';
import { createScrub } from './scrub';

type Detail = AuditEntry['detail'];

/** Of long lists so many are kept, and how many there were. */
const listMax = 20;
/** What the provider said that it saw: the limit, or the ghosts. */
const seenMax = 300;

/** Domain data is JSON already; TypeScript does not see that of interfaces. */
const json = (value: unknown) => value as Json;

function listed(name: string, list: readonly unknown[]): Detail {
  const kept = json(list.slice(0, listMax));
  return list.length > listMax ? { [name]: kept, [`${name}InAll`]: list.length } : { [name]: kept };
}

/** Which action, beyond its type and its subjects. */
export function askedDetail(action: Action): Detail {
  return {
    ...('how' in action ? { how: action.how } : {}),
    ...('limit' in action ? { limit: action.limit } : {}),
    ...('sessionId' in action ? { session: action.sessionId } : {}),
  };
}

/** What the person saw when deciding. */
export function seenDetail(expect: Expect): Detail {
  const entries = expect.entries.map(({ key, modifyIndex, session, seen }) => ({
    key,
    index: modifyIndex,
    session,
    ...(seen === undefined ? {} : { seen: seen.slice(0, seenMax) }),
  }));
  return {
    saw: {
      ...listed('entries', entries),
      ...listed('sessions', expect.sessions),
      ...(expect.holdings === undefined ? {} : { holdings: expect.holdings.count }),
    },
  };
}

/** Names are free text of the clients: `consul lock` names its session after the command, with what stands in it. */
const scrub = createScrub([]);
const scrubbed = (text: string | null) => (text === null ? null : scrub(text));

/** Without what stands where secrets do. */
export const discreetWhom = (whom: Whom): Whom => ({
  ...whom,
  label: scrubbed(whom.label),
  name: scrubbed(whom.name),
});

/** Whom it hits, as the view of whoever acts shows them before anything is written. */
export function whomDetail(action: Action, expect: Expect, before: Snapshot): Detail {
  const whom = whomHit(action, expect, before, before.source.state === 'live').map(discreetWhom);
  return whom.length === 0 ? {} : listed('whom', whom);
}

/** Why something was refused. `outcome` is the problem's code. */
export function problemDetail({ code, why = null, difference }: Problem): Detail {
  return {
    outcome: code,
    ...(why === null ? {} : { why: json({ code: why.code, facts: why.facts }) }),
    ...(difference === undefined ? {} : listed('difference', difference)),
  };
}

/** What came of it. */
export function outcomeDetail(result: Outcome | Problem): Detail {
  if (isProblem(result)) return problemDetail(result);
  const { done, freed, after, warnings, parts } = result;
  // Those that were refused first: of a long list they are what one looks for.
  const sorted = [...parts].sort((a, b) => Number(a.done) - Number(b.done));
  return {
    outcome: done ? 'done' : 'partly',
    ...listed('freed', freed.map(subjectId)),
    afterIndex: after?.modifyIndex ?? null,
    ...(after?.kind === 'semaphore' ? { limitAfter: after.limit } : {}),
    ...(after?.kind === 'lock' ? { holderAfter: after.holder?.sessionId ?? null } : {}),
    ...(warnings.length === 0 ? {} : { warnings: warnings.map(({ code }) => code) }),
    ...(parts.length === 0
      ? {}
      : listed(
          'parts',
          sorted.map(({ subject, done, problem, detail }) => ({
            subject: subjectId(subject),
            done,
            ...(problem === null ? {} : problemDetail(problem)),
            ...(detail === null ? {} : { detail: { code: detail.code, facts: detail.facts } }),
          })),
        )),
  };
}

/** The subjects of an action, as the audit files them. */
export const subjectIds = (action: Action): string[] => subjectsOf(action).map(subjectId);
