'use client';
/** The page of one lock: everything that Consul and Signalbox know of it. */
import { useCallback } from 'react';
import { MendButton } from '@/components/action/mend-button';
import { useNow, useZone, When } from '@/components/clock';
import { useMessages, usePageTitle } from '@/components/locale';
import { Fact, Facts, Section } from '@/components/ui/section';
import { nameParts } from '@/lib/client/format';
import { useSnapshotPart } from '@/lib/client/queries';
import { layoutName, lockSentence } from '@/lib/client/sentences';
import { layouts } from '@/lib/domain/layout';
import type { Lock } from '@/lib/domain/model';
import type { Snapshot } from '@/lib/domain/snapshot';
import { FindingList } from './finding-list';
import { NotInView } from './not-in-view';
import { PageHead } from './page-head';
import { HolderBlock } from './party';
import { Shelf } from './shelf';
import { RawEntry } from './value';

/** `name` is the key. */
export function LockView({ name }: { name: string }) {
  usePageTitle(nameParts(name).last);
  const select = useCallback(
    (snapshot: Snapshot) => {
      const lock = snapshot.locks.find((l) => l.key === name) ?? null;
      return {
        lock,
        session: snapshot.sessions.find((s) => s.id === lock?.holder?.sessionId) ?? null,
        findings: snapshot.findings.filter((f) => f.subject.kind === 'lock' && f.subject.key === name),
      };
    },
    [name],
  );
  const { lock, session, findings } = useSnapshotPart(select);
  const { subject } = useMessages();
  if (lock === null) return <NotInView kind="lock" name={name} />;
  const { sections, raw } = subject;
  const of = { kind: 'lock', key: lock.key } as const;
  const caution = layouts[lock.layout].caution;
  return (
    <div className="px-4 sm:px-6">
      <PageHead
        name={lock.key}
        meta={[layoutName(lock.layout), subject.meta.flags(lock.flags), subject.meta.index(lock.modifyIndex)]}
        sentence={<Sentence lock={lock} />}
        actions={
          <MendButton
            tone="danger"
            action={{ type: 'lock.release', key: lock.key, how: 'destroy-session' }}
          />
        }
      />
      {findings.length === 0 ? null : (
        <Section title={sections.findings}>
          <FindingList findings={findings} />
        </Section>
      )}
      <Section title={sections.heldBy}>
        <Shelf of={lock} />
        {lock.state === 'delayed' && lock.delayedUntilMs !== null ? (
          <p className="mt-2 text-[13px] text-ink-soft">
            {subject.lock.delayedBasis('')}
            <When atMs={lock.delayedUntilMs} />.
          </p>
        ) : null}
      </Section>
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
      <Section title={sections.waiters}>
        <p className="text-ink-soft">{subject.lock.waiters}</p>
      </Section>
      <Section title={sections.raw}>
        <RawEntry
          entryKey={lock.key}
          value={lock.value}
          exists
          fields={[
            { name: raw.flags, value: lock.flags },
            { name: raw.createIndex, value: lock.createIndex },
            { name: raw.modifyIndex, value: lock.modifyIndex },
            { name: raw.lockIndex, value: lock.lockIndex, help: raw.lockIndexHelp },
          ]}
        />
      </Section>
    </div>
  );
}

function Sentence({ lock }: { lock: Lock }) {
  const m = useMessages();
  return <>{lockSentence(lock, { nowMs: useNow(), zone: useZone() }, m)}</>;
}
