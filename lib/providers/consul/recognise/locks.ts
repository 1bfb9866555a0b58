/**
 * Finds locks among the entries in view, and the layout of each. A key is a lock when a session locks it, or when it
 * has Go's lock flags, a count of acquisitions, or was seen locked. Other entries are not listed.
 */

import type { LockLayout } from '@/lib/domain/layout';
import type { Lock } from '@/lib/domain/model';
import { jsonObject, oneLine, storedValue, utf8 } from '@/lib/domain/seam/stored-value';
import { same } from '@/lib/domain/world/change';
import type { KvRow } from '@/lib/providers/consul/client/wire';
import type { Delayed } from '@/lib/providers/consul/observed/lock-delay';
import { lockFlags, semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { type LockBasis, type LockKind, restLock } from './basis';
import { consulLockCommand, party } from './party';
import { lockInfoKey, readLockInfo, type TerraformLock } from './terraform';
import { sourceIn, type ViewIndex } from './view';

interface LockEntry {
  readonly row: KvRow;
  neighbour(key: string): KvRow | undefined;
  /** '' for a free lock or a hidden session. */
  readonly sessionName: string;
  /** The parts of the key between slashes. */
  readonly parts: readonly string[];
}

interface Trait {
  readonly layout: LockLayout;
  /** The facts; `null` if the lock has another layout. */
  match(seen: LockEntry): Facts | null;
}

interface Facts {
  readonly details: Lock['details'];
  readonly owner?: string | null;
  readonly createdAtMs?: number | null;
  readonly leftBehind?: Lock['leftBehind'];
}

const plain: Facts = { details: [] };
const javaValue = /^(lock|unlock):(\d{4}-\d\d-\d\dT[\d:.]{5,24})$/;

/** The start of the value. Bytes that are no text match no pattern. */
const start = (row: KvRow) => (row.value.length > 256 ? '' : (utf8(row.value) ?? ''));

/** The session name in patroni/dcs/consul.py. */
const patroniSession = (scope: string | undefined, member: string) => `${scope}-${member}`;

const memberKey = (row: KvRow) => `${row.key.slice(0, -'/leader'.length)}/members/${start(row)}`;

function patroniLeader({ row, neighbour, parts, sessionName }: LockEntry): Facts | null {
  if (parts.length < 2 || parts.at(-1) !== 'leader' || row.flags !== '0') return null;
  const member = start(row);
  const known = member !== '' && neighbour(memberKey(row)) !== undefined;
  if (!known && (member === '' || sessionName !== patroniSession(parts.at(-2), member))) return null;
  return { details: [{ name: 'member', value: oneLine(member, 64) }], owner: oneLine(member, 64) };
}

function patroniMember({ row, parts, sessionName }: LockEntry): Facts | null {
  const member = parts.at(-1);
  if (parts.length < 3 || parts.at(-2) !== 'members' || row.flags !== '0' || !member) return null;
  const record = jsonObject(row.value);
  const named = sessionName === patroniSession(parts.at(-3), member);
  if (record === null || !(named || ('conn_url' in record && 'state' in record))) return null;
  const facts = ['role', 'state', 'version'].flatMap((name) =>
    typeof record[name] === 'string' ? [{ name, value: oneLine(record[name], 64) }] : [],
  );
  return { details: facts, owner: oneLine(member, 64) };
}

function terraformFacts({ row, neighbour }: LockEntry): TerraformLock | null {
  const infoKey = lockInfoKey(row.key);
  const info = infoKey === null ? undefined : neighbour(infoKey);
  return info === undefined ? null : readLockInfo(info, row.session);
}

/**
 * Layouts, the most specific first; the first match wins. Authorities: each project's own Consul code; `Vault Lock`
 * from vault physical/consul, `…/dedup/<md5>/data` from consul-template.
 */
const traits: readonly Trait[] = [
  {
    layout: 'terraform',
    match: (seen) => {
      const info = terraformFacts(seen);
      return info === null ? null : { ...info, owner: info.who };
    },
  },
  {
    layout: 'vault',
    match: ({ row, sessionName }) =>
      sessionName === 'Vault Lock' || (/(^|\/)core\/lock$/.test(row.key) && row.flags === lockFlags)
        ? plain
        : null,
  },
  { layout: 'patroni-leader', match: patroniLeader },
  { layout: 'patroni-member', match: patroniMember },
  {
    layout: 'consul-template',
    match: ({ row, sessionName }) =>
      sessionName === 'Consul-Template de-duplication' ||
      (/(^|\/)dedup\/[0-9a-f]{32}\/data$/.test(row.key) && row.flags === lockFlags)
        ? plain
        : null,
  },
  {
    layout: 'consul-esm',
    match: ({ row }) =>
      /(^|\/)consul-esm\/(leader|.*:health-session)$/.test(row.key) && row.flags === lockFlags ? plain : null,
  },
  {
    layout: 'java-lock',
    match: ({ row }) => {
      const match = row.flags === '0' ? javaValue.exec(start(row)) : null;
      // A local time without a zone, shown as written.
      return match === null
        ? null
        : { details: [{ name: match[1] === 'lock' ? 'locked' : 'unlocked', value: match[2] ?? '' }] };
    },
  },
  {
    layout: 'consul-lock',
    match: ({ row, sessionName, parts }) => {
      if (row.flags !== lockFlags) return null;
      const command = consulLockCommand(sessionName);
      if (command === null && !(parts.length > 1 && parts.at(-1) === '.lock')) return null;
      return command === null ? plain : { details: [{ name: 'command', value: oneLine(command, 512) }] };
    },
  },
  { layout: 'go-lock', match: ({ row }) => (row.flags === lockFlags ? plain : null) },
  { layout: 'plain', match: () => plain },
];

function layoutOf(seen: LockEntry): { layout: LockLayout; facts: Facts } {
  for (const trait of traits) {
    const facts = trait.match(seen);
    if (facts !== null) return { layout: trait.layout, facts };
  }
  return { layout: 'plain', facts: plain };
}

const unwritable = { unwritable: true } as const;

const kindOf = (seen: LockEntry): LockKind => {
  const { layout, facts } = layoutOf(seen);
  return { layout, details: facts.details };
};

/** The key of the other entry that gives a lock this layout, or `null`. */
function recordOf({ row, neighbour }: LockEntry, layout: LockLayout): string | null {
  const key =
    layout === 'patroni-leader' ? memberKey(row) : layout === 'terraform' ? lockInfoKey(row.key) : null;
  return key === null || neighbour(key) === undefined ? null : key;
}

const namedLayouts: ReadonlySet<LockLayout> = new Set([
  'vault',
  'patroni-leader',
  'patroni-member',
  'consul-template',
  'consul-lock',
]);

/** `null` when the entry alone gives the same kind. */
function basisOf(seen: LockEntry, kind: LockKind): LockBasis | null {
  const isNamed = seen.sessionName !== '' && namedLayouts.has(kind.layout);
  const unnamed = isNamed ? kindOf({ ...seen, sessionName: '' }) : kind;
  const record = recordOf(seen, kind.layout) ?? recordOf(seen, unnamed.layout);
  if (record === null && same(unnamed, kind)) return null;
  if (record === null) return nameBasis(unnamed);
  const alone = { ...seen, neighbour: () => undefined };
  return { record, unnamed, unrecorded: kindOf(alone), bare: kindOf({ ...alone, sessionName: '' }) };
}

/** Never emptied: one for each layout. */
const sharedBases = new Map<LockLayout, LockBasis>();

/** Most locks of a large world rest on a name alone, so those without details share one basis for each layout. */
function nameBasis(unnamed: LockKind): LockBasis {
  const { layout, details } = unnamed;
  const known = details.length === 0 ? sharedBases.get(layout) : undefined;
  if (known !== undefined) return known;
  const basis = { record: null, unnamed, unrecorded: null, bare: unnamed };
  if (details.length === 0) sharedBases.set(layout, basis);
  return basis;
}

export function isLock(index: ViewIndex, row: KvRow): boolean {
  if (row.session !== null || row.flags === lockFlags) return true;
  // A leftover of a contender whose semaphore is gone.
  if (row.flags === semaphoreFlags) return false;
  return row.lockIndex !== '0' || index.view.sightings.wasLock(row.key);
}

export function lock(index: ViewIndex, row: KvRow): Lock {
  const { sightings } = index.view;
  const session = row.session === null ? null : index.session(row.session);
  const delay = row.session === null ? sightings.delay(row.key) : null;
  const seen: LockEntry = {
    row,
    neighbour: index.row,
    sessionName: session?.row.name ?? '',
    parts: row.key.split('/'),
  };
  const { layout, facts } = layoutOf(seen);
  const createdAtMs = facts.createdAtMs ?? null;
  const delayed = delay !== null && delay.basis !== 'possible';
  const value = storedValue(row.value);
  const result: Lock = {
    kind: 'lock',
    source: sourceIn(index),
    key: row.key,
    layout,
    state: row.session !== null ? 'held' : delayed ? 'delayed' : 'free',
    holder:
      row.session === null
        ? null
        : party(index, {
            subject: row.key,
            sessionId: row.session,
            recorded: false,
            entry: 'locked',
            row,
            since:
              createdAtMs === null
                ? sightings.heldSince(row.key, row.session)
                : { atMs: createdAtMs, basis: 'value' },
            value,
            owner: facts.owner ?? null,
          }),
    waiters: null,
    delayedUntilMs: delayed ? delay.untilMs : null,
    delay,
    exists: true,
    turnover: sightings.turnover(row.key),
    value,
    details: facts.details,
    leftBehind: facts.leftBehind ?? null,
    flags: row.flags,
    createIndex: row.createIndex,
    modifyIndex: row.modifyIndex,
    lockIndex: row.lockIndex,
    ...(index.takes(row.key) ? {} : unwritable),
  };
  return restLock(result, basisOf(seen, result));
}

/**
 * A lock whose entry was deleted with its session, while Consul still refuses its name. Its owner comes from the entry
 * as last seen.
 */
export function lockWithoutEntry(index: ViewIndex, { row, delay }: Delayed): Lock {
  const seen: LockEntry = {
    row,
    neighbour: index.row,
    sessionName: delay.sessionName,
    parts: row.key.split('/'),
  };
  const { layout } = layoutOf(seen);
  const result: Lock = {
    kind: 'lock',
    source: sourceIn(index),
    key: row.key,
    layout,
    state: 'delayed',
    holder: null,
    waiters: null,
    delayedUntilMs: delay.untilMs,
    delay,
    exists: false,
    turnover: index.view.sightings.turnover(row.key),
    value: null,
    details: [],
    leftBehind: null,
    flags: '0',
    createIndex: '0',
    modifyIndex: '0',
    lockIndex: '0',
    ...(index.takes(row.key) ? {} : unwritable),
  };
  return restLock(result, basisOf(seen, { layout, details: [] }));
}
