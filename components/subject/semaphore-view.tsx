'use client';
/** The page of one semaphore: slots, holders with their evidence, waiters, and the stored entry. */
import { clsx } from 'clsx';
import { useCallback, useMemo } from 'react';
import { ActionMenu } from '@/components/actions/action-menu';
import { MendButton } from '@/components/actions/mend-button';
import { useAllMessages, usePageTitle } from '@/components/dom/locale';
import { HistorySection } from '@/components/history/history-section';
import { useNow, useZone } from '@/components/live/clock';
import { OfSource, useShownSource } from '@/components/live/sources';
import { Section } from '@/components/ui/section';
import { useSnapshotPart } from '@/lib/client/page-data';
import type { Action } from '@/lib/domain/actions/action';
import {
  deleteSemaphore,
  evict,
  prune,
  removeSemaphoreWaiter,
  returnPermits,
  setLimit,
} from '@/lib/domain/actions/semaphore';
import { capabilities, freeOf, namesHolders } from '@/lib/domain/capabilities';
import type { Finding } from '@/lib/domain/findings/finding';
import { concerns } from '@/lib/domain/findings/finding';
import { unlistedHolders } from '@/lib/domain/holders';
import { layouts, recordKey } from '@/lib/domain/layout';
import type { Holder, Semaphore, Waiter } from '@/lib/domain/model';
import { firstSource, type SourceId } from '@/lib/domain/source';
import { isOf, semaphoreSubject } from '@/lib/domain/subject';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { waitingSentence } from '@/lib/i18n/holding';
import type { AllMessages } from '@/lib/i18n/messages';
import { layoutName, semaphoreSentence } from '@/lib/i18n/sentences';
import { choiceOf, remedyOf } from '@/lib/view/actions/remedy';
import { Explained } from './explained';
import { FindingList } from './finding-list';
import { Holders } from './holders';
import { useLastSeen } from './last-seen';
import { NotInView } from './not-in-view';
import { PageHead } from './page-head';
import { Shelf } from './shelf';
import { fieldOf, RawEntry } from './value';
import { Waiters } from './waiters';

/** `prefix` is the semaphore's, without the trailing slash. */
export function SemaphoreView({ prefix, source = firstSource }: { prefix: string; source?: SourceId }) {
  return (
    <OfSource source={source}>
      <Shown prefix={prefix} source={source} />
    </OfSource>
  );
}

function Shown({ prefix, source }: { prefix: string; source: SourceId }) {
  const of = useMemo(() => semaphoreSubject({ source, prefix }), [source, prefix]);
  usePageTitle(prefix);
  const select = useCallback(
    (snapshot: Snapshot) => {
      const semaphore = snapshot.semaphores.find(isOf(of)) ?? null;
      const ids = new Set(semaphore?.holders.map((h) => h.sessionId));
      return {
        semaphore,
        sessions: snapshot.sessions.filter((s) => s.source === source && ids.has(s.id)),
        findings: snapshot.findings.filter((f) => concerns(f, of)),
      };
    },
    [of, source],
  );
  const { semaphore, sessions, findings } = useSnapshotPart(select);
  const last = useLastSeen(of);
  const old = useShownSource(source)?.isGrey === true;
  const m = useAllMessages();
  const { subject } = m;
  if (semaphore === null)
    return (
      <NotInView subject={of} name={prefix} last={last}>
        <HistorySection of={of} late />
      </NotInView>
    );
  const { sections } = subject;
  const mend = remedyOf(semaphore, findings);
  const { layout } = semaphore;
  const { holds, releases, returns, removesWaiters, waiters: seen } = capabilities[layout];
  const bySession = holds === 'session';
  const { none, holding } = subject;
  const evictionOf = ({ sessionId, verdict }: Holder) =>
    // The button on top prunes all ghosts together; other holders are evicted one by one.
    verdict === 'ghost' || !releases ? null : evict({ ...of, layout }, sessionId);
  const canAct = releases || returns || removesWaiters || layouts[layout].resize !== null;
  const waitersNote = seen === 'queue' ? subject.queueNote : subject.waitersNote;
  return (
    <div className={clsx('px-4 sm:px-6', old && 'not-fresh')}>
      <PageHead
        name={prefix}
        subject={of}
        meta={metaOf(semaphore, m)}
        sentence={<Sentence semaphore={semaphore} findings={findings} />}
        actions={<Actions semaphore={semaphore} findings={findings} />}
      />
      {findings.length === 0 ? null : (
        <Section title={sections.findings}>
          <FindingList findings={findings} offered={mend} />
        </Section>
      )}
      <Explained of={of} />
      <Section title={sections.slots}>
        <Shelf of={semaphore} />
      </Section>
      <Section title={sections.holders} note={m.layouts[layout].caution}>
        <Holders
          of={of}
          holds={holds}
          actionOf={evictionOf}
          holders={semaphore.holders}
          sessions={sessions}
          none={
            freeOf(semaphore) !== undefined
              ? layout === 'redisson-latch'
                ? none.leases
                : holding.free.holders
              : semaphore.recorded === null
                ? none.holdersUnread
                : bySession
                  ? none.holders
                  : none.leases
          }
        />
        {canAct || layout === 'unreadable' ? null : (
          <p className="mt-3 text-[13px] text-ink-soft">{holding.shownOnly}</p>
        )}
        {unlistedHolders(semaphore) === 0 ? null : (
          <p className="pt-4 text-ink-soft">{subject.unlisted(unlistedHolders(semaphore))}</p>
        )}
      </Section>
      <Section title={sections.waiters} note={semaphore.waiters.length === 0 ? undefined : waitersNote}>
        {semaphore.waiters.length === 0 ? (
          <p className="text-ink-soft">
            {semaphore.part
              ? none.waitersInView
              : seen === 'counted'
                ? waitingSentence(semaphore, m)
                : none.waiters}
          </p>
        ) : (
          <Waiters
            waiters={semaphore.waiters}
            source={source}
            bySession={bySession}
            {...(removesWaiters
              ? { removal: ({ sessionId }: Waiter) => removeSemaphoreWaiter(of, sessionId) }
              : {})}
          />
        )}
        {semaphore.part ? <p className="mt-2 text-ink-soft">{subject.waitersPart}</p> : null}
      </Section>
      <HistorySection of={of} named={namesHolders(semaphore)} />
      <Entry semaphore={semaphore} />
    </div>
  );
}

function Sentence({ semaphore, findings }: { semaphore: Semaphore; findings: readonly Finding[] }) {
  const m = useAllMessages();
  return <>{semaphoreSentence(semaphore, { nowMs: useNow(), zone: useZone() }, m, findings)}</>;
}

function metaOf(semaphore: Semaphore, m: AllMessages): string[] {
  const texts = m.subject.meta;
  const meta = [layoutName(semaphore.layout, m)];
  if (semaphore.flags != null) meta.push(texts.flags(semaphore.flags));
  if (semaphore.modifyIndex != null) meta.push(texts.index(semaphore.modifyIndex));
  return meta;
}

/**
 * The remedy of its most urgent finding comes first, or the choice against a holder in doubt. Then come the ghosts and
 * the permanent actions. Actions that may break clients are in the menu, which gives the reason against them.
 */
function Actions({ semaphore, findings }: { semaphore: Semaphore; findings: readonly Finding[] }) {
  const { source, prefix, limit, holders, layout } = semaphore;
  const { releases, returns, deletes } = capabilities[layout];
  const mend = remedyOf(semaphore, findings);
  const choice = mend === null ? choiceOf(semaphore, findings) : null;
  const ghosts = holders.some((holder) => holder.verdict === 'ghost');
  const pruning = ghosts && releases ? [prune(source, [prefix])] : [];
  const first: Action | null = mend ?? pruning[0] ?? null;
  const resizes = layouts[layout].resize !== null || layout === 'unreadable';
  const rest: readonly Action[] = [
    ...pruning,
    ...(returns ? [returnPermits({ source, prefix }, 1)] : []),
    ...(resizes ? [setLimit({ source, prefix }, limit ?? 1)] : []),
  ].filter(({ type }) => type !== first?.type);
  return (
    <>
      {first === null ? null : <MendButton action={first} />}
      {choice === null ? null : <MendButton action={choice} />}
      {rest.map((action) => (
        <MendButton key={action.type} action={action} />
      ))}
      {deletes ? <ActionMenu actions={[deleteSemaphore({ source, prefix })]} /> : null}
    </>
  );
}

function Entry({ semaphore }: { semaphore: Semaphore }) {
  const m = useAllMessages();
  const { sections, raw, leftovers } = m.subject;
  const { byHand } = capabilities[semaphore.layout];
  const fields = [
    ...fieldOf(raw.flags, semaphore.flags),
    ...fieldOf(raw.createIndex, semaphore.createIndex),
    ...fieldOf(raw.modifyIndex, semaphore.modifyIndex),
  ];
  return (
    <>
      {semaphore.problems.length === 0 ? null : (
        <Section title={sections.problems}>
          <ul className="flex max-w-[75ch] flex-col gap-1.5">
            {semaphore.problems.map((problem) => (
              <li key={`${problem.code} ${problem.detail}`} className="flex gap-2">
                <span aria-hidden="true" className="text-[12px] text-caution">
                  △
                </span>
                {m.entryProblems[problem.code](problem.detail)}
              </li>
            ))}
          </ul>
        </Section>
      )}
      {semaphore.leftovers.length === 0 ? null : (
        <Section title={sections.leftovers} note={leftovers}>
          <ul className="font-mono text-[13px]">
            {semaphore.leftovers.map((key) => (
              <li key={key} className="break-all">
                {key}
              </li>
            ))}
          </ul>
        </Section>
      )}
      {!byHand && semaphore.value === null && fields.length === 0 ? null : (
        <Section title={sections.raw}>
          <RawEntry
            entryKey={byHand ? recordKey(semaphore) : semaphore.prefix}
            value={semaphore.value}
            exists={semaphore.modifyIndex !== null}
            fields={fields}
          />
        </Section>
      )}
    </>
  );
}
