'use client';
/** The page of one semaphore: slots, holders with their evidence, waiters, and the entry as it is stored. */
import { useCallback } from 'react';
import { MendButton } from '@/components/action/mend-button';
import { useMessages, usePageTitle } from '@/components/locale';
import { Section } from '@/components/ui/section';
import { nameParts } from '@/lib/client/format';
import { useSnapshotPart } from '@/lib/client/queries';
import { layoutName, semaphoreSentence } from '@/lib/client/sentences';
import { layouts } from '@/lib/domain/layout';
import type { Semaphore } from '@/lib/domain/model';
import type { Snapshot } from '@/lib/domain/snapshot';
import { FindingList } from './finding-list';
import { Holders } from './holders';
import { NotInView } from './not-in-view';
import { PageHead } from './page-head';
import { Shelf } from './shelf';
import { RawEntry } from './value';
import { Waiters } from './waiters';

/** `prefix` is the semaphore's, without the trailing slash. */
export function SemaphoreView({ prefix }: { prefix: string }) {
  usePageTitle(nameParts(prefix).last);
  const select = useCallback(
    (snapshot: Snapshot) => {
      const semaphore = snapshot.semaphores.find((s) => s.prefix === prefix) ?? null;
      const ids = new Set(semaphore?.holders.map((h) => h.sessionId));
      return {
        semaphore,
        sessions: snapshot.sessions.filter((s) => ids.has(s.id)),
        findings: snapshot.findings.filter(
          (f) => f.subject.kind === 'semaphore' && f.subject.prefix === prefix,
        ),
      };
    },
    [prefix],
  );
  const { semaphore, sessions, findings } = useSnapshotPart(select);
  const m = useMessages();
  const { subject } = m;
  if (semaphore === null) return <NotInView kind="semaphore" name={prefix} />;
  const { sections } = subject;
  return (
    <div className="px-4 sm:px-6">
      <PageHead
        name={prefix}
        meta={metaOf(semaphore, subject.meta)}
        sentence={semaphoreSentence(semaphore, m)}
        actions={<Actions semaphore={semaphore} />}
      />
      {findings.length === 0 ? null : (
        <Section title={sections.findings}>
          <FindingList findings={findings} />
        </Section>
      )}
      <Section title={sections.slots}>
        <Shelf of={semaphore} />
      </Section>
      <Section title={sections.holders} note={layouts[semaphore.layout].caution}>
        <Holders prefix={prefix} holders={semaphore.holders} sessions={sessions} />
      </Section>
      <Section
        title={sections.waiters}
        note={semaphore.waiters.length === 0 ? undefined : subject.waitersNote}
      >
        {semaphore.waiters.length === 0 ? (
          <p className="text-ink-soft">{subject.none.waiters}</p>
        ) : (
          <Waiters waiters={semaphore.waiters} />
        )}
      </Section>
      <Entry semaphore={semaphore} />
    </div>
  );
}

function metaOf(
  semaphore: Semaphore,
  texts: { flags: (v: string) => string; index: (v: string) => string },
): string[] {
  const meta = [layoutName(semaphore.layout)];
  if (semaphore.flags !== null) meta.push(texts.flags(semaphore.flags));
  if (semaphore.modifyIndex !== null) meta.push(texts.index(semaphore.modifyIndex));
  return meta;
}

function Actions({ semaphore: { prefix, limit, holders } }: { semaphore: Semaphore }) {
  const ghosts = holders.some((holder) => holder.verdict === 'ghost');
  return (
    <>
      {ghosts ? <MendButton action={{ type: 'semaphore.prune', prefixes: [prefix] }} tone="danger" /> : null}
      <MendButton action={{ type: 'semaphore.resize', prefix, limit: limit ?? 1 }} />
    </>
  );
}

function Entry({ semaphore }: { semaphore: Semaphore }) {
  const m = useMessages();
  const { sections, raw, leftovers } = m.subject;
  const fields = [
    { name: raw.flags, value: semaphore.flags },
    { name: raw.createIndex, value: semaphore.createIndex },
    { name: raw.modifyIndex, value: semaphore.modifyIndex },
  ].flatMap(({ name, value }) => (value === null ? [] : [{ name, value }]));
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
      <Section title={sections.raw}>
        <RawEntry
          entryKey={`${semaphore.prefix}/.lock`}
          value={semaphore.value}
          exists={semaphore.modifyIndex !== null}
          fields={fields}
        />
      </Section>
    </>
  );
}
