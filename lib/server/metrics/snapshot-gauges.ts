/**
 * A snapshot as gauges. A bounded number of locks and semaphores have rows of their own; the rest is summed up, so
 * every sum is right.
 */
import { Gauge, type Registry } from 'prom-client';
import { freeOf, waitingOf } from '@/lib/domain/capabilities';
import { concernedBy } from '@/lib/domain/findings/finding';
import { holdersOf, holdersWith } from '@/lib/domain/holders';
import type { Lock, Semaphore, Verdict } from '@/lib/domain/model';
import { subjectId, verdicts } from '@/lib/domain/model';
import type { SourceId } from '@/lib/domain/source';
import type { RenewalWatch, SourceState } from '@/lib/domain/source-state';
import { lockSubject, semaphoreSubject } from '@/lib/domain/subject';
import { type Snapshot, wasRead } from '@/lib/domain/world/snapshot';
import type { Hub } from '@/lib/server/live/hub';

/** `null` is absent from the metrics. */
interface GaugeValues {
  readonly source: SourceId;
  readonly kind: 'lock' | 'semaphore';
  readonly name: string;
  readonly held: number | null;
  readonly recorded: number | null;
  readonly limit: number | null;
  readonly free: number | null;
  readonly waiters: number | null;
  readonly ghosts: number | null;
}

const idOf = ({ kind, source, name }: GaugeValues) =>
  subjectId(
    kind === 'lock' ? lockSubject({ source, key: name }) : semaphoreSubject({ source, prefix: name }),
  );

const counts = ['held', 'recorded', 'limit', 'free', 'waiters', 'ghosts'] as const;
type Count = (typeof counts)[number];

const ofLock = (lock: Lock): GaugeValues => ({
  source: lock.source,
  kind: 'lock',
  name: lock.key,
  held: lock.state === 'unknown' ? null : holdersOf(lock).length,
  recorded: null,
  limit: null,
  free: null,
  // Unknown where nothing records who waits, as for Consul's locks.
  waiters: waitingOf(lock),
  ghosts: null,
});

const ofSemaphore = (semaphore: Semaphore): GaugeValues => ({
  source: semaphore.source,
  kind: 'semaphore',
  name: semaphore.prefix,
  held: semaphore.effective,
  recorded: semaphore.recorded,
  limit: semaphore.limit,
  free: freeOf(semaphore) ?? null,
  waiters: waitingOf(semaphore),
  // Without a known number of effective holders, ghosts are unknown too.
  ghosts: semaphore.effective === null ? null : holdersWith(semaphore, 'ghost'),
});

/**
 * Chooses the subjects of findings first, as operators look these up, then those in use, then the others. Each group
 * keeps the snapshot's order, so that the choice is stable. Sorting 50,000 rows would block the server.
 */
function choose(snapshot: Snapshot, rowsMax: number) {
  const all = [...snapshot.locks.map(ofLock), ...snapshot.semaphores.map(ofSemaphore)];
  if (all.length <= rowsMax) return { named: all, rest: [] };
  const withFindings = new Set(snapshot.findings.flatMap((one) => concernedBy(one).map(subjectId)));
  const ofFindings: GaugeValues[] = [];
  const inUse: GaugeValues[] = [];
  const others: GaugeValues[] = [];
  for (const one of all) {
    if (withFindings.has(idOf(one))) ofFindings.push(one);
    else if (one.held !== 0 || (one.waiters ?? 0) > 0) inUse.push(one);
    else others.push(one);
  }
  const ranked = [...ofFindings, ...inUse, ...others];
  return { named: ranked.slice(0, rowsMax), rest: ranked.slice(rowsMax) };
}

const states: readonly SourceState['state'][] = ['live', 'catching-up', 'stale', 'down'];
const watchStates: readonly RenewalWatch['state'][] = [
  'observed',
  'connecting',
  'forbidden',
  'unreachable',
  'no-servers',
  'off',
];
const kinds = ['lock', 'semaphore'] as const;

/** A place of counting: one source of several, named by a label, or the whole world. */
interface Place {
  readonly state: SourceState;
  readonly label: { readonly source?: SourceId };
  has(of: { readonly source: SourceId }): boolean;
}

const placesOf = (state: SourceState): readonly Place[] =>
  state.parts === undefined
    ? [{ state, label: {}, has: () => true }]
    : state.parts.map((part) => ({
        state: part,
        label: { source: part.id },
        has: ({ source }) => source === part.id,
      }));

export interface SnapshotGauges {
  /**
   * Counts a world. The counts of an unchanged world stay. `since`: the steps from a version to this snapshot, as time
   * alone also changes findings.
   */
  set(snapshot: Snapshot, nowMs: number, since: Hub['since']): void;
}

export function createSnapshotGauges({
  registry,
  rowsMax,
}: {
  registry: Registry;
  rowsMax: number;
}): SnapshotGauges {
  const gauge = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Gauge({
      name: `signalbox_${name}`,
      help,
      // Set only where there are several: the series of a dashboard keep their labels.
      labelNames: [...labelNames, 'source' as const],
      registers: [registry],
    });
  const state = gauge('source_state', '1 for the state that the data is in. Anything but live is old.', [
    'state',
  ]);
  const age = gauge(
    'data_age_seconds',
    'Since the server last answered: 0 while live. Absent as long as nothing was read.',
    [],
  );
  const renewals = gauge('renewal_agents', 'Agents on whose log renewals are looked for, by state.', [
    'state',
  ]);
  const subjects = gauge('subjects', 'Locks, semaphores and sessions in view.', ['kind']);
  const leftOut = gauge(
    'subjects_left_out',
    'Locks and semaphores without rows of their own; they are summed up in name="other".',
    ['kind'],
  );
  const unknown = gauge(
    'subjects_unknown',
    'Locks and semaphores of which it cannot be told who really holds them. They have no row in signalbox_held.',
    ['kind'],
  );
  const holders = gauge('holders', 'Holders by verdict.', ['verdict']);
  const findings = gauge('findings', 'Findings: what needs attention.', ['code', 'severity']);
  const row = ['kind', 'name'] as const;
  const gauges: Readonly<Record<Count, Gauge<'kind' | 'name' | 'source'>>> = {
    held: gauge('held', 'Holders that are really there.', row),
    recorded: gauge('recorded', 'Holders that the record of a semaphore names.', row),
    limit: gauge('limit', 'Slots of a semaphore.', row),
    free: gauge('free', 'Permits that are stored as free, where who holds the others is not.', row),
    waiters: gauge(
      'waiters',
      'Who waits, where the server names or counts them. Nobody does for a plain lock in Consul.',
      row,
    ),
    ghosts: gauge('ghosts', 'Recorded holders that are not there: leaked slots.', row),
  };
  /** A finding that has ended goes to 0 instead of disappearing, so that a graph shows its end. */
  const seen = new Map<
    string,
    { readonly code: string; readonly severity: string; readonly source?: SourceId }
  >();

  const setNamed = (snapshot: Snapshot, places: readonly Place[]) => {
    const { named, rest } = choose(snapshot, rowsMax);
    for (const { has, label } of places) {
      const [own, left] = [named.filter(has), rest.filter(has)];
      const others = new Map<string, number>();
      for (const count of counts) {
        for (const one of own) {
          const value = one[count];
          if (value !== null) gauges[count].set({ kind: one.kind, name: one.name, ...label }, value);
        }
        others.clear();
        for (const one of left) {
          const value = one[count];
          if (value !== null) others.set(one.kind, (others.get(one.kind) ?? 0) + value);
        }
        // A kind of its own: a lock may be named `other`.
        for (const [kind, sum] of others)
          gauges[count].set({ kind: `other_${kind}s`, name: 'other', ...label }, sum);
      }
      for (const kind of kinds) {
        const ofKind = (list: readonly GaugeValues[]) => list.filter((one) => one.kind === kind);
        leftOut.set({ kind, ...label }, ofKind(left).length);
        const unknowns = [...ofKind(own), ...ofKind(left)].filter(({ held }) => held === null);
        unknown.set({ kind, ...label }, unknowns.length);
      }
    }
  };

  const setFindings = (snapshot: Snapshot, places: readonly Place[]) => {
    const now = new Map<string, number>();
    for (const { has, label } of places)
      for (const { code, severity, subject } of snapshot.findings) {
        if (!has(subject)) continue;
        const name = `${code} ${severity} ${label.source ?? ''}`;
        seen.set(name, { code, severity, ...label });
        now.set(name, (now.get(name) ?? 0) + 1);
      }
    for (const [name, labels] of seen) findings.set(labels, now.get(name) ?? 0);
  };

  const setHolders = (world: Snapshot, { has, label }: Place) => {
    const now = new Map<Verdict, number>();
    const semaphores = world.semaphores.filter(has);
    const parties = [
      ...world.locks
        .filter(has)
        .flatMap(({ holder, readers = [] }) => (holder === null ? readers : [holder, ...readers])),
      ...semaphores.flatMap((semaphore) => semaphore.holders),
    ];
    for (const { verdict } of parties) now.set(verdict, (now.get(verdict) ?? 0) + 1);
    for (const { beyond } of semaphores)
      for (const verdict of ['ghost', 'unknown'] as const)
        now.set(verdict, (now.get(verdict) ?? 0) + (beyond?.[verdict] ?? 0));
    for (const verdict of verdicts) holders.set({ verdict, ...label }, now.get(verdict) ?? 0);
  };

  const ofWorld = [subjects, leftOut, unknown, holders, findings, ...Object.values(gauges)];
  /** Weak, as a past world may be large; `null` for none. */
  let lastLists: readonly WeakRef<readonly unknown[]>[] | null = null;
  let lastVersion = 0;
  let lastPlaces = '';
  const isUnchanged = (lists: readonly (readonly unknown[])[], places: string, since: Hub['since']) =>
    lastLists !== null &&
    places === lastPlaces &&
    lists.every((list, n) => lastLists?.[n]?.deref() === list) &&
    since(lastVersion)?.every(({ findings }) => findings.length === 0) === true;

  const setWorld = (snapshot: Snapshot, since: Hub['since']) => {
    const { locks, semaphores, sessions, version } = snapshot;
    const lists = [locks, semaphores, sessions];
    // Of a source that was not read nothing is known. 0 would mean that all was released.
    const places = placesOf(snapshot.source).filter(({ state }) => wasRead(state));
    const placeNames = places.map(({ label }) => label.source ?? '').join();
    const unchanged = isUnchanged(lists, placeNames, since);
    lastVersion = version;
    lastPlaces = placeNames;
    if (unchanged) return;
    for (const one of ofWorld) one.reset();
    for (const place of places) {
      const { has, label } = place;
      subjects.set({ kind: 'lock', ...label }, locks.filter(has).length);
      subjects.set({ kind: 'semaphore', ...label }, semaphores.filter(has).length);
      subjects.set({ kind: 'session', ...label }, sessions.filter(has).length);
      setHolders(snapshot, place);
    }
    setNamed(snapshot, places);
    setFindings(snapshot, places);
    lastLists = lists.map((list) => new WeakRef(list));
  };

  return {
    set: (snapshot, nowMs, since) => {
      const { source } = snapshot;
      // Absent while nothing was read: 0 would mean fresh data.
      age.remove({});
      for (const { state: one, label } of placesOf(source)) {
        for (const name of states) state.set({ state: name, ...label }, name === one.state ? 1 : 0);
        for (const name of watchStates)
          renewals.set(
            { state: name, ...label },
            one.renewals.filter((watch) => watch.state === name).length,
          );
        if (label.source !== undefined) age.remove(label);
        if (!wasRead(one)) continue;
        const oldMs = one.state === 'live' ? 0 : Math.max(0, nowMs - (one.staleSinceMs ?? nowMs));
        age.set({ ...label }, oldMs / 1000);
      }
      // Nothing was read so far, so there is nothing to count.
      if (!wasRead(source)) {
        for (const one of ofWorld) one.reset();
        lastLists = null;
        return;
      }
      setWorld(snapshot, since);
    },
  };
}
