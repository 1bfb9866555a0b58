/** What the audit keeps of an action: codes, facts, indexes, sessions and limits; never a token or a stored value. */
import { type Action, type Expect, subjectsOf } from '@/lib/domain/action';
import type { AuditEntry, Json } from '@/lib/domain/audit';
import { subjectId } from '@/lib/domain/model';
import type { Outcome } from '@/lib/domain/plan';
import { isProblem, type Problem } from '@/lib/domain/problem';

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
