/** Answers of Consul's HTTP API as bytes, up to the world, its findings and its words. */
import fc from 'fast-check';
import { z } from 'zod';
import { subjectPath } from '@/lib/client/paths';
import { concernedBy } from '@/lib/domain/findings/finding';
import { findingsOf } from '@/lib/domain/rules/table';
import type { SourceState } from '@/lib/domain/source-state';
import { apply, diff, same } from '@/lib/domain/world/change';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { languages } from '@/lib/i18n/messages';
import { boardSentence, findingText, lockSentence, semaphoreSentence } from '@/lib/i18n/sentences';
import {
  checkSchema,
  type KvRow,
  readJson,
  readRows,
  sessionSchema,
} from '@/lib/providers/consul/client/wire';
import { observe } from '@/lib/providers/consul/observed/sightings';
import { type ConsulView, recognise } from '@/lib/providers/consul/recognise/recognise';
import { snapshot as snapshotSchema } from '@/lib/server/openapi/schema-world';
import { mutated } from '@/quality/fuzz/bytes';
import { checkBodies, rowBodies, sessionBodies, values } from '@/quality/fuzz/corpus';
import { key, sessionIds } from '@/quality/fuzz/names';
import { agreesWithRows, canonical, namesWhatDiffers, rawRows } from '@/quality/fuzz/oracle';
import { claim, target, type Verdict } from '@/quality/fuzz/target';

const flags = fc.constantFrom(
  '0',
  '3304740253564472344',
  '16210313421097356768',
  '9007199254740993',
  '18446744073709551615',
);
const index = fc.oneof(fc.nat(30), fc.constantFrom(0, 1, 2 ** 53 - 1, 2 ** 53, 1e21));

/** Rows with odd keys and values, in Consul's form. */
const rows = fc
  .uniqueArray(
    fc.record({
      Key: key,
      Flags: flags,
      Value: fc.option(mutated(values, 2).map((value) => value.toString('base64'))),
      Session: fc.option(fc.constantFrom(...sessionIds), { nil: undefined }),
      LockIndex: index,
      CreateIndex: index,
      ModifyIndex: index,
    }),
    { maxLength: 12, selector: (row) => row.Key },
  )
  .map((list) => Buffer.from(JSON.stringify(list).replace(/"Flags":"(\d+)"/g, '"Flags":$1')));

interface Answers {
  readonly rows: Buffer;
  readonly sessions: Buffer;
  readonly checks: Buffer;
  readonly roots: readonly string[];
}

const answers: fc.Arbitrary<Answers> = fc.record({
  rows: fc.oneof({ weight: 3, arbitrary: rows }, { weight: 2, arbitrary: mutated(rowBodies, 3) }),
  sessions: mutated(sessionBodies, 2),
  checks: mutated(checkBodies, 2),
  roots: fc.constantFrom([''], [''], ['rec/'], ['a', 'b/']),
});

/** The client's reading: the value, or `null` for an unreadable answer. */
function parsed<T>(read: (body: unknown) => readonly T[], body: Buffer): readonly T[] | null {
  try {
    return read(readJson(body));
  } catch {
    return null;
  }
}

const sessionsOf = (body: unknown) => z.array(sessionSchema).parse(body ?? []);
const checksOf = (body: unknown) => z.array(checkSchema).parse(body ?? []);

export const fuzzSource: SourceState = {
  id: 'consul',
  title: 'Consul',
  provider: 'consul',
  datacenter: 'dc1',
  origin: 'http://127.0.0.1:8500',
  state: 'live',
  lastContactMs: 1,
  staleSinceMs: null,
  endsSeenSinceMs: null,
  restoredAtMs: null,
  renewals: [],
  problem: null,
};

function viewOf({ rows, sessions, checks, roots }: Answers): ConsulView | null {
  const read = parsed(readRows, rows);
  if (read === null) return null;
  for (const { key, createIndex, modifyIndex, lockIndex, flags } of read)
    for (const one of [createIndex, modifyIndex, lockIndex, flags])
      claim(/^\d{1,20}$/.test(one), `${key} has an index that is none: ${one}`);
  const sorted = [...read].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const listed = parsed(sessionsOf, sessions);
  // Ids are Consul's own, of 36 characters. No action accepts one that a broken answer made longer.
  if (listed?.some(({ id }) => id.length > 128)) return null;
  const look = { rows: sorted, rowsIndexes: [], sessions: listed, sessionsIndex: null, nowMs: 1_000 };
  const sightings = observe(null, { ...look, afterGap: true });
  const ended = sightings.unlisted();
  return { rows: sorted, roots, sessions: listed, ended, checks: parsed(checksOf, checks), sightings };
}

function snapshotOf(view: ConsulView): Snapshot {
  const world = recognise(view);
  return { ...world, version: 1, asOfMs: 1_000, source: fuzzSource, findings: findingsOf(world) };
}

/** The same content as another reader has it: other objects, in another order. */
function elsewhere(view: ConsulView): ConsulView {
  const copy = <T extends object>(of: readonly T[] | null) =>
    of?.map((one) => ({ ...one })).reverse() ?? null;
  return {
    ...view,
    rows: view.rows.map((row) => ({ ...row, value: row.value })),
    sessions: copy(view.sessions),
  };
}

function names(snapshot: Snapshot): void {
  for (const list of [
    snapshot.locks.map((lock) => lock.key),
    snapshot.semaphores.map((semaphore) => semaphore.prefix),
    snapshot.sessions.map((session) => session.id),
    snapshot.findings.map((finding) => finding.id),
  ])
    claim(same(list, [...new Set(list)].sort()), `not sorted, or not unique: ${list.join(' ')}`);
}

const moment = { nowMs: 2_000, zone: 'UTC' };

function words(snapshot: Snapshot): void {
  for (const m of Object.values(languages)) {
    boardSentence(snapshot, m);
    for (const lock of snapshot.locks) claim(lockSentence(lock, moment, m) !== '', 'a lock without words');
    for (const one of snapshot.semaphores) claim(semaphoreSentence(one, moment, m) !== '', 'no words');
    for (const finding of snapshot.findings) claim(findingText(finding, m) !== '', 'a finding without words');
  }
  for (const finding of snapshot.findings) for (const subject of concernedBy(finding)) subjectPath(subject);
  for (const one of [
    ...snapshot.locks.flatMap((lock) => lock.holder ?? []),
    ...snapshot.semaphores.flatMap((s) => [...s.holders, ...s.waiters]),
  ])
    subjectPath({ source: 'consul', kind: 'session', id: one.sessionId });
}

const uniqueKeys = (of: readonly KvRow[]) => new Set(of.map((row) => row.key)).size === of.length;
const uniqueIds = (of: ConsulView['sessions']) =>
  new Set(of?.map((row) => row.id)).size === (of?.length ?? 0);

function checkWorld(input: Answers): Verdict {
  const view = viewOf(input);
  if (view === null) return 'refused';
  const snapshot = snapshotOf(view);
  names(snapshot);
  words(snapshot);
  const wire = JSON.parse(JSON.stringify(snapshot)) as Snapshot;
  const fits = snapshotSchema.safeParse(wire);
  claim(
    fits.success,
    `not as documented: ${fits.success ? '' : JSON.stringify(fits.error.issues.slice(0, 2))}`,
  );
  claim(same(wire, snapshot), 'something does not survive the wire');
  if (uniqueKeys(view.rows) && uniqueIds(view.sessions)) {
    const other = snapshotOf(elsewhere(view));
    claim(same(other.locks, snapshot.locks), 'other locks from the same content');
    claim(same(other.semaphores, snapshot.semaphores), 'other semaphores from the same content');
    claim(same(other.sessions, snapshot.sessions), 'other sessions from the same content');
    claim(same(other.findings, snapshot.findings), 'other findings from the same content');
  }
  const raw = rawRows(input.rows);
  if (raw !== null) agreesWithRows(raw, snapshot);
  return 'taken';
}

export const worldTargets = [
  target({
    name: 'worlds',
    guarantee:
      'Any bytes in an answer of Consul are refused whole, or make a documented, sorted world with sentences in both languages, the same in any order of its parts, whose rows have their own flags, index, holders and limit.',
    inputs: answers,
    check: checkWorld,
    share: 0.25,
  }),
  target({
    name: 'changes',
    guarantee: 'One patch leads from any world to any other, and back, over the wire.',
    inputs: fc.tuple(answers, answers),
    check: ([one, other]) => {
      const [from, to] = [viewOf(one), viewOf(other)];
      if (from === null || to === null) return 'refused';
      const [a, b] = [snapshotOf(from), { ...snapshotOf(to), version: 2 }];
      for (const [before, after] of [
        [a, b],
        [b, { ...a, version: 3 }],
      ] as const) {
        const patch = diff(before, after);
        namesWhatDiffers(patch, before, after);
        if (patch === null) continue;
        const landed = apply(before, JSON.parse(JSON.stringify(patch)));
        claim(landed !== null, 'the patch does not join');
        for (const table of ['locks', 'semaphores', 'sessions', 'findings'] as const)
          claim(canonical(landed[table]) === canonical(after[table]), `${table} differ after the patch`);
      }
      return 'taken';
    },
    share: 0.1,
  }),
];
