/**
 * The actions on Curator's locks and semaphores. Each reads afresh, and is one transaction under the conditions that
 * its plan named. It removes exactly the node that was seen, or nothing.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type Action, descriptorOf, isSure, problemOfRule } from '@/lib/domain/actions/action';
import { type Expect, type Saw, sawNothing } from '@/lib/domain/actions/expect';
import type { Outcome } from '@/lib/domain/actions/plan';
import { isProblem, type Problem } from '@/lib/domain/problem';
import type { Difference } from '@/lib/domain/refusal';
import type { Planned } from '@/lib/domain/seam/provider';
import { isRefused, type ZkRefused } from '@/lib/providers/zookeeper/client/node';
import { isWithin } from '@/lib/providers/zookeeper/client/path';
import { isAskedNode } from '@/lib/providers/zookeeper/recognise/party';
import { type Acting, type Fresh, problem, readFresh, subjectOf } from './context';
import { nodeDifference, type Seen, seenIn } from './expectation';
import * as locks from './lock-steps';
import * as semaphores from './semaphore-steps';
import type { Step } from './step';
import { frictionFor } from './warning';

const isOffered = (action: Action): boolean =>
  (action.type === 'lock.release' && action.how === 'hand-over') ||
  (action.type === 'semaphore.evict' && action.how === 'slot-only') ||
  action.type === 'semaphore.resize' ||
  action.type === 'semaphore.remove-waiter' ||
  action.type === 'lock.remove-waiter' ||
  action.type === 'lock.ask';

const notOffered = problem('invalid', 'not-offered', {});

function stepOf(acting: Acting, action: Action, { lock, semaphore }: Fresh): Step | Problem {
  if (lock !== null) {
    if (action.type === 'lock.release') return locks.releaseStep(action, lock, acting);
    if (action.type === 'lock.remove-waiter') return locks.dropStep(action, lock, acting);
    if (action.type === 'lock.ask') return locks.askStep(action, lock, acting);
  }
  if (semaphore !== null) {
    if (action.type === 'semaphore.evict') return semaphores.evictStep(action, semaphore, acting);
    if (action.type === 'semaphore.remove-waiter') return semaphores.dropStep(action, semaphore, acting);
    if (action.type === 'semaphore.resize') return semaphores.resizeStep(action, semaphore, acting);
  }
  return problem('not-held', 'nobody-holds', {});
}

/** The step, or the reason against it. A new limit checks its node before the rules, because the node says more. */
function prepared(acting: Acting, action: Action, fresh: Fresh): Step | Problem {
  const step = action.type === 'semaphore.resize' ? stepOf(acting, action, fresh) : null;
  if (isProblem(step)) return step;
  const permission = descriptorOf(action).can(action, fresh.found);
  if (!permission.allowed) {
    const { reason } = permission;
    return { code: problemOfRule[reason.code], why: reason };
  }
  return step ?? stepOf(acting, action, fresh);
}

export async function planOn(
  acting: Acting,
  action: Action,
  signal: AbortSignal,
): Promise<Planned | Problem> {
  if (!isOffered(action)) return notOffered;
  if (!isSure(subjectOf(action) ?? '')) return problem('invalid', 'name-not-sure', {});
  const fresh = await readFresh(acting, action, signal);
  if (isProblem(fresh)) return fresh;
  const step = prepared(acting, action, fresh);
  if (isProblem(step)) return step;
  const { plan, expect, hits } = step;
  return { plan: { ...plan, touches: [], ...frictionFor(hits) }, expect };
}

/** The seen state for the record. A limit concerns no session. */
export function sawIn(expect: Expect): Saw {
  const seen = seenIn(expect);
  if (seen === null) return sawNothing;
  const { node, party, limit } = seen;
  return {
    ...sawNothing,
    sessions: party === null ? [] : [party],
    entries: [
      {
        key: node.path,
        index: node.czxid,
        session: node.owner === '0' ? null : `0x${node.owner}`,
        seen: limit === null ? `version ${node.version}` : String(limit),
      },
    ],
  };
}

/** The party that the action names; `null`: none. */
function partyOf(action: Action): string | null {
  if (action.type === 'lock.release') return action.holder ?? null;
  return 'sessionId' in action ? action.sessionId : null;
}

/** True when a plan of this action could have given `expect`. */
function fits(acting: Acting, action: Action, { subject, party, node, limit }: Seen): boolean {
  const name = subjectOf(action);
  if (name === null || subject !== name) return false;
  if (action.type === 'semaphore.resize')
    return party === null && limit !== null && node.path === acting.facts().counts.get(name);
  const named = partyOf(action);
  return party !== null && (named === null || named === party) && isWithin(name, node.path);
}

const notOfPlan = problem('invalid', 'not-of-plan', { where: 'expect' });

/** Refuses without asking the server. */
export function refusedBy(acting: Acting, action: Action, expect: Expect): Problem | null {
  if (!isOffered(action)) return notOffered;
  const seen = seenIn(expect);
  return seen === null || !fits(acting, action, seen) ? notOfPlan : null;
}

const holderIn = ({ lock }: Fresh): string | null => lock?.row.holder?.sessionId ?? null;

/** The differences between the present state and the plan's, in the node and in its meaning. */
function differences(action: Action, seen: Seen, fresh: Fresh): readonly Difference[] {
  const { party, limit, subject } = seen;
  const node = fresh.nodes.get(seen.node.path) ?? null;
  const difference = nodeDifference(seen, node);
  if (action.type === 'semaphore.resize') {
    const now = fresh.semaphore?.row.limit ?? null;
    return difference.length === 0
      ? []
      : [{ code: 'limit-changed', facts: { before: String(limit), now: String(now ?? '?') } }];
  }
  if (action.type === 'lock.release' && node === null)
    return [{ code: 'holder-changed', facts: { key: subject, before: party, now: holderIn(fresh) } }];
  if (difference.length > 0 || party === null) return difference;
  const { lock, semaphore } = fresh;
  const sessionId = party;
  const holds = (entries: readonly { readonly name: string }[] | undefined) =>
    entries?.some(({ name }) => name === party) === true;
  if (action.type === 'lock.remove-waiter' && holds(lock?.holders))
    return [{ code: 'zookeeper-holds-now', facts: { sessionId } }];
  if (action.type === 'semaphore.remove-waiter' && holds(semaphore?.held))
    return [{ code: 'zookeeper-not-stuck', facts: { sessionId } }];
  return [];
}

/** True when the aim is reached: the node is gone, is asked, or has the limit. */
function isReached(action: Action, { node: seen }: Seen, { nodes, semaphore }: Fresh): boolean {
  if (action.type === 'semaphore.resize') return semaphore?.row.limit === action.limit;
  const node = nodes.get(seen.path);
  if (node === undefined || node.stat.czxid !== seen.czxid) return true;
  return action.type === 'lock.ask' && isAskedNode(node);
}

/** Most attempts. A transaction reports one failed condition at a time, and each is judged afresh. */
const attemptsMax = 5;

export async function applyOn(
  acting: Acting,
  action: Action,
  expect: Expect,
  signal: AbortSignal,
): Promise<Outcome | Problem> {
  const refused = refusedBy(acting, action, expect);
  const seen = seenIn(expect);
  if (refused !== null || seen === null) return refused ?? notOfPlan;
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const fresh = await readFresh(acting, action, signal);
    if (isProblem(fresh)) return fresh;
    const difference = differences(action, seen, fresh);
    if (difference.length > 0) {
      const why = isReached(action, seen, fresh) ? 'done-before' : 'changed-since';
      return { ...problem('stale', why, {}), difference };
    }
    const step = prepared(acting, action, fresh);
    if (isProblem(step)) return step;
    // Another holder or another node may be concerned by now, and the step may only write the one that was seen.
    if (seenIn(step.expect)?.node.path !== seen.node.path) return movedFrom(seen, fresh);
    const sent = await acting.client.multi(step.ops, signal);
    if (isRefused(sent)) {
      const why = refusalOf(sent);
      if (why !== null) return why;
      continue;
    }
    if (!isProblem(sent)) return outcomeOf(acting, action, { step, answerLost: false }, signal);
    if (sent.code === 'forbidden') return problem('forbidden', 'zookeeper-right-missing', step.needs);
    if (sent.code !== 'unknown-result') return sent;
    return settled(acting, action, { step, seen, lost: sent }, signal);
  }
  return problem('busy', 'entry-busy', { tries: attemptsMax });
}

/** The node that was seen is there, and the step concerns another one by now. */
const movedFrom = (seen: Seen, fresh: Fresh): Problem => ({
  ...problem('stale', 'changed-since', {}),
  difference: moveOf(seen, fresh),
});

/** A semaphore's waiter goes by its lease once it is the first. */
function moveOf({ subject, party }: Seen, fresh: Fresh): readonly Difference[] {
  const { semaphore } = fresh;
  if (semaphore === null)
    return [{ code: 'holder-changed', facts: { key: subject, before: party, now: holderIn(fresh) } }];
  return party !== null && semaphore.queue[0]?.name === party
    ? [{ code: 'zookeeper-first-now', facts: { sessionId: party } }]
    : [];
}

/** `null`: a node is gone or changed, so a fresh read decides. Any other refusal would repeat. */
const refusalOf = ({ refused }: ZkRefused): Problem | null =>
  refused === 'no-node' || refused === 'bad-version' ? null : problem('invalid', 'transaction-refused', {});

interface Sent {
  readonly step: Step;
  readonly answerLost: boolean;
}

const looksMax = 20;
const lookEveryMs = 250;

/**
 * Looks for the effect after the line broke with a write on it. An unchanged state proves nothing, as the write may
 * still arrive.
 */
async function settled(
  acting: Acting,
  action: Action,
  { step, seen, lost }: { readonly step: Step; readonly seen: Seen; readonly lost: Problem },
  signal: AbortSignal,
): Promise<Outcome | Problem> {
  let read = false;
  for (let look = 0; look < looksMax && !signal.aborted; look++) {
    if (look > 0) await pause(lookEveryMs, undefined, { signal }).catch(() => {});
    const fresh = await readFresh(acting, action, signal);
    read = !isProblem(fresh) || fresh.code === 'not-found';
    if (isProblem(fresh) ? read : isReached(action, seen, fresh))
      return outcomeOf(acting, action, { step, answerLost: true }, signal);
  }
  return { ...lost, ...problem('unknown-result', read ? 'write-not-seen' : 'state-not-readable', {}) };
}

async function outcomeOf(
  acting: Acting,
  action: Action,
  { step, answerLost }: Sent,
  signal: AbortSignal,
): Promise<Outcome> {
  const after = await readFresh(acting, action, signal);
  const isRead = !isProblem(after) || after.code === 'not-found';
  return {
    done: true,
    freed: step.frees === null ? [] : [step.frees],
    after: isProblem(after) ? null : (after.found.lock ?? after.found.semaphore),
    warnings: [
      ...(answerLost ? [{ code: 'answer-lost', facts: {} } as const] : []),
      ...(isRead ? [] : [{ code: 'not-read-back', facts: {} } as const]),
    ],
    parts: [],
  };
}
