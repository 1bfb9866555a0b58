'use client';
/** The page of one session: its holds, its wants, its end, and the evidence for it. */
import { clsx } from 'clsx';
import { useCallback, useMemo } from 'react';
import { MendButton } from '@/components/actions/mend-button';
import { useAllMessages, usePageTitle } from '@/components/dom/locale';
import { useNow, useZone } from '@/components/live/clock';
import { OfSource, useShownSource } from '@/components/live/sources';
import { Lamp } from '@/components/marks/lamp';
import { FindingList } from '@/components/subject/finding-list';
import { useLastSeen } from '@/components/subject/last-seen';
import { NotInView } from '@/components/subject/not-in-view';
import { PageHead } from '@/components/subject/page-head';
import { EndsLine, EvidenceList } from '@/components/subject/party';
import { RenewalAgents, RenewalFact } from '@/components/subject/renewal';
import { SessionFacts, SubjectLinks } from '@/components/subject/session-facts';
import { Fact, Facts, Section } from '@/components/ui/section';
import { useSnapshotPart } from '@/lib/client/page-data';
import { paths } from '@/lib/client/paths';
import { destroySession } from '@/lib/domain/actions/session';
import { type Lock, type Party, type Semaphore, type Session, shortId, subjectId } from '@/lib/domain/model';
import { firstSource, type SourceId } from '@/lib/domain/source';
import { isOf, type SessionRef, sessionSubject } from '@/lib/domain/subject';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { cutName, plain } from '@/lib/i18n/format/format';
import { expiryWords, sinceWords } from '@/lib/i18n/sentences';

/** A client may give a name of any length. */
const nameMax = 96;

/** The session as a holder or waiter, once for each lock and semaphore. Each may have its own verdict. */
function partiesOf({ locks, semaphores }: Snapshot, { source, id }: SessionRef): Party[] {
  const isHere = (row: Lock | Semaphore) => row.source === source;
  const ofLocks = locks.filter(isHere).flatMap(({ holder }) => holder ?? []);
  const ofSemaphores = semaphores.filter(isHere).flatMap(({ holders, waiters }) => [...holders, ...waiters]);
  return [...ofLocks, ...ofSemaphores].filter((party) => party.sessionId === id);
}

export function SessionView({ id, source = firstSource }: { id: string; source?: SourceId }) {
  return (
    <OfSource source={source}>
      <Shown id={id} source={source} />
    </OfSource>
  );
}

function Shown({ id, source }: { id: string; source: SourceId }) {
  const of = useMemo(() => sessionSubject({ source, id }), [source, id]);
  usePageTitle(shortId(id));
  const select = useCallback(
    (snapshot: Snapshot) => ({
      session: snapshot.sessions.find(isOf(of)) ?? null,
      // A session ends in one way, whatever it holds, so any party that is no ghost shows it.
      party: partiesOf(snapshot, of).find((party) => party.verdict !== 'ghost') ?? null,
      findings: snapshot.findings.filter((f) => subjectId(f.subject) === subjectId(of)),
    }),
    [of],
  );
  const { session, party, findings } = useSnapshotPart(select);
  const last = useLastSeen(of);
  const old = useShownSource(source)?.isGrey === true;
  const { subject, sessions, renewals } = useAllMessages();
  if (session === null) return <NotInView subject={of} name={id} last={last} />;
  const { sections, none } = subject;
  return (
    <div className={clsx('px-4 sm:px-6', old && 'not-fresh')}>
      <PageHead
        name={id}
        subject={of}
        title={
          <span className="flex min-w-0 flex-wrap items-baseline gap-x-3">
            <span className="break-all font-semibold text-[17px]" title={plain(session.name)}>
              {session.name === '' ? sessions.unnamed : cutName(session.name, nameMax)}
            </span>
            <span className="break-all font-mono text-[13px] text-ink-dim">{id}</span>
          </span>
        }
        back={{ href: paths.sessions(), text: sessions.title }}
        meta={[session.node, subject.meta.index(session.createIndex)]}
        sentence={<Sentence session={session} party={party} />}
        actions={<MendButton action={destroySession({ source, id })} />}
      />
      {findings.length === 0 ? null : (
        <Section title={sections.findings}>
          <FindingList findings={findings} />
        </Section>
      )}
      <Section title={sections.holds}>
        {session.holds.length === 0 ? (
          <p className="text-ink-soft">{none.holds}</p>
        ) : (
          <SubjectLinks subjects={session.holds} />
        )}
      </Section>
      <Section title={sections.wants} note={session.wants.length === 0 ? undefined : subject.waitersNote}>
        {session.wants.length === 0 ? (
          <p className="text-ink-soft">{none.wants}</p>
        ) : (
          <SubjectLinks subjects={session.wants} />
        )}
      </Section>
      <Section title={sections.facts}>
        <Facts>
          {party === null ? null : <Verdict party={party} />}
          <SinceFact session={session} />
          {party === null ? null : (
            <>
              <Fact name={subject.facts.ends}>
                <EndsLine party={party} />
              </Fact>
              <RenewalFact party={party} />
            </>
          )}
          <SessionFacts session={{ ...session, holds: [] }} of={of} />
          <Fact name={subject.facts.created}>{subject.meta.index(session.createIndex)}</Fact>
        </Facts>
      </Section>
      {party === null ? null : (
        <Section title={subject.evidence}>
          <EvidenceList party={party} />
        </Section>
      )}
      <Section title={renewals.agents} note={renewals.agentsNote}>
        <RenewalAgents />
      </Section>
    </div>
  );
}

function Sentence({ session, party }: { session: Session; party: Party | null }) {
  const m = useAllMessages();
  const moment = { nowMs: useNow(), zone: useZone() };
  const state = m.subject.session.sentence(session.holds.length, session.wants.length);
  return (
    <>
      {state}{' '}
      {party === null ? null : <span className="text-ink-dim">{expiryWords(party, moment, m).long}</span>}
    </>
  );
}

function Verdict({ party }: { party: Party }) {
  const m = useAllMessages();
  return (
    <Fact name={m.board.filters.verdict}>
      <span className="inline-flex items-center gap-2">
        <Lamp kind={party.verdict} />
        {m.verdicts[party.verdict].word}
      </span>
    </Fact>
  );
}

function SinceFact({ session }: { session: Session }) {
  const m = useAllMessages();
  const words = sinceWords(session.since, { nowMs: useNow(), zone: useZone() }, m);
  if (words === null) return null;
  return (
    <Fact name={m.subject.facts.seen}>
      {words.short}
      <span className="block text-ink-dim">{words.basis}</span>
    </Fact>
  );
}
