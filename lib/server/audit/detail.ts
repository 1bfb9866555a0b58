/**
 * The audit's record of an action: codes, facts, indexes, limits, sessions and their names; never a token or a stored
 * value.
 */

import { type Action, type Expect, subjectsOf } from '@/lib/domain/actions/action';
import type { AuditEntry, Json } from '@/lib/domain/actions/audit';
import type { Outcome } from '@/lib/domain/actions/plan';
import { type Whom, whomHit, whomMeant } from '@/lib/domain/actions/whom';
import { subjectId } from '@/lib/domain/model';
import { isProblem, type Problem } from '@/lib/domain/problem';
import { partOf } from '@/lib/domain/source-state';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { createScrub, type Discreet } from '@/lib/server/process/scrub';
import { sha256 } from './chain';

type Detail = AuditEntry['detail'];

/** Members kept of a long list, beside its full count. */
const listMax = 20;
/** Characters of JSON for one list, beyond its first member: a name may have 2,048 characters. */
const listLengthMax = 4_096;
/** Subjects that one row names; `listLengthMax` limits their characters. */
const subjectsMax = 100;
/** Characters kept of a fact: a comparison may quote a whole entry. */
const factMax = 300;
/** Characters kept of what the provider saw: the limit, or the ghosts. */
const seenMax = 300;

/** Domain data is JSON already; TypeScript does not see that for interfaces. */
const json = (value: unknown) => value as Json;

function listed<T>(name: string, list: readonly T[], kept: (one: T) => unknown = (one) => one): Detail {
  const first = firstOf(list.slice(0, listMax).map(kept));
  return first.length < list.length
    ? { [name]: json(first), [`${name}InAll`]: list.length }
    : { [name]: json(first) };
}

/** As many as fit, and at least one. */
function firstOf<T>(list: readonly T[]): readonly T[] {
  let length = 0;
  const end = list.findIndex((one, i) => {
    length += JSON.stringify(one).length;
    return i > 0 && length > listLengthMax;
  });
  return end === -1 ? list : list.slice(0, end);
}

/** A code with its facts, each cut to `factMax`. */
function saidDetail({ code, facts }: { readonly code: string; readonly facts: object }) {
  const kept = Object.entries(facts).map(([name, fact]) => [
    name,
    typeof fact === 'string' && fact.length > factMax ? `${fact.slice(0, factMax)}…` : fact,
  ]);
  return { code, facts: Object.fromEntries(kept) };
}

/**
 * The subjects under which a row is filed. For a long list these are the first ones, and the detail has the full count
 * and the SHA-256, in hex, of the JSON of all. An action may name 500, and each row has an index entry for each
 * subject.
 */
export function filed(ids: readonly string[]): Pick<AuditEntry, 'subjects' | 'detail'> {
  const subjects = firstOf(ids.slice(0, subjectsMax));
  if (subjects.length === ids.length) return { subjects, detail: {} };
  return { subjects, detail: { subjectsInAll: ids.length, subjectsDigest: sha256(JSON.stringify(ids)) } };
}

/** The parameters of the action beside its type and subjects. */
export function askedDetail(action: Action): Detail {
  return {
    ...('how' in action ? { how: action.how } : {}),
    ...('limit' in action ? { limit: action.limit } : {}),
    ...('sessionId' in action ? { session: action.sessionId } : {}),
  };
}

/** The person's view when deciding, as sent. `discreet` runs before the cut, which could leave half of a token. */
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

/** Characters kept of a name; sessions may have longer ones. */
const nameLengthMax = 64;
/** Longer texts are cut before scrubbing, so that a session's name cannot keep the server busy. */
const scrubLengthMax = 1_024;
const scrub = createScrub([]);

/**
 * Names are free text of clients: `consul lock` names its session after the command. This removes secrets and the
 * caller's token. The pattern of a secret includes its end, so whole words are scrubbed: a long name loses its last
 * word.
 */
function cleaned(text: string, discreet: Discreet): string {
  const whole = text.length <= scrubLengthMax ? text : text.slice(0, scrubLengthMax).replace(/\S+$/, '…');
  return discreet(scrub(whole));
}

/** Scrubs first and cuts last, so that no cut hides a secret from the scrub. */
export function keptWhom(whom: Whom, discreet: Discreet): Whom {
  const clean = whom.name === null ? null : cleaned(whom.name, discreet);
  const name = clean?.slice(0, nameLengthMax) ?? null;
  if (whom.label === null) return { ...whom, name };
  // The label may be a piece of the name, cut in the middle of a secret. If the name had a secret, only a label that is
  // part of the scrubbed name is kept.
  const isSafe = clean === null || clean === whom.name || clean.includes(whom.label);
  const label = isSafe ? cleaned(whom.label, discreet) : clean;
  return { ...whom, label: label.slice(0, nameLengthMax), name };
}

/** The clients that the action hits or meant, as the caller's view shows them before the write. */
export function whomDetail(action: Action, expect: Expect, before: Snapshot, discreet: Discreet): Detail {
  const live = (partOf(before.source, action.source) ?? before.source).state === 'live';
  const kept = (name: string, whom: readonly Whom[]) =>
    whom.length === 0 ? {} : listed(name, whom, (one) => keptWhom(one, discreet));
  return {
    ...kept('whom', whomHit(action, expect, before, live)),
    ...kept('meant', whomMeant(action, expect, before, live)),
  };
}

/** Why an action was refused. `outcome` is the problem's code. */
export function problemDetail({ code, why = null, difference }: Problem): Detail {
  return {
    outcome: code,
    ...(why === null ? {} : { why: json(saidDetail(why)) }),
    ...(difference === undefined ? {} : listed('difference', difference, saidDetail)),
  };
}

export function outcomeDetail(result: Outcome | Problem): Detail {
  if (isProblem(result)) return problemDetail(result);
  const { done, freed, after, warnings, parts } = result;
  // Refused parts first: readers of a long list look for those.
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

export const subjectIds = (action: Action): string[] => subjectsOf(action).map(subjectId);
