/** A stuck lock or semaphore explained in one paragraph. */
import { descriptorOf } from '@/lib/domain/actions/action';
import { explain } from '@/lib/domain/explain/explain';
import type { Block, End, Explanation, Now } from '@/lib/domain/explain/fact';
import { concernedBy, concerns, type Finding } from '@/lib/domain/findings/finding';
import { needsHuman } from '@/lib/domain/findings/need';
import {
  type Lock,
  type Semaphore,
  type Since,
  type Subject,
  subjectId,
  subjectName,
  type World,
} from '@/lib/domain/model';
import type { SourceId } from '@/lib/domain/source';
import { isOf } from '@/lib/domain/subject';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { cutName, formatAge, formatDuration, formatWhen } from '@/lib/i18n/format/format';
import { worded } from '@/lib/i18n/format/worded';
import type { AllMessages } from '@/lib/i18n/messages';
import type { Moment } from '@/lib/i18n/sentences';
import { actionWords, titleOf } from './button-words';
import { choiceOf, remedyOf } from './remedy';

/** `null`: it is not stuck, now or soon. `findings`: those about it. */
export const explanationOf = (
  of: Lock | Semaphore,
  findings: readonly Finding[],
  world: World,
): Explanation | null =>
  explain({ of, findings, world, remedy: remedyOf(of, findings) ?? choiceOf(of, findings) });

/** Longer names are cut: the page has them whole. */
const nameMax = 64;
const named = (name: string) => cutName(name, nameMax);

function sinceText(
  since: Since | null,
  { nowMs, zone }: Moment,
  { explain: words, units }: AllMessages,
): string | null {
  if (since === null) return null;
  const age = formatAge(since.atMs, nowMs, units);
  return since.basis === 'at-least'
    ? words.since.atLeast(age)
    : words.since.exact(age, formatWhen(since.atMs, nowMs, zone));
}

export function blockText(block: Block, moment: Moment, m: AllMessages): string {
  const { blocks: words } = m.explain;
  const time = (ms: number | null) => (ms === null ? null : formatWhen(ms, moment.nowMs, moment.zone));
  const since = (of: Since | null) => sinceText(of, moment, m);
  switch (block.code) {
    case 'deadlock':
      return words.deadlock(block.clients, named(block.first), named(block.second), block.behind);
    case 'root':
      return words.root(named(block.who), named(block.name), block.verdict, since(block.since));
    case 'passes-on':
      return words.passesOn(named(block.who), named(block.name), block.here);
    case 'between':
      return words.between(block.clients);
    case 'holder':
      return words.holder(named(block.who), block.verdict, since(block.since), block.more);
    case 'slots':
      return words.slots(block.recorded, block.limit);
    case 'holders':
      return words.holders(block.n, named(block.who), block.verdict, since(block.since), block.holds);
    case 'unlisted':
      return words.unlisted(block.n);
    case 'refused':
      return words.refused(time(block.untilMs));
    case 'waits':
      return words.waits(block.n, block.who === null ? null : named(block.who), since(block.since));
    case 'waits-counted':
      return words.waitsCounted(block.n);
    case 'waits-untold':
      return words.waitsUntold[block.why];
    case 'waits-hidden':
      return words.waitsHidden;
    case 'holders-hidden':
      return words.holdersHidden;
    case 'dead-head':
      return words.deadHead(named(block.who), block.behind);
    case 'asleep':
      return words.asleep(block.n);
    case 'unnamed':
    case 'free':
    case 'unknown':
    case 'unreadable':
      return words[block.code];
  }
}

export function endText(end: End, { nowMs, zone }: Moment, m: AllMessages): string {
  const { ends: words } = m.explain;
  const time = (ms: number) => formatWhen(ms, nowMs, zone);
  const span = (ms: number) => formatDuration(ms, m.units);
  const refused = (delayMs: number | null, fromMs: number | null) =>
    delayMs === null || delayMs === 0
      ? []
      : [words.thenRefused(span(delayMs), fromMs === null ? null : time(fromMs + delayMs))];
  switch (end.code) {
    case 'silent': {
      const { who, atMs, holds, delayMs } = end;
      return [words.silent(named(who), time(atMs), holds), ...refused(delayMs, atMs)].join(m.joint);
    }
    case 'dead': {
      const { who, withinMs, holds, delayMs } = end;
      return [words.dead(named(who), span(withinMs), holds), ...refused(delayMs, null)].join(m.joint);
    }
    case 'lease':
      return words.lease(named(end.who), time(end.atMs));
    case 'node':
      return words.node(named(end.who), end.node);
    case 'never':
      return words.never(named(end.who));
    case 'leak':
      return words.leak[end.holds];
    case 'hidden':
      return words.hidden(named(end.who));
    case 'untold':
      return words.untold(named(end.who));
    case 'delay':
      return words.delay(time(end.atMs));
    case 'none-of-them':
      return words.noneOfThem;
    case 'waiters-time-out':
      return words.waitersTimeOut;
    case 'dead-head-stays':
      return words.deadHeadStays(named(end.who));
    case 'entry-stays':
      return words.entryStays;
  }
}

/** Verb, object and place of what would end it now; '' where there is none. */
export function titleOfNow(now: Now, world: World, m: AllMessages): string {
  if (now === null || 'refused' in now) return '';
  const { label, name } = actionWords(now.action, world, m);
  return titleOf(now.action, { label, name }, m);
}

/** The action, then what it risks in the words of its plan. */
function nowText(now: Now, title: string, m: AllMessages): string {
  const { now: words } = m.explain;
  if (now === null) return words.none;
  if ('refused' in now) return words.refused(worded(now.refused, m.why));
  const { action, risks } = now;
  const sentences = risks.map((risk) => worded(risk, m.plan.warnings));
  // A prune takes nothing from a client. Its plan shows that in place of an undo.
  if (descriptorOf(action).hits === 'ghosts') sentences.push(m.plan.undos['not-needed']({}));
  return [words.action(title), ...sentences].join(m.joint);
}

/** The chain of waits, the event that would end it, and the action that would end it now. `title`: of that action. */
export function explanationLines(
  { blocks, ends, now }: Explanation,
  title: string,
  moment: Moment,
  m: AllMessages,
): readonly string[] {
  return [
    blocks.map(({ fact }) => blockText(fact, moment, m)).join(m.joint),
    ends.map(({ fact }) => endText(fact, moment, m)).join(m.joint),
    nowText(now, title, m),
  ].filter((line) => line !== '');
}

/** More would fill a report. */
const stuckMax = 20;

/** The stuck subjects below a prefix that need a person, one paragraph each. `source`: `null` for all. */
export function stuckNow(
  snapshot: Snapshot,
  { prefix, source }: { readonly prefix: string; readonly source: SourceId | null },
  moment: Moment,
  m: AllMessages,
): readonly { readonly subject: Subject; readonly text: string }[] {
  const subjects = new Map<string, Subject>();
  for (const subject of snapshot.findings.filter(needsHuman).flatMap(concernedBy))
    if (subjectName(subject).startsWith(prefix) && (source === null || source === subject.source))
      subjects.set(subjectId(subject), subject);
  return [...subjects.values()].slice(0, stuckMax).flatMap((subject) => {
    const rows =
      subject.kind === 'lock' ? snapshot.locks : subject.kind === 'semaphore' ? snapshot.semaphores : [];
    const row = rows.find(isOf(subject));
    const about = snapshot.findings.filter((finding) => concerns(finding, subject));
    const explanation = row === undefined ? null : explanationOf(row, about, snapshot);
    if (explanation === null || explanation.fromMs > moment.nowMs) return [];
    const title = titleOfNow(explanation.now, snapshot, m);
    return [{ subject, text: explanationLines(explanation, title, moment, m).join(m.joint) }];
  });
}
