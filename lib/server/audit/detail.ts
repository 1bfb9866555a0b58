/**
 * What the audit keeps of an action: codes, facts, indexes, limits, sessions and what they were called; never a token or a
 * stored value.
 */
import { type Action, type Expect, subjectsOf } from '@/lib/domain/actions/action';
import type { AuditEntry, Json } from '@/lib/domain/actions/audit';
import type { Outcome } from '@/lib/domain/actions/plan';
import { type Whom, whomHit, whomMeant } from '@/lib/domain/actions/whom';
import { subjectId } from '@/lib/domain/model';
import { isProblem, type Problem } from '@/lib/domain/problem';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { createScrub, type Discreet } from '@/lib/server/process/scrub';
import { sha256 } from './chain';

type Detail = AuditEntry['detail'];

/** Of long lists so many are kept, and how many there were. */
const listMax = 20;
/** Characters of JSON that one list may take, beyond its first member: each name in it may be 2,048 characters long. */
const listLengthMax = 4_096;
/** Subjects that one row names, in number and in characters. */
const subjectsMax = 100;
/** Of a fact so many characters are kept: what a comparison says may be as long as an entry. */
const factMax = 300;
/** What the provider said that it saw: the limit, or the ghosts. */
const seenMax = 300;

/** Domain data is JSON already; TypeScript does not see that of interfaces. */
const json = (value: unknown) => value as Json;

function listed<T>(name: string, list: readonly T[], kept: (one: T) => unknown = (one) => one): Detail {
  const first = firstOf(list.slice(0, listMax).map(kept));
  return first.length < list.length
    ? { [name]: json(first), [`${name}InAll`]: list.length }
    : { [name]: json(first) };
}

/** As many as fit, and one at least. */
function firstOf<T>(list: readonly T[]): readonly T[] {
  let length = 0;
  const end = list.findIndex((one, i) => {
    length += JSON.stringify(one).length;
    return i > 0 && length > listLengthMax;
  });
  return end === -1 ? list : list.slice(0, end);
}

/** A code with its facts, none of which is longer than is kept. */
function saidDetail({ code, facts }: { readonly code: string; readonly facts: object }) {
  const kept = Object.entries(facts).map(([name, fact]) => [
    name,
    typeof fact === 'string' && fact.length > factMax ? `${fact.slice(0, factMax)}…` : fact,
  ]);
  return { code, facts: Object.fromEntries(kept) };
}

/**
 * The subjects that a row is filed under: of many the first, and then the detail says how many there were, and the SHA-256, in
 * hex, of the JSON of all of them. An action may name 500, and each of its rows has an index entry for each.
 */
export function filed(ids: readonly string[]): Pick<AuditEntry, 'subjects' | 'detail'> {
  const subjects = firstOf(ids.slice(0, subjectsMax));
  if (subjects.length === ids.length) return { subjects, detail: {} };
  return { subjects, detail: { subjectsInAll: ids.length, subjectsDigest: sha256(JSON.stringify(ids)) } };
}

/** Which action, beyond its type and its subjects. */
export function askedDetail(action: Action): Detail {
  return {
    ...('how' in action ? { how: action.how } : {}),
    ...('limit' in action ? { limit: action.limit } : {}),
    ...('sessionId' in action ? { session: action.sessionId } : {}),
  };
}

/** What the person saw when deciding, as they sent it. `discreet` comes first: of their token a cut might leave half. */
export function seenDetail(expect: Expect, discreet: Discreet): Detail {
  const entries = discreet(expect.entries).map(({ key, modifyIndex, session, seen }) => ({
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
      ...(expect.verdict === undefined ? {} : { verdict: expect.verdict }),
    },
  };
}

/** Longest name that is kept, in characters: a session may have a longer one. */
const nameLengthMax = 64;
/** Of a longer text no more is looked through: who names a session must not be able to keep the server busy. */
const scrubLengthMax = 1_024;
const scrub = createScrub([]);

/**
 * Names are free text of the clients: `consul lock` names its session after the command, with what stands in it. This leaves out
 * what stands where secrets do, and the token of whoever acts. A secret is known by its end as well, so it sees whole names,
 * and of one that is too long the last word goes.
 */
function cleaned(text: string, discreet: Discreet): string {
  const whole = text.length <= scrubLengthMax ? text : text.slice(0, scrubLengthMax).replace(/\S+$/, '…');
  return discreet(scrub(whole));
}

/** As the audit keeps it: without secrets, and cut last. */
export function keptWhom(whom: Whom, discreet: Discreet): Whom {
  const clean = whom.name === null ? null : cleaned(whom.name, discreet);
  const name = clean?.slice(0, nameLengthMax) ?? null;
  if (whom.label === null) return { ...whom, name };
  // The label may be a piece of the name that was cut before it came here, in the middle of a secret. Where there was one, only
  // a piece of what is left of the name is kept.
  const isSafe = clean === null || clean === whom.name || clean.includes(whom.label);
  const label = isSafe ? cleaned(whom.label, discreet) : clean;
  return { ...whom, label: label.slice(0, nameLengthMax), name };
}

/** Whom it hits or was meant for, as the view of whoever acts shows them before anything is written. */
export function whomDetail(action: Action, expect: Expect, before: Snapshot, discreet: Discreet): Detail {
  const live = before.source.state === 'live';
  const kept = (name: string, whom: readonly Whom[]) =>
    whom.length === 0 ? {} : listed(name, whom, (one) => keptWhom(one, discreet));
  return {
    ...kept('whom', whomHit(action, expect, before, live)),
    ...kept('meant', whomMeant(action, expect, before, live)),
  };
}

/** Why something was refused. `outcome` is the problem's code. */
export function problemDetail({ code, why = null, difference }: Problem): Detail {
  return {
    outcome: code,
    ...(why === null ? {} : { why: json(saidDetail(why)) }),
    ...(difference === undefined ? {} : listed('difference', difference, saidDetail)),
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
            ...(detail === null ? {} : { detail: saidDetail(detail) }),
          })),
        )),
  };
}

/** The subjects of an action, as the audit files them. */
export const subjectIds = (action: Action): string[] => subjectsOf(action).map(subjectId);
