/**
 * The view that a person with narrow rights must get of a row, compared with the view of a reader of everything.
 * Written from the rights alone; shares no code with the projection. Faults are texts.
 */
import type { Finding, FindingCode } from '@/lib/domain/findings/finding';
import {
  type Lock,
  type Party,
  type Semaphore,
  type Subject,
  shortId,
  subjectId,
  type Waiter,
} from '@/lib/domain/model';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { type AllMessages, languages } from '@/lib/i18n/messages';
import { findingText, lockSentence, semaphoreSentence } from '@/lib/i18n/sentences';
import { forbiddenTexts } from '@/quality/truth/forbidden';
import { rowOf } from '@/quality/truth/said';
import type { Never } from '@/quality/truth/situation';
import { even, pattern } from '@/quality/truth/text';

/** One person's rights. */
export interface Rights {
  key(key: string): boolean;
  /** Whatever might contend there. */
  contenders(prefix: string): boolean;
  /** The node, its health and its sessions. */
  node(name: string): boolean;
}

type Row = Lock | Semaphore;
export const subjectRow = (snapshot: Snapshot, subject: Subject) => rowOf(snapshot, subject) as Row | null;
export const findingsAbout = (snapshot: Snapshot, subject: Subject): readonly Finding[] =>
  snapshot.findings.filter((one) => subjectId(one.subject) === subjectId(subject));

const shown = (value: unknown) => JSON.stringify(value) ?? 'nothing';

/** Collects what differs, each with where. */
function differences() {
  const faults: string[] = [];
  return {
    faults,
    same: (what: string, is: unknown, must: unknown) => {
      if (shown(is) !== shown(must)) faults.push(`${what} is ${shown(is)}, not ${shown(must)}`);
    },
    holds: (what: string, so: boolean) => {
      if (!so) faults.push(what);
    },
  };
}
type Differences = ReturnType<typeof differences>;

/** Whether this fact is only known to who may read the session. */
const isOfSession = (source: string) => source === 'session' || source === 'catalog' || source === 'agent';

function compareParty(
  whole: Party,
  narrow: Party | undefined,
  prefix: string | null,
  may: Rights,
  d: Differences,
) {
  const { sessionId: id, session } = whole;
  if (narrow === undefined) return d.holds(`${id} is not there`, false);
  const hidden = session !== null && !may.node(session.node);
  const entry = prefix === null || may.key(`${prefix}/${id}`);
  d.same(`${id}: its verdict`, narrow.verdict, whole.verdict);
  d.same(`${id}: its session`, narrow.session, hidden ? null : session);
  if (hidden) {
    d.same(`${id}: its label`, narrow.label, shortId(id));
    d.same(`${id}: its end`, narrow.expiry.kind, 'unknown');
    d.holds(
      `${id}: facts of its session are told`,
      !narrow.evidence.some(({ source }) => isOfSession(source)),
    );
  } else d.same(`${id}: its end`, narrow.expiry, whole.expiry);
  d.same(`${id}: what it wrote`, narrow.value, entry ? whole.value : null);
  const known = new Set(whole.evidence.map(shown));
  const told = narrow.evidence.filter(({ code }) => code !== 'evidence-withheld');
  d.holds(
    `${id}: facts are told that nobody else is told`,
    told.every((one) => known.has(shown(one))),
  );
  d.same(
    `${id}: that there are more facts`,
    told.length < narrow.evidence.length,
    told.length < whole.evidence.length,
  );
  d.holds(`${id}: ${narrow.verdict} by nothing`, narrow.evidence.length > 0);
}

function compareLock(whole: Lock, narrow: Lock, may: Rights, d: Differences) {
  for (const name of ['state', 'exists', 'value', 'flags', 'lockIndex', 'modifyIndex', 'turnover'] as const)
    d.same(name, narrow[name], whole[name]);
  d.same('waiters', narrow.waiters, null);
  const delay = whole.delay === null || may.node(whole.delay.node);
  d.same('the lock-delay', narrow.delay, delay ? whole.delay : null);
  d.same('its end', narrow.delayedUntilMs, delay ? whole.delayedUntilMs : null);
  d.same('that it is held', narrow.holder !== null, whole.holder !== null);
  if (whole.holder !== null) compareParty(whole.holder, narrow.holder ?? undefined, null, may, d);
  if (may.key(`${whole.key}info`)) return;
  d.same('what stands in its record', [narrow.details, narrow.leftBehind], [[], null]);
}

/** The visible ones of the waiters. */
const seenWaiters = ({ waiters }: Semaphore, may: Rights): readonly Waiter[] =>
  waiters.filter(({ entryKey = '' }) => may.key(entryKey));

function compareSemaphore(whole: Semaphore, narrow: Semaphore, may: Rights, d: Differences) {
  for (const name of [
    ...(['layout', 'limit', 'recorded', 'effective', 'problems', 'flags'] as const),
    ...(['value', 'modifyIndex', 'turnover', 'beyond'] as const),
  ])
    d.same(name, narrow[name], whole[name]);
  const { prefix } = whole;
  const waiters = seenWaiters(whole, may);
  const leftovers = whole.leftovers.filter((key) => may.key(key));
  d.same('who holds', narrow.holders.map(idOf), whole.holders.map(idOf));
  d.same('who waits', narrow.waiters.map(idOf), waiters.map(idOf));
  d.same('what is left over', narrow.leftovers, leftovers);
  d.same('that there may be more', narrow.part === true, mayBePart(whole, may));
  for (const one of whole.holders)
    compareParty(
      one,
      narrow.holders.find((other) => idOf(other) === idOf(one)),
      prefix,
      may,
      d,
    );
  for (const one of waiters)
    compareParty(
      one,
      narrow.waiters.find((other) => idOf(other) === idOf(one)),
      prefix,
      may,
      d,
    );
}
const idOf = ({ sessionId }: Party) => sessionId;

/** Whether hidden contenders may exist. */
export const mayBePart = (whole: Semaphore, may: Rights) =>
  !may.contenders(whole.prefix) ||
  seenWaiters(whole, may).length < whole.waiters.length ||
  whole.leftovers.some((key) => !may.key(key));

/** By an entry of its own, or where it has none by those who contend. */
export function mayBeListed(row: Row, may: Rights): boolean {
  if (row.kind === 'lock') return may.key(row.key);
  if (!may.key(`${row.prefix}/.lock`)) return false;
  return (
    row.modifyIndex !== null || seenWaiters(row, may).length > 0 || row.leftovers.some((key) => may.key(key))
  );
}

/** The lock-delay is the session's own. */
const hasHiddenHolder = (row: Row, may: Rights) =>
  row.kind === 'lock' && row.holder?.session != null && !may.node(row.holder.session.node);

/** Findings of this reader that differ from those of a reader of everything. */
export interface OtherFindings {
  readonly lost?: readonly FindingCode[];
  /** Less severe: the waiters are hidden. */
  readonly milder?: readonly FindingCode[];
}

/** Wrong or missing facts about the subject. */
export function faultsOf(
  [whole, narrow]: readonly [Snapshot, Snapshot],
  subject: Subject,
  may: Rights,
  { lost = [], milder = [] }: OtherFindings = {},
): readonly string[] {
  const d = differences();
  const [all, mine] = [subjectRow(whole, subject), subjectRow(narrow, subject)];
  if (all === null) return [`${subjectId(subject)} is not there for anybody`];
  if (!mayBeListed(all, may)) {
    d.holds('it is listed', mine === null);
    d.same('what is found', findingsAbout(narrow, subject), []);
    return d.faults;
  }
  if (mine === null) return ['it is not listed'];
  if (all.kind === 'lock') compareLock(all, mine as Lock, may, d);
  else compareSemaphore(all, mine as Semaphore, may, d);
  const found = (of: Snapshot) =>
    findingsAbout(of, subject)
      .map(({ code }) => code)
      .sort();
  /** Present severities: how long one is held depends on the start of each look. */
  const severities = (of: Snapshot) =>
    new Map(findingsAbout(of, subject).map(({ code, severity, easing }) => [code, easing?.to ?? severity]));
  const isLost = (code: FindingCode) =>
    lost.includes(code) || (code === 'no-lock-delay' && hasHiddenHolder(all, may));
  const told = found(whole).filter((code) => !isLost(code));
  d.same('what is found', found(narrow), told);
  const [severe, mild] = [severities(whole), severities(narrow)];
  const changed = told.filter((code) => severe.get(code) !== mild.get(code));
  // That nothing ends a session is the session's own.
  const isMilder = (code: FindingCode) =>
    milder.includes(code) ||
    (code === 'suspect-holder' && severe.get(code) === 'urgent' && hasHiddenHolder(all, may));
  d.same('what is less severe', changed, told.filter(isMilder));
  return d.faults;
}

/** Sentences that take a hidden client for none. */
const nobody = [
  /nobody wait|no waiters?\b(?! in view)|no session waits|no contender (is there|exists) now/i,
  /(?<!可见范围内)(没有人|无人|没有会话在?|没有)等待|现在(那里)?没有(人|竞争者)/,
];

/** Forbidden words about the subject, on its page and in the API. */
export function saidWrongly(
  snapshot: Snapshot,
  subject: Subject,
  never: (words: AllMessages) => Never,
  part: boolean,
): readonly string[] {
  const row = subjectRow(snapshot, subject);
  if (row === null) return [];
  const found = findingsAbout(snapshot, subject);
  const moment = { nowMs: snapshot.asOfMs, zone: 'UTC' };
  return Object.values(languages).flatMap((words) => {
    const state =
      row.kind === 'lock'
        ? lockSentence(row, moment, words, found)
        : semaphoreSentence(row, moment, words, found);
    const texts = [state, ...found.map((one) => findingText(one, words))].map(even);
    const wrong = [...forbiddenTexts(never(words), words).map(pattern), ...(part ? nobody : [])];
    return texts.filter((text) => wrong.some((one) => one.test(text)));
  });
}

/** Counts of none in findings, where a hidden one may exist. */
export const emptyCounts = (snapshot: Snapshot, subject: Subject): readonly string[] =>
  findingsAbout(snapshot, subject).flatMap(({ code, facts }) => {
    // Of those with another limit, and not of all.
    if (code === 'limit-disagreement') return [];
    const counts = facts as { readonly waiting?: number | null; readonly contenders?: number | null };
    return counts.waiting === 0 || counts.contenders === 0 ? [`${code}: ${shown(facts)}`] : [];
  });
