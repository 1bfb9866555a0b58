/**
 * The audit's record of an action: codes, facts, indexes, limits, sessions and their names. It never contains a token
 * or a stored value.
 */
import { type Action, subjectsOf } from '@/lib/domain/actions/action';
import type { AuditEntry, Json } from '@/lib/domain/actions/audit';
import type { Saw } from '@/lib/domain/actions/expect';
import type { Outcome } from '@/lib/domain/actions/plan';
import { type Whom, whomHit, whomMeant } from '@/lib/domain/actions/whom';
import { subjectId } from '@/lib/domain/model';
import { isProblem, type Problem } from '@/lib/domain/problem';
import { partOf } from '@/lib/domain/source-state';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { createScrub, type Discreet } from '@/lib/server/process/scrub';
import { sha256 } from './chain';

type Detail = AuditEntry['detail'];

const listMax = 20;
/** Beyond its first member: a name may have 2,048 characters. */
const listLengthMax = 4_096;
const subjectsMax = 100;
/** A comparison may quote a whole entry. */
const factMax = 300;
const seenMax = 300;

/** Domain data is JSON; TypeScript does not see that for interfaces. */
const json = (value: unknown) => value as Json;

function listed<T>(name: string, list: readonly T[], toMember: (one: T) => unknown = (one) => one): Detail {
  const first = firstOf(list.slice(0, listMax).map(toMember));
  return first.length < list.length
    ? { [name]: json(first), [`${name}InAll`]: list.length }
    : { [name]: json(first) };
}

/** At least one. */
function firstOf<T>(list: readonly T[]): readonly T[] {
  let length = 0;
  const end = list.findIndex((one, i) => {
    length += JSON.stringify(one).length;
    return i > 0 && length > listLengthMax;
  });
  return end === -1 ? list : list.slice(0, end);
}

function saidDetail({ code, facts }: { readonly code: string; readonly facts: object }) {
  const shortened = Object.entries(facts).map(([name, fact]) => [
    name,
    typeof fact === 'string' && fact.length > factMax ? `${fact.slice(0, factMax)}…` : fact,
  ]);
  return { code, facts: Object.fromEntries(shortened) };
}

/**
 * The subjects under which a row is filed: each costs an index entry, and an action may name 500. For a long list the
 * detail has the full count and the SHA-256, in hex, of the JSON of all.
 */
export function filed(ids: readonly string[]): Pick<AuditEntry, 'subjects' | 'detail'> {
  const subjects = firstOf(ids.slice(0, subjectsMax));
  if (subjects.length === ids.length) return { subjects, detail: {} };
  return { subjects, detail: { subjectsInAll: ids.length, subjectsDigest: sha256(JSON.stringify(ids)) } };
}

/** The person's view when deciding, as sent and as the provider reads it. `discreet` runs before the cut, which could leave half of a token. */
export function seenDetail(saw: Saw, discreet: Discreet): Detail {
  const { sessions, holdings, verdict } = saw;
  const entries = discreet(saw.entries).map(({ seen, ...entry }) => ({
    ...entry,
    ...(seen === undefined ? {} : { seen: seen.slice(0, seenMax) }),
  }));
  return {
    saw: {
      ...listed('entries', entries),
      ...listed('sessions', sessions),
      ...(holdings === null ? {} : { holdings }),
      ...(verdict === null ? {} : { verdict }),
    },
  };
}

const nameLengthMax = 64;
/** A session's name must not keep the server busy. */
const scrubLengthMax = 1_024;
const scrub = createScrub([]);

/**
 * Names are free text of clients: `consul lock` names its session after the command. The pattern of a secret includes
 * its end, so a long name loses its last word before the scrub.
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
  // The label may be cut in the middle of a secret. If the name had one, only a label within the scrubbed name is kept.
  const isSafe = clean === null || clean === whom.name || clean.includes(whom.label);
  const label = isSafe ? cleaned(whom.label, discreet) : clean;
  return { ...whom, label: label.slice(0, nameLengthMax), name };
}

/** The clients that the action hits or meant, as the caller's view shows them before the write. */
export function whomDetail(
  action: Action,
  saw: Pick<Saw, 'sessions'>,
  before: Snapshot,
  discreet: Discreet,
): Detail {
  const live = (partOf(before.source, action.source) ?? before.source).state === 'live';
  const membersOf = (name: string, whom: readonly Whom[]) =>
    whom.length === 0 ? {} : listed(name, whom, (one) => keptWhom(one, discreet));
  return {
    ...membersOf('whom', whomHit(action, saw, before, live)),
    ...membersOf('meant', whomMeant(action, saw, before, live)),
  };
}

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
  // Readers of a long list look for refused parts.
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
