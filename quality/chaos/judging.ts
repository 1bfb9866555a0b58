/** Faults in an action's course: its reported outcome, beside Consul's state and the requests sent. */
import type { Action } from '@/lib/domain/actions/action';
import type { WriteCall } from '@/test/support/overheard';
import type { Deed, LookedAgain } from './operator';
import { coordinationOf } from './reader';
import type { Span } from './stage';

export interface Violation {
  readonly invariant:
    | 'live-while-old'
    | 'well-while-failing'
    | 'entry-spoiled'
    | 'sent-twice'
    | 'untrue'
    | 'unanswered'
    | 'refused-but-there'
    | 'unasked'
    | 'lost';
  readonly text: string;
}

const subject = (action: Action) => {
  if (action.type === 'semaphore.resize') return `to ${action.limit}`;
  if (action.type === 'semaphore.prune') return `of ${action.prefixes.join(', ')}`;
  if ('sessionId' in action) return `of ${action.sessionId.slice(0, 8)}`;
  return `of ${'key' in action ? action.key : action.prefix}`;
};

const isTxn = ({ line }: WriteCall) => line.endsWith('/v1/txn') || line.includes('/v1/txn?');
/** A transaction of reads and checks, which writes nothing. One without legible verbs counts as a write. */
const onlyAsks = (call: WriteCall) => {
  const verbs = [...call.text.matchAll(/"Verb":"([^"]*)"/g)].map(([, verb = '']) => verb);
  return isTxn(call) && verbs.length > 0 && verbs.every((verb) => /^(get|check)/.test(verb));
};
/** True when Consul answered that nothing was written. */
const refusedByConsul = (call: WriteCall) => isTxn(call) && call.told && call.status === 409;
/** The entries or the session that the write changes. */
const aimOf = (call: WriteCall) =>
  isTxn(call)
    ? [...call.text.matchAll(/"Key":"([^"]*)"/g)].map(([, key]) => key).join(' ')
    : call.line.replace(/\?.*/, '');

/**
 * Writes sent although one of the same aim had been sent before and was not refused. An answer of 429 or 503 is no
 * refusal, because it may come from a proxy that passed the write on.
 */
export function sentAgain(calls: readonly WriteCall[]): readonly WriteCall[] {
  return calls.filter((call, n) =>
    calls.slice(0, n).some((before) => aimOf(before) === aimOf(call) && !refusedByConsul(before)),
  );
}

/** Effects of refused actions that are there all the same, unless a fault undid what they acted on. */
export const thereAllTheSame = (looked: readonly LookedAgain[], undone: readonly Span[]): string[] =>
  looked
    .filter(({ atMs, lookedMs, seen }) => seen && !overlaps(undone, { atMs, answeredMs: lookedMs }))
    .map(({ action }) => `${action.type} ${subject(action)}`);

const overlaps = (spans: readonly Span[], { atMs, answeredMs }: Pick<Deed, 'atMs' | 'answeredMs'>) =>
  // The write may have come before the end of such a time, and its answer after.
  spans.some(({ fromMs, toMs }) => answeredMs >= fromMs && atMs <= toMs);

/** A reason why "not known" was wrong: nothing was sent to Consul, or all requests were answered. */
function knownAllTheSame({ calls, unheard }: Deed): string | null {
  // After a broken connection the sender does not know how far its request came.
  if (calls.length === 0) return unheard ? null : 'nothing was sent';
  const last = calls.at(-1);
  // Consul answers alike for an ended session and for one that the token may not see, so this is no knowledge.
  if (last !== undefined && isTxn(last) && last.told && (last.status === 200 || last.status === 409))
    return `Consul had answered ${last.status}`;
  return null;
}

/**
 * `undone`: times whose effects may have been undone before the check, and whose new sessions may be gone. Nothing else
 * is excused. `silent`: times in which Signalbox could not answer.
 */
export function misdone(
  deed: Deed,
  { undone = [], silent = [] }: { readonly undone?: readonly Span[]; readonly silent?: readonly Span[] } = {},
): Violation[] {
  const { action, told, seen, calls, parts, own } = deed;
  const what = `${action.type} ${subject(action)}: told ${told}, ${seen ? 'happened' : 'did not happen'}`;
  const wrong: Violation[] = [];
  const untrue = (text: string) => void wrong.push({ invariant: 'untrue', text });
  const again = sentAgain(calls);
  if (again.length > 0)
    wrong.push({
      invariant: 'sent-twice',
      text: `${what}, sent again: ${again.map(({ line }) => line).join(', ')}`,
    });
  const meanwhile = overlaps(undone, deed);
  const known = told === 'unknown-result' ? knownAllTheSame(deed) : null;
  switch (told) {
    case 'done':
      if (!seen && !meanwhile) untrue(what);
      break;
    case 'partly':
      if (parts.every(({ done }) => done)) untrue(`${what}, and every part is told as done`);
      break;
    case 'unknown-result':
      if (known !== null) untrue(`${what}, and ${known}`);
      break;
    case 'no-answer':
      if (!overlaps(silent, deed)) wrong.push({ invariant: 'unanswered', text: what });
      break;
    default: {
      const endedByConsul = calls.some(
        ({ line, status }) => /\/session\/destroy\//.test(line) && status === 200,
      );
      if (endedByConsul) untrue(`${what}, and Consul had ended the session for it`);
      // All actions but a resize remove something. The loss of data may have removed it first, and then nothing was
      // sent.
      const goneAnyway = meanwhile && action.type !== 'semaphore.resize' && calls.length === 0;
      if (own && seen && !goneAnyway) untrue(what);
    }
  }
  for (const part of told === 'done' || told === 'partly' ? parts : []) {
    if (part.done && !part.seen && !meanwhile) untrue(`${what}: ${part.name} is told as done`);
    if (!part.done && part.seen && !meanwhile) untrue(`${what}: ${part.name} is told as refused`);
  }
  return wrong;
}

/** A state of the contended semaphore: the recorded holders, and those of them that lock a key under it. */
export interface Recorded {
  readonly modifyIndex: string;
  readonly holders: readonly string[];
  readonly contenders: ReadonlySet<string>;
}

const kvOf = /"Key":"([^"]*)","Value":"([^"]*)"[^}]*"Index":(\d+)/g;

/** The live holders that a write removes from the record without a request to evict them. */
export function takenOff(
  { text }: WriteCall,
  { key, states, evicted }: { key: string; states: readonly Recorded[]; evicted: ReadonlySet<string> },
): string[] {
  return [...text.matchAll(kvOf)].flatMap(([, written, value = '', index]) => {
    const before = states.find(({ modifyIndex }) => modifyIndex === index);
    const after = coordinationOf(Buffer.from(value, 'base64').toString());
    if (written !== key || before === undefined || after === null) return [];
    return before.holders.filter(
      (id) => before.contenders.has(id) && !after.holders.includes(id) && !evicted.has(id),
    );
  });
}

/** Signalbox's writes without a request. `asked`: names of keys and sessions in all requests so far. */
export function unasked(calls: readonly WriteCall[], asked: ReadonlySet<string>): WriteCall[] {
  const names = [...asked];
  return calls.filter((call) => {
    if (onlyAsks(call)) return false;
    const { line, text } = call;
    const said = `${decodeURIComponent(line)} ${text}`;
    return !names.some((name) => said.includes(name));
  });
}
