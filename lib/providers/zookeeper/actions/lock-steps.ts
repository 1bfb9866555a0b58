/** Removes a holder or a waiter of a lock, and asks a holder to let go. */
import type { ActionOf } from '@/lib/domain/actions/action';
import type { PlannedWrite } from '@/lib/domain/actions/plan';
import type { Holder } from '@/lib/domain/model';
import type { Problem } from '@/lib/domain/problem';
import { lockSubject } from '@/lib/domain/subject';
import type { ZkNode, ZkOp } from '@/lib/providers/zookeeper/client/node';
import { parentOf } from '@/lib/providers/zookeeper/client/path';
import type { Entry } from '@/lib/providers/zookeeper/recognise/entry';
import { mayListen, watchesItself } from '@/lib/providers/zookeeper/recognise/locks';
import { askedText, isAsked } from '@/lib/providers/zookeeper/recognise/party';
import type { ReadLock } from '@/lib/providers/zookeeper/recognise/read';
import { type Acting, problem } from './context';
import { seenOf } from './expectation';
import * as manual from './manual';
import type { Step } from './step';
import * as warning from './warning';

/** Removes a node under the condition that its version is the same. */
export const removal = ({ path, stat: { version } }: ZkNode): readonly ZkOp[] => [
  { op: 'check', path, version },
  { op: 'delete', path, version },
];

export const stands = ({ path, stat: { version } }: ZkNode): ZkOp => ({ op: 'check', path, version });

export const named = (entries: readonly Entry[], name: string): Entry | undefined =>
  entries.find((entry) => entry.name === name);

const partyNamed = ({ row }: ReadLock, name: string): Holder | undefined =>
  [row.holder, ...(row.readers ?? []), ...(row.waiters ?? [])].find((one) => one?.sessionId === name) ??
  undefined;

export const gone: PlannedWrite['after'] = { code: 'gone', facts: {} };

export function releaseStep(
  action: ActionOf<'lock.release'>,
  lock: ReadLock,
  acting: Acting,
): Step | Problem {
  const { key } = action;
  const entry = action.holder === undefined ? lock.holders[0] : named(lock.holders, action.holder);
  if (entry === undefined) return problem('not-held', 'nobody-holds', {});
  const { node, name } = entry;
  const { layout } = lock;
  // Curator's writer gets in as the first of all nodes, so a hold that stays keeps the lock.
  const isLast = lock.holders.length === 1;
  return {
    plan: {
      summary: {
        code: isLast ? 'free-lock' : 'zookeeper-take-one',
        facts: { key, holder: partyNamed(lock, name)?.label ?? name },
      },
      writes: [
        {
          operation: 'delete',
          target: node.path,
          condition: { code: 'zookeeper-same-node', facts: { version: node.stat.version } },
          before: { code: 'held-by', facts: { sessionId: name } },
          after: gone,
        },
      ],
      warnings: [
        warning.notices(layout),
        ...(layout === 'curator-latch' ? [warning.twoLeaders] : []),
        ...(isLast ? warning.next(lock.row.waiters ?? []) : [warning.holdsStay(lock, entry)]),
        warning.sessionStays,
        ...warning.ownsMore(acting, entry),
      ],
      undo: { code: isLast ? 'none-hand-over' : 'none-slot', facts: {}, action: null },
      manual: manual.deletion(node),
    },
    expect: seenOf(node, { subject: key, party: name }),
    ops: removal(node),
    needs: { right: 'DELETE', path: parentOf(node.path) },
    hits: partyNamed(lock, name) ?? null,
    frees: isLast ? lockSubject(action) : null,
  };
}

/** The node that blocks a waiter: the first writer for a reader, the first node for all others. */
function blockerOf({ holders, waiters, layout }: ReadLock, entry: Entry): Entry | undefined {
  if (layout !== 'curator-read-write' || entry.kind === 'write') return holders[0];
  return [...holders, ...waiters].find(({ kind }) => kind === 'write');
}

export function dropStep(
  action: ActionOf<'lock.remove-waiter'>,
  lock: ReadLock,
  acting: Acting,
): Step | Problem {
  const { key, sessionId } = action;
  const entry = named(lock.waiters, sessionId);
  const blocker = entry === undefined ? undefined : blockerOf(lock, entry);
  if (entry === undefined || blocker === undefined) return problem('not-held', 'not-waiter', { sessionId });
  const { node } = entry;
  return {
    plan: {
      summary: {
        code: 'zookeeper-drop-waiter',
        facts: { name: key, waiter: partyNamed(lock, sessionId)?.label ?? sessionId },
      },
      writes: [
        {
          operation: 'delete',
          target: node.path,
          condition: {
            code: 'zookeeper-same-waiter',
            facts: { version: node.stat.version, behind: blocker.name },
          },
          before: null,
          after: gone,
        },
      ],
      warnings: [warning.requeues, ...warning.ownsMore(acting, entry)],
      undo: { code: 'none-slot', facts: {}, action: null },
      manual: manual.none,
    },
    expect: seenOf(node, { subject: key, party: sessionId }),
    ops: [stands(blocker.node), ...removal(node)],
    needs: { right: 'DELETE', path: parentOf(node.path) },
    hits: null,
    frees: null,
  };
}

/** The servers' pages are read every few seconds, so a younger node may be missing there. */
const pagesBehindMs = 30_000;

export function askStep(action: ActionOf<'lock.ask'>, lock: ReadLock, acting: Acting): Step | Problem {
  const { key, sessionId } = action;
  const entry = named(lock.holders, sessionId);
  if (entry === undefined) return problem('not-held', 'not-holder', { sessionId });
  if (isAsked(entry)) return problem('conflict-in-use', 'zookeeper-asked-before', {});
  if (!mayListen(lock, entry)) return problem('conflict-in-use', 'zookeeper-cannot-ask', {});
  const { node } = entry;
  const listens = watchesItself(entry, acting.facts());
  const isNew = acting.now() - node.stat.ctimeMs < pagesBehindMs;
  if (listens === false && !isNew) return problem('conflict-in-use', 'zookeeper-not-listening', {});
  return {
    plan: {
      summary: {
        code: 'zookeeper-ask',
        facts: { key, holder: partyNamed(lock, sessionId)?.label ?? sessionId },
      },
      writes: [
        {
          operation: 'update',
          target: node.path,
          condition: { code: 'zookeeper-same-node', facts: { version: node.stat.version } },
          before: { code: 'stored', facts: { text: '' } },
          after: { code: 'stored', facts: { text: askedText } },
        },
      ],
      warnings: [
        warning.asksOnly,
        ...(listens === true ? [] : [warning.mayNotListen]),
        ...warning.next(lock.row.waiters ?? []),
      ],
      undo: { code: 'none-hand-over', facts: {}, action: null },
      manual: manual.writing(node, askedText),
    },
    expect: seenOf(node, { subject: key, party: sessionId }),
    ops: [{ op: 'setData', path: node.path, version: node.stat.version, data: Buffer.from(askedText) }],
    needs: { right: 'WRITE', path: node.path },
    hits: null,
    frees: null,
  };
}
