'use client';
/** The page of one semaphore: slots, holders with their evidence, waiters, and the stored entry. */
import { useCallback } from 'react';
import { ActionMenu } from '@/components/actions/action-menu';
import { MendButton } from '@/components/actions/mend-button';
import { useMessages, usePageTitle } from '@/components/dom/locale';
import { useNow, useZone } from '@/components/live/clock';
import { Section } from '@/components/ui/section';
import { useSnapshotPart } from '@/lib/client/shown';
import type { Action } from '@/lib/domain/actions/action';
import type { Finding } from '@/lib/domain/findings/finding';
import { concerns } from '@/lib/domain/findings/finding';
import { unlistedHolders } from '@/lib/domain/holders';
import type { Semaphore } from '@/lib/domain/model';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import type { Messages } from '@/lib/i18n/messages';
import { layoutName, semaphoreSentence } from '@/lib/i18n/sentences';
import { choiceOf, remedyOf } from '@/lib/view/actions/remedy';
import { FindingList } from './finding-list';
import { Holders } from './holders';
import { useLastSeen } from './last-seen';
import { NotInView } from './not-in-view';
import { PageHead } from './page-head';
import { Shelf } from './shelf';
import { RawEntry } from './value';
import { Waiters } from './waiters';

/** `prefix` is the semaphore's, without the trailing slash. */
export function SemaphoreView({ prefix }: { prefix: string }) {
  usePageTitle(prefix);
  const select = useCallback(
    (snapshot: Snapshot) => {
      const semaphore = snapshot.semaphores.find((s) => s.prefix === prefix) ?? null;
      const ids = new Set(semaphore?.holders.map((h) => h.sessionId));
      return {
        semaphore,
        sessions: snapshot.sessions.filter((s) => ids.has(s.id)),
        findings: snapshot.findings.filter((f) => concerns(f, { kind: 'semaphore', prefix })),
      };
    },
    [prefix],
  );
  const { semaphore, sessions, findings } = useSnapshotPart(select);
  const last = useLastSeen('semaphore', prefix);
  const m = useMessages();
  const { subject } = m;
  if (semaphore === null)
    return <NotInView subject={{ kind: 'semaphore', prefix }} name={prefix} last={last} />;
  const { sections } = subject;
  const mend = remedyOf(semaphore, findings);
  return (
    <div className="px-4 sm:px-6">
      <PageHead
        name={prefix}
        subject={{ kind: 'semaphore', prefix }}
        meta={metaOf(semaphore, m)}
        sentence={<Sentence semaphore={semaphore} findings={findings} />}
        actions={<Actions semaphore={semaphore} findings={findings} />}
      />
      {findings.length === 0 ? null : (
        <Section title={sections.findings}>
          <FindingList findings={findings} offered={mend} />
        </Section>
      )}
      <Section title={sections.slots}>
        <Shelf of={semaphore} />
      </Section>
      <Section title={sections.holders} note={m.layouts[semaphore.layout].caution}>
        <Holders
          prefix={prefix}
          holders={semaphore.holders}
          sessions={sessions}
          read={semaphore.recorded !== null}
        />
        {unlistedHolders(semaphore) === 0 ? null : (
          <p className="pt-4 text-ink-soft">{subject.unlisted(unlistedHolders(semaphore))}</p>
        )}
      </Section>
      <Section
        title={sections.waiters}
        note={semaphore.waiters.length === 0 ? undefined : subject.waitersNote}
      >
        {semaphore.waiters.length === 0 ? (
          <p className="text-ink-soft">
            {semaphore.part ? subject.none.waitersInView : subject.none.waiters}
          </p>
        ) : (
          <Waiters waiters={semaphore.waiters} />
        )}
        {semaphore.part ? <p className="mt-2 text-ink-soft">{subject.waitersPart}</p> : null}
      </Section>
      <Entry semaphore={semaphore} />
    </div>
  );
}

function Sentence({ semaphore, findings }: { semaphore: Semaphore; findings: readonly Finding[] }) {
  const m = useMessages();
  return <>{semaphoreSentence(semaphore, { nowMs: useNow(), zone: useZone() }, m, findings)}</>;
}

function metaOf(semaphore: Semaphore, m: Messages): string[] {
  const texts = m.subject.meta;
  const meta = [layoutName(semaphore.layout, m)];
  if (semaphore.flags !== null) meta.push(texts.flags(semaphore.flags));
  if (semaphore.modifyIndex !== null) meta.push(texts.index(semaphore.modifyIndex));
  return meta;
}

/**
 * The remedy of its most urgent finding comes first, or what a person may choose against a holder in doubt; then the ghosts,
 * then the permanent actions. Actions that may break clients are in the menu, which gives the reason against them.
 */
function Actions({ semaphore, findings }: { semaphore: Semaphore; findings: readonly Finding[] }) {
  const { prefix, limit, holders } = semaphore;
  const mend = remedyOf(semaphore, findings);
  const choice = mend === null ? choiceOf(semaphore, findings) : null;
  const ghosts = holders.some((holder) => holder.verdict === 'ghost');
  const first: Action | null = mend ?? (ghosts ? { type: 'semaphore.prune', prefixes: [prefix] } : null);
  const rest: Action[] = [
    ...(ghosts && first?.type !== 'semaphore.prune'
      ? [{ type: 'semaphore.prune' as const, prefixes: [prefix] }]
      : []),
    ...(first?.type === 'semaphore.resize'
      ? []
      : [{ type: 'semaphore.resize' as const, prefix, limit: limit ?? 1 }]),
  ];
  return (
    <>
      {first === null ? null : <MendButton action={first} />}
      {choice === null ? null : <MendButton action={choice} tone="plain" />}
      {rest.map((action) => (
        <MendButton key={action.type} action={action} />
      ))}
      <ActionMenu actions={[{ type: 'semaphore.delete', prefix }]} />
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
