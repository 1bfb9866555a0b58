'use client';
import { useCallback } from 'react';
import { ActionMenu } from '@/components/actions/action-menu';
import { MendButton } from '@/components/actions/mend-button';
import { useMessages, usePageTitle } from '@/components/dom/locale';
import { useNow, useZone, When } from '@/components/live/clock';
import { Fact, Facts, Section } from '@/components/ui/section';
import { useSnapshotPart } from '@/lib/client/shown';
import { deleteLock, release } from '@/lib/domain/actions/lock';
import type { Finding } from '@/lib/domain/findings/finding';
import { heirsAmong } from '@/lib/domain/members';
import type { LeftRecord, Lock, Session } from '@/lib/domain/model';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { refusedAfter } from '@/lib/i18n/refused-after';
import { layoutName, lockSentence } from '@/lib/i18n/sentences';
import { DelayPanel } from './delay-panel';
import { FindingList } from './finding-list';
import { useLastSeen } from './last-seen';
import { NotInView } from './not-in-view';
import { PageHead } from './page-head';
import { HolderBlock } from './party';
import { Shelf } from './shelf';
import { RawEntry } from './value';

/** `name` is the key. `canAsk`: the provider can be asked whether a lock-delay runs. */
export function LockView({ name, canAsk }: { name: string; canAsk: boolean }) {
  usePageTitle(name);
  const select = useCallback(
    (snapshot: Snapshot) => {
      const lock = snapshot.locks.find((l) => l.key === name) ?? null;
      return {
        lock,
        session: snapshot.sessions.find((s) => s.id === lock?.holder?.sessionId) ?? null,
        isAlone: lock !== null && heirsAmong(lock, snapshot)?.length === 0,
        findings: snapshot.findings.filter((f) => f.subject.kind === 'lock' && f.subject.key === name),
      };
    },
    [name],
  );
  const { lock, session, isAlone, findings } = useSnapshotPart(select);
  const last = useLastSeen('lock', name);
  const m = useMessages();
  const { subject } = m;
  if (lock === null)
    return (
      <>
        <NotInView subject={{ kind: 'lock', key: name }} name={name} last={last} />
        {name === '' ? null : (
          <div className="px-4 sm:px-6">
            <DelayPanel name={name} lock={null} seen={last?.delay ?? null} canAsk={canAsk} />
          </div>
        )}
      </>
    );
  const { sections, raw } = subject;
  const of = { kind: 'lock', key: lock.key } as const;
  const first = release(lock);
  const words = m.layouts[lock.layout];
  const { caution } = (isAlone && words.alone) || words;
  return (
    <div className="px-4 sm:px-6">
      <PageHead
        name={lock.key}
        subject={of}
        meta={
          lock.exists
            ? [
                layoutName(lock.layout, m),
                subject.meta.flags(lock.flags),
                subject.meta.index(lock.modifyIndex),
              ]
            : [layoutName(lock.layout, m)]
        }
        sentence={<Sentence lock={lock} session={session} findings={findings} />}
        actions={
          <>
            <MendButton action={first} />
            <ActionMenu actions={[release(lock, 'hand-over'), deleteLock(lock)]} />
          </>
        }
      />
      {findings.length === 0 ? null : (
        <Section title={sections.findings}>
          <FindingList findings={findings} offered={first} />
        </Section>
      )}
      <Section title={sections.heldBy}>
        <Shelf of={lock} />
      </Section>
      {lock.state === 'delayed' || lock.state === 'free' ? (
        <DelayPanel name={name} lock={lock} canAsk={canAsk && lock.unwritable !== true} />
      ) : null}
      <Section title={sections.holder} note={caution}>
        {lock.holder === null ? (
          <p className="text-ink-soft">{subject.none.holder}</p>
        ) : (
          <HolderBlock holder={lock.holder} session={session} of={of} action={null} open />
        )}
      </Section>
      {lock.details.length === 0 ? null : (
        <Section title={sections.details}>
          <Facts>
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
      <Section title={sections.waiters}>
        <p className="text-ink-soft">{subject.lock.waiters}</p>
      </Section>
      <Section title={sections.raw}>
        <RawEntry
          entryKey={lock.key}
          value={lock.value}
          exists={lock.exists}
          fields={
            lock.exists
              ? [
                  { name: raw.flags, value: lock.flags },
                  { name: raw.createIndex, value: lock.createIndex },
                  { name: raw.modifyIndex, value: lock.modifyIndex },
                  { name: raw.lockIndex, value: lock.lockIndex, help: raw.lockIndexHelp },
                ]
              : []
          }
        />
      </Section>
    </div>
  );
}

interface SentenceProps {
  readonly lock: Lock;
  readonly session: Session | null;
  readonly findings: readonly Finding[];
}

function Sentence({ lock, session, findings }: SentenceProps) {
  const m = useMessages();
  const moment = { nowMs: useNow(), zone: useZone() };
  return <>{lockSentence(lock, moment, m, findings, refusedAfter(lock, session, m))}</>;
}

/** An earlier holder's record beside the lock, and why it is harmless. */
function LeftBehind({ left: { key, who, createdAtMs } }: { left: LeftRecord }) {
  const { lockInfo } = useMessages().subject;
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
