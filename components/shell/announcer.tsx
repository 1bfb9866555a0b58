'use client';
/**
 * Announces changes to screen readers, in batches: a board that spoke with every change could not be used.
 * Urgent news (the connection, a new need for attention) comes with the next batch.
 */
import { useEffect, useRef, useState } from 'react';
import { useMessages } from '@/components/dom/locale';
import { useAhead } from '@/components/live/first-part';
import { type Freshness, freshnessOf, isOld } from '@/lib/client/freshness';
import { useLiveView } from '@/lib/client/page-data';
import type { Finding } from '@/lib/domain/findings/finding';
import { needOf, needsHuman } from '@/lib/domain/findings/need';
import { shortId } from '@/lib/domain/model';
import { compare } from '@/lib/domain/sorted';
import { freshestOf } from '@/lib/domain/source-state';
import { lockName, semaphoreName } from '@/lib/domain/subject';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import type { Messages } from '@/lib/i18n/messages';

const batchMs = 5000;
/** Findings named in one announcement; more are only counted. */
const namedMax = 3;

interface Heard {
  readonly snapshot: Snapshot;
  readonly freshness: Freshness;
}

function changedRows(before: Snapshot, after: Snapshot): number {
  let changed = 0;
  const count = (_was: unknown, is: unknown) => {
    if (is !== null) changed += 1;
  };
  compare(before.locks, after.locks, lockName, count);
  compare(before.semaphores, after.semaphores, semaphoreName, count);
  return changed;
}

/** The announcement from one state to another; '' when nothing is worth hearing. */
export function announcement(before: Heard, after: Heard, m: Messages): string {
  const texts = m.shell.announce;
  const sentences: string[] = [];
  if (isOld(after.freshness) && !isOld(before.freshness))
    sentences.push(after.freshness === 'lost' ? texts.lost : texts.notFresh);
  if (!isOld(after.freshness) && isOld(before.freshness)) sentences.push(texts.fresh);
  const needs = after.snapshot.findings.filter(needsHuman);
  const neededBefore = before.snapshot.findings.filter(needsHuman);
  sentences.push(...newsOf(needs, neededBefore, m));
  const need = needOf(needs).all;
  const needBefore = needOf(neededBefore).all;
  if (need !== needBefore) sentences.push(texts.needs(need, needBefore));
  const changed = before.snapshot === after.snapshot ? 0 : changedRows(before.snapshot, after.snapshot);
  if (changed > 0) sentences.push(texts.changes(changed));
  return sentences.join(m.joint);
}

/** New and mended findings, by name while they are few. */
function newsOf(after: readonly Finding[], before: readonly Finding[], m: Messages): string[] {
  const { found, mended } = m.shell.announce;
  const came: Finding[] = [];
  const went: Finding[] = [];
  compare(
    before,
    after,
    ({ id }) => id,
    (was, is) => {
      if (was === null && is !== null) came.push(is);
      if (is === null && was !== null) went.push(was);
    },
  );
  if (came.length + went.length > namedMax) return [];
  const phrase = (sentence: typeof found) => (finding: Finding) =>
    sentence(m.severities[finding.severity], m.findings[finding.code].short, spokenName(finding.subject));
  return [...came.map(phrase(found)), ...went.map(phrase(mended))];
}

function spokenName(subject: Finding['subject']): string {
  if (subject.kind === 'session') return shortId(subject.id);
  return subject.kind === 'lock' ? subject.key : subject.prefix;
}

export function Announcer() {
  const view = useLiveView();
  const m = useMessages();
  const [text, setText] = useState('');
  const partly = useRef(false);
  const ahead = useAhead() !== null;
  useEffect(() => {
    partly.current = ahead;
  });
  useEffect(() => {
    const read = (): Heard | null => {
      // The rest of the world is no news.
      if (partly.current) return null;
      const snapshot = view.snapshot.get();
      return {
        snapshot,
        freshness: freshnessOf(view.connection.get().state, freshestOf(snapshot.source).state),
      };
    };
    let last = read();
    const timer = setInterval(() => {
      const now = read();
      if (now === null) return;
      if (last !== null) {
        const text = announcement(last, now, m);
        if (text !== '') setText(text);
      }
      last = now;
    }, batchMs);
    return () => clearInterval(timer);
  }, [view, m]);
  return (
    <div aria-live="polite" className="sr-only">
      {text}
    </div>
  );
}
