'use client';
import { clsx } from 'clsx';
import { useCallback, useMemo } from 'react';
import { ActionMenu } from '@/components/actions/action-menu';
import { MendButton } from '@/components/actions/mend-button';
import { useAllMessages, usePageTitle } from '@/components/dom/locale';
import { HistorySection } from '@/components/history/history-section';
import { useNow, useZone, When } from '@/components/live/clock';
import { OfSource, useShownSource, useSourceState } from '@/components/live/sources';
import { Fact, Facts, Section } from '@/components/ui/section';
import { useSnapshotPart } from '@/lib/client/page-data';
import type { Action } from '@/lib/domain/actions/action';
import { askHolder, deleteLock, release, removeLockWaiter, wakeWaiters } from '@/lib/domain/actions/lock';
import { capabilities, hasLockDelay, namesHolders } from '@/lib/domain/capabilities';
import type { Finding } from '@/lib/domain/findings/finding';
import { holdersOf } from '@/lib/domain/holders';
import { heirsAmong } from '@/lib/domain/members';
import {
  type Holder,
  type LeftRecord,
  type Lock,
  type Session,
  subjectId,
  type Waiter,
} from '@/lib/domain/model';
import { firstSource, type SourceId } from '@/lib/domain/source';
import { isOf, lockSubject, sessionSubject } from '@/lib/domain/subject';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { waitingSentence } from '@/lib/i18n/holding';
import { refusedAfter } from '@/lib/i18n/refused-after';
import { layoutName, lockSentence } from '@/lib/i18n/sentences';
import { DelayPanel } from './delay-panel';
import { Explained } from './explained';
import { FindingList } from './finding-list';
import { Holders } from './holders';
import { useLastSeen } from './last-seen';
import { NotInView } from './not-in-view';
import { PageHead } from './page-head';
import { HolderBlock } from './party';
import { Shelf } from './shelf';
import { fieldOf, RawEntry } from './value';
import { Waiters } from './waiters';

interface LockViewProps {
  /** The key. */
  readonly name: string;
  readonly source?: SourceId;
  /** The provider can be asked whether a lock-delay runs. */
  readonly canAsk: boolean;
}

export function LockView(props: LockViewProps) {
  const { source = firstSource } = props;
  return (
    <OfSource source={source}>
      <Shown {...props} source={source} />
    </OfSource>
  );
}

function Shown({ name, source, canAsk }: Required<LockViewProps>) {
  const of = useMemo(() => lockSubject({ source, key: name }), [source, name]);
  usePageTitle(name);
  const select = useCallback(
    (snapshot: Snapshot) => {
      const lock = snapshot.locks.find(isOf(of)) ?? null;
      const holder = lock?.holder?.sessionId;
      return {
        lock,
        session:
          holder === undefined
            ? null
            : (snapshot.sessions.find(isOf(sessionSubject({ source, id: holder }))) ?? null),
        isAlone: lock !== null && heirsAmong(lock, snapshot)?.length === 0,
        findings: snapshot.findings.filter((f) => subjectId(f.subject) === subjectId(of)),
      };
    },
    [of, source],
  );
  const { lock, session, isAlone, findings } = useSnapshotPart(select);
  const last = useLastSeen(of);
  const old = useShownSource(source)?.isGrey === true;
  const delays = hasLockDelay(useSourceState().provider);
  const m = useAllMessages();
  const { subject } = m;
  if (lock === null)
    return (
      <NotInView subject={of} name={name} last={last} past={delays}>
        {/* The panel settles a moment after the page has come, and would move the content below. */}
        {delays ? (
          <DelayPanel of={of} lock={null} seen={last?.delay ?? null} canAsk={canAsk} />
        ) : (
          <HistorySection of={of} late />
        )}
      </NotInView>
    );
  const { sections, raw } = subject;
  const { holds, deletes, releases, asks, wakes } = capabilities[lock.layout];
  const bySession = holds === 'session';
  const holders = holdersOf(lock);
  const isShared = holders.length > 1;
  // Several holders have a button each.
  const first = releases && !isShared ? release(lock) : null;
  const rarer: Action[] = [
    ...(bySession ? [release(lock, 'hand-over')] : []),
    ...(asks ? holders.map(({ sessionId }) => askHolder(lock, sessionId)) : []),
    ...(wakes ? [wakeWaiters(lock)] : []),
    ...(deletes ? [deleteLock(lock)] : []),
  ];
  const canAct = releases || rarer.length > 0;
  const token = bySession ? undefined : lock.lockIndex;
  const releaseOf = ({ sessionId }: Holder) => (releases ? release(lock, undefined, sessionId) : null);
  const words = m.layouts[lock.layout];
  const { caution } = (isAlone && words.alone) || words;
  return (
    <div className={clsx('px-4 sm:px-6', old && 'not-fresh')}>
      <PageHead
        name={lock.key}
        subject={of}
        meta={[
          layoutName(lock.layout, m),
          ...(lock.exists && lock.flags !== undefined ? [subject.meta.flags(lock.flags)] : []),
          ...(lock.exists && lock.modifyIndex !== undefined ? [subject.meta.index(lock.modifyIndex)] : []),
        ]}
        sentence={<Sentence lock={lock} session={session} findings={findings} />}
        actions={
          <>
            {first === null ? null : <MendButton action={first} />}
            {rarer.length === 0 ? null : <ActionMenu actions={rarer} />}
          </>
        }
      />
      {findings.length === 0 ? null : (
        <Section title={sections.findings}>
          <FindingList findings={findings} offered={first} />
        </Section>
      )}
      <Explained of={of} />
      <Section title={sections.heldBy}>
        <Shelf of={lock} />
      </Section>
      {delays && (lock.state === 'delayed' || lock.state === 'free') ? (
        <DelayPanel of={of} lock={lock} canAsk={canAsk && lock.unwritable !== true} />
      ) : null}
      <Section title={isShared ? sections.holders : sections.holder} note={caution}>
        {lock.holder === null ? (
          <p className="text-ink-soft">
            {lock.state === 'unknown'
              ? bySession
                ? subject.lock.unknown
                : subject.holding.unknown
              : bySession
                ? subject.none.holder
                : subject.none.leases}
          </p>
        ) : isShared ? (
          <Holders
            of={of}
            holds={holds}
            actionOf={releaseOf}
            holders={holders}
            sessions={session === null ? [] : [session]}
            none={subject.none.leases}
          />
        ) : (
          <HolderBlock holder={lock.holder} session={session} of={of} action={null} open holds={holds} />
        )}
        {canAct ? null : <p className="mt-3 text-[13px] text-ink-soft">{subject.holding.shownOnly}</p>}
      </Section>
      {lock.details.length === 0 && token === undefined ? null : (
        <Section title={sections.details}>
          <Facts>
            {token === undefined ? null : (
              <Fact name={subject.holding.token}>
                {token} <span className="text-ink-dim">{subject.holding.tokenHelp}</span>
              </Fact>
            )}
            {lock.details.map((detail) => (
              <Fact key={detail.name} name={detail.name}>
                {detail.value}
              </Fact>
            ))}
          </Facts>
        </Section>
      )}
      {lock.leftBehind === null ? null : (
        <Section title={sections.leftovers}>
          <LeftBehind left={lock.leftBehind} />
        </Section>
      )}
      <LockWaiters lock={lock} bySession={bySession} />
      <HistorySection of={of} named={namesHolders(lock)} />
      {!bySession && lock.value === null ? null : (
        <Section title={sections.raw}>
          <RawEntry
            entryKey={lock.key}
            value={lock.value}
            exists={lock.exists}
            fields={
              lock.exists
                ? [
                    ...fieldOf(raw.flags, lock.flags),
                    ...fieldOf(raw.createIndex, lock.createIndex),
                    ...fieldOf(raw.modifyIndex, lock.modifyIndex),
                    ...(bySession ? fieldOf(raw.lockIndex, lock.lockIndex, raw.lockIndexHelp) : []),
                  ]
                : []
            }
          />
        </Section>
      )}
    </div>
  );
}

/** A queue where the backend shows one, else what is known of who waits. */
function LockWaiters({ lock, bySession }: { lock: Lock; bySession: boolean }) {
  const m = useAllMessages();
  const { subject } = m;
  const { waiters, source, state } = lock;
  // A waiter may hold it, or a client that is not in view.
  const isUnknown = state === 'unknown';
  const { removesWaiters } = capabilities[lock.layout];
  return (
    <Section
      title={subject.sections.waiters}
      note={waiters === null || waiters.length === 0 || isUnknown ? undefined : subject.queueNote}
    >
      {waiters !== null && waiters.length > 0 ? (
        <Waiters
          waiters={waiters}
          source={source}
          bySession={bySession}
          {...(removesWaiters
            ? { removal: ({ sessionId }: Waiter) => removeLockWaiter(lock, sessionId) }
            : {})}
        />
      ) : (
        <p className="text-ink-soft">
          {waiters !== null && !isUnknown
            ? subject.none.waiters
            : bySession
              ? subject.lock.waiters
              : waitingSentence(lock, m)}
        </p>
      )}
    </Section>
  );
}

interface SentenceProps {
  readonly lock: Lock;
  readonly session: Session | null;
  readonly findings: readonly Finding[];
}

function Sentence({ lock, session, findings }: SentenceProps) {
  const m = useAllMessages();
  const moment = { nowMs: useNow(), zone: useZone() };
  return <>{lockSentence(lock, moment, m, findings, refusedAfter(lock, session, m))}</>;
}

/** An earlier holder's record beside the lock, and why it is harmless. */
function LeftBehind({ left: { key, who, createdAtMs } }: { left: LeftRecord }) {
  const { lockInfo } = useAllMessages().subject;
  return (
    <div className="flex max-w-[72ch] flex-col gap-1 text-[13px]">
      <p>
        {lockInfo.of(who)}
        {createdAtMs === null ? null : (
          <>
            {lockInfo.created}
            <When atMs={createdAtMs} />
          </>
        )}
        {lockInfo.end} <code className="break-all text-[12px] text-ink-dim">{key}</code>
      </p>
      <p className="text-ink-soft">{lockInfo.text}</p>
    </div>
  );
}
