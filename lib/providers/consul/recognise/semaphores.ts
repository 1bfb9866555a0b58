/**
 * Finds semaphores among the entries in view. A key alone is no proof, because `<x>/.lock` is a lock for Terraform and
 * `consul lock -n=1`. The flags decide first, then the shape of the value, then the lock on the key (a coordination
 * entry is never locked).
 *
 * The rule for live holders follows `findLock` and `pruneDeadHolders` in HashiCorp's api/semaphore.go. The prefix is
 * listed as a string prefix, and a holder is alive when it locks any key of that list.
 */

import { holdersWith } from '@/lib/domain/holders';
import type { SemaphoreLayout } from '@/lib/domain/layout';
import type { Evidence, Holder, Semaphore, SemaphoreProblem, Waiter } from '@/lib/domain/model';
import { jsonObject, storedValue } from '@/lib/domain/seam/stored-value';
import type { Steps } from '@/lib/domain/sliced-work';
import type { HolderFacts } from '@/lib/domain/verdict';
import type { LimitChange } from '@/lib/providers/consul/observed/limit-change';
import { noted } from '@/lib/providers/consul/rows/changed-rows';
import {
  type CoordinationReading,
  coordinationName,
  lockFlags,
  semaphoreFlags,
} from '@/lib/providers/consul/rows/coordination';
import { isJavaPrefix, reading, type SemaphoreEntries } from '@/lib/providers/consul/rows/folders';
import { ghostDoubt } from '@/lib/providers/consul/rows/ghost-rule';
import { restSemaphore, type SemaphoreBasis, type SemaphoreKind } from './basis';
import { toldApart } from './distinct-names';
import { party } from './party';
import { sourceIn, type ViewIndex } from './view';

/**
 * Most listed holders that are mere names. An entry of 512 KiB can name 13,000, each judged, sent and drawn, so the
 * rest are only counted. Every holder with a locked entry or a visible session is listed.
 */
const bareMax = 100;

const nothingRead: CoordinationReading = { coordination: null, limit: null, holders: null, problems: [] };

/**
 * The layout, and the flags or shape that break a client. Go refuses a key without its flags, and fails on a list where
 * it expects a map.
 */
function layoutOf(entries: SemaphoreEntries): { layout: SemaphoreLayout; problems: SemaphoreProblem[] } {
  const { coordination: row, foreign, contenders, prefix } = entries;
  const goContends = contenders.some((contender) => contender.flags === semaphoreFlags);
  const problem = (code: SemaphoreProblem['code'], detail: string | null): SemaphoreProblem[] => [
    { code, detail },
  ];
  if (row === null) {
    // The contenders or earlier sightings make it a semaphore.
    if (goContends && foreign !== null)
      return { layout: 'go-semaphore', problems: problem('wrong-flags', foreign.flags) };
    const layout = goContends ? 'go-semaphore' : isJavaPrefix(prefix) ? 'java-semaphore' : 'unreadable';
    return { layout, problems: problem('entry-missing', foreign?.flags ?? null) };
  }
  const { coordination } = reading(row);
  const flagsRight = row.flags === semaphoreFlags;
  if (coordination === null)
    return {
      layout: 'unreadable',
      problems: goContends && !flagsRight ? problem('wrong-flags', row.flags) : [],
    };
  if (coordination.shape === 'map') {
    // Clients of the guide may store a map with their own flags.
    const agreed =
      contenders.length > 0 && contenders.every((c) => c.flags === row.flags && c.flags !== lockFlags);
    if (flagsRight) return { layout: 'go-semaphore', problems: [] };
    return agreed
      ? { layout: 'guide-list', problems: [] }
      : { layout: 'go-semaphore', problems: problem('wrong-flags', row.flags) };
  }
  const members = jsonObject(row.value);
  const lowerCase = members !== null && 'limit' in members && 'holders' in members;
  const layout = lowerCase && row.flags === '0' && isJavaPrefix(prefix) ? 'java-semaphore' : 'guide-list';
  if (flagsRight) return { layout, problems: problem('holders-wrong-type', 'list') };
  return { layout, problems: goContends ? problem('wrong-flags', row.flags) : [] };
}

/** `null` with the right flags, when the entry alone is proof. */
function basisOf(
  entries: SemaphoreEntries,
  kindOf: (entries: SemaphoreEntries) => SemaphoreKind,
): SemaphoreBasis | null {
  const { coordination: row, contenders } = entries;
  if (row?.flags === semaphoreFlags || contenders.length === 0) return null;
  return {
    contenders: contenders.map(({ key, flags }) => ({ key, flags })),
    as: (reads) => kindOf({ ...entries, contenders: contenders.filter(({ key }) => reads(key)) }),
  };
}

function compareIndex(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}

/** Go's clients gave up at that moment, and look like waiters until their sessions end. */
function limitChanged({ from, to, atMs }: LimitChange): Evidence {
  return {
    code: 'limit-changed-while-waiting',
    source: 'signalbox',
    detail: `${from} -> ${to}`,
    atMs,
  };
}

export function* semaphore(index: ViewIndex, entries: SemaphoreEntries): Steps<Semaphore> {
  const { prefix, coordination: row, contenders } = entries;
  const { sightings } = index.view;
  const read = row === null ? nothingRead : reading(row);
  const kindOf = (of: SemaphoreEntries): SemaphoreKind => {
    const { layout, problems } = layoutOf(of);
    return { layout, problems: [...read.problems, ...problems] };
  };
  const recordedIds = new Set(read.holders ?? []);
  // A string prefix, as in the client library: `jobs` also lists `jobs-2/…`.
  const whole = index.covers(prefix);

  const mayLive = (id: string) => index.session(id) !== null || index.view.ended?.has(id) !== true;
  const doubts = new Set<string>();
  const entryState = (sessionId: string): HolderFacts['entry'] => {
    if (index.locksUnder(sessionId, prefix)) return 'locked';
    const doubt = ghostDoubt(row?.flags, sessionId, mayLive);
    if (doubt !== null) doubts.add(sessionId);
    return doubt === 'no-session' ? doubt : whole ? (doubt ?? 'none') : 'not-in-view';
  };
  const states = new Map<string, HolderFacts['entry']>();
  for (const id of recordedIds) {
    states.set(id, entryState(id));
    yield noted;
  }
  const bare = [...states].flatMap(([id, state]) =>
    state === 'locked' || index.session(id) !== null ? [] : [{ id, isGhost: state === 'none' }],
  );
  // Ghosts first, because only listed ghosts can be pruned.
  const unlisted = [
    ...bare.filter(({ isGhost }) => isGhost),
    ...bare.filter(({ isGhost }) => !isGhost),
  ].slice(bareMax);
  const ghost = unlisted.filter(({ isGhost }) => isGhost).length;
  const beyond = { ghost, unknown: unlisted.length - ghost };
  const left = new Set(unlisted.map(({ id }) => id));
  const holders: Holder[] = [];
  for (const [sessionId, state] of states) {
    if (left.has(sessionId)) continue;
    const entry = index.row(`${prefix}/${sessionId}`);
    holders.push(
      party(index, {
        subject: prefix,
        sessionId,
        recorded: true,
        entry: state,
        row: entry ?? null,
        since: sightings.heldSince(prefix, sessionId),
      }),
    );
  }
  const waiters: Waiter[] = contenders
    .filter((contender) => contender.session !== null && !recordedIds.has(contender.session))
    .sort((a, b) => compareIndex(a.createIndex, b.createIndex))
    .map((contender) => {
      const { sessionId, session, verdict, evidence, since, expiry, value, label } = party(index, {
        subject: prefix,
        sessionId: contender.session ?? '',
        recorded: false,
        entry: 'locked',
        row: contender,
        since: sightings.waitingSince(contender.key),
      });
      const changed = sightings.limitChange(contender.key);
      // A spread with additions takes several times the time and more memory.
      return {
        sessionId,
        session,
        verdict,
        evidence: changed === null ? evidence : [...evidence, limitChanged(changed)],
        since,
        expiry,
        value,
        label,
        entryKey: contender.key,
        arrivedIndex: contender.createIndex,
      };
    });

  const parties = [...holders, ...waiters];
  const result: Semaphore = {
    kind: 'semaphore',
    source: sourceIn(index),
    prefix,
    ...kindOf(entries),
    limit: read.limit,
    recorded: read.holders?.length ?? null,
    effective:
      whole && read.holders !== null && doubts.size === 0
        ? recordedIds.size - holdersWith({ holders, beyond }, 'ghost')
        : null,
    holders: toldApart(holders, parties),
    ...(unlisted.length > 0 ? { beyond } : {}),
    waiters: toldApart(waiters, parties),
    leftovers: entries.leftovers.map((leftover) => leftover.key),
    turnover: sightings.turnover(prefix),
    value: row === null ? null : storedValue(row.value),
    flags: row?.flags ?? null,
    createIndex: row?.createIndex ?? null,
    modifyIndex: row?.modifyIndex ?? null,
    ...(index.takes(`${prefix}/${coordinationName}`) ? {} : { unwritable: true }),
  };
  return restSemaphore(result, basisOf(entries, kindOf));
}
