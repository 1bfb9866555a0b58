'use client';
import { MendButton } from '@/components/actions/mend-button';
import { Link } from '@/components/dom/link';
import { useAllMessages } from '@/components/dom/locale';
import { useNow, useZone } from '@/components/live/clock';
import { usePageSource } from '@/components/live/sources';
import { Lamp } from '@/components/marks/lamp';
import { SessionId, saysId } from '@/components/marks/session-id';
import { Fact, Facts } from '@/components/ui/section';
import { paths } from '@/lib/client/paths';
import type { Action } from '@/lib/domain/actions/action';
import type { Capabilities } from '@/lib/domain/capabilities';
import type { Evidence, EvidenceCode, Holder, Party, Session, Subject } from '@/lib/domain/model';
import type { SessionRef } from '@/lib/domain/subject';
import { cutName, formatWhen, plain } from '@/lib/i18n/format/format';
import { expiryWords, sinceWords, verdictMeaning } from '@/lib/i18n/sentences';
import { ObservedEnd, RenewalFact, useRenewal } from './renewal';
import { SessionFacts } from './session-facts';
import { ValueLine } from './value';

/** Characters of a session's name; a client may choose any length. */
const nameMax = 96;

interface HolderProps {
  readonly holder: Holder;
  readonly session: Session | null;
  /** The held subject: the session's other holdings are listed beside it. */
  readonly of: Subject;
  /** The action that frees this one; `null` where there is none. */
  readonly action: Action | null;
  readonly open: boolean;
  /** Without a session it has no page, and ends by other rules. */
  readonly holds: Capabilities['holds'];
  /** The party has left while the list keeps its rows. */
  readonly gone?: boolean;
}

/** A holder as one block of the page: verdict, evidence, session, since, end. */
export function HolderBlock({ holder, session, of, action, open, holds, gone = false }: HolderProps) {
  const m = useAllMessages();
  const { holding } = m.subject;
  const hasSession = holds === 'session';
  const { mode, count = 1 } = holder;
  const verdict = m.verdicts[holder.verdict];
  return (
    <article className="flex flex-col gap-3">
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2">
        <div className="flex min-w-0 gap-3">
          <Lamp kind={holder.verdict} size={22} className="lamp-lit mt-0.5" />
          <div className="min-w-0">
            <h3 className="flex flex-wrap items-center gap-x-2.5 gap-y-0.5">
              {saysId(holder) && hasSession ? (
                <SessionId id={holder.sessionId} text={holder.label} />
              ) : (
                <span className="break-all font-semibold text-[15px]">{holder.label}</span>
              )}
              {mode === undefined ? null : <span className="text-ink-soft">{holding.modes[mode]}</span>}
              <span className="text-ink-soft">{gone ? m.board.gone : verdict.word}</span>
              {saysId(holder) ? null : hasSession ? (
                <SessionId id={holder.sessionId} />
              ) : (
                <code className="text-[13px] text-ink-soft">{holder.sessionId}</code>
              )}
            </h3>
            <p className="max-w-[68ch] text-[13px] text-ink-soft">{verdictMeaning(holder, m, holds)}</p>
          </div>
        </div>
        {action === null ? null : <MendButton action={action} />}
      </div>
      <div className="grid gap-x-8 gap-y-3 md:pl-[34px] lg:grid-cols-2">
        <Facts>
          {session === null || session.name === '' || session.name === holder.label ? null : (
            <Fact name={m.subject.facts.name}>
              <span className="break-all" title={plain(session.name)}>
                {cutName(session.name, nameMax)}
              </span>
            </Fact>
          )}
          <Fact name={m.subject.facts.since}>
            <SinceLine party={holder} />
          </Fact>
          <Fact name={m.subject.facts.ends}>
            <EndsLine party={holder} holds={holds} />
          </Fact>
          {count < 2 ? null : (
            <Fact name={of.kind === 'lock' ? holding.facts.times : holding.facts.permits}>
              {of.kind === 'lock' ? holding.times(count) : holding.permits(count)}
            </Fact>
          )}
          {hasSession ? <RenewalFact party={holder} /> : null}
          {holder.value === null || holder.value.bytes === 0 ? null : (
            <Fact name={m.subject.facts.value}>
              <ValueLine value={holder.value} />
            </Fact>
          )}
          {!hasSession || (holder.verdict === 'ghost' && session === null) ? null : (
            <SessionFacts
              session={session}
              of={of}
              locks={holder.evidence.some(({ code }) => code === 'holds-entry')}
            />
          )}
        </Facts>
        <EvidenceFold party={holder} open={open} />
      </div>
    </article>
  );
}

function SinceLine({ party }: { party: Party }) {
  const m = useAllMessages();
  const words = sinceWords(party.since, { nowMs: useNow(), zone: useZone() }, m);
  if (words === null) return <>{m.since.unknown}</>;
  return (
    <>
      <span className="tabular-nums">
        {words.age === null ? words.short : m.since.held(words.age, words.short)}
      </span>
      {/* On a line of its own: after an age that grows it would jump to the next line. */}
      <span className="block text-ink-dim">{words.basis}</span>
    </>
  );
}

/** The end of a holder if its process is dead. */
export function EndsLine({ party, holds = 'session' }: { party: Party; holds?: Capabilities['holds'] }) {
  const m = useAllMessages();
  const bound = expiryWords(party, { nowMs: useNow(), zone: useZone() }, m, holds).long;
  return <ObservedEnd party={party} fallback={bound} />;
}

function EvidenceFold({ party, open }: { party: Party; open: boolean }) {
  const m = useAllMessages();
  return (
    <details open={open} className="text-[13px]">
      <summary className="mb-1 cursor-pointer text-ink-dim">{m.subject.evidence}</summary>
      <EvidenceList party={party} />
    </details>
  );
}

/** Every fact behind the verdict, each with its source. */
export function EvidenceList({ party }: { party: Party }) {
  const m = useAllMessages();
  return (
    <ul className="flex flex-col gap-1.5 text-[13px]">
      {party.evidence.map((fact) => (
        <li key={`${fact.code} ${fact.detail}`} className="flex gap-3">
          <span className="w-24 shrink-0 text-ink-dim">{m.evidenceSources[fact.source] ?? fact.source}</span>
          <EvidenceText fact={fact} sessionId={party.sessionId} />
        </li>
      ))}
    </ul>
  );
}

/** Facts that the session's page shows. */
const ofSession: readonly EvidenceCode[] = ['session-exists', 'ttl', 'no-ttl', 'no-checks'];

/** The page that shows a fact: the other rows of that node, or the session with all its checks. */
function placeOf({ code, detail }: Evidence, session: SessionRef): string | null {
  if (code.startsWith('node-') && detail !== null) return paths.boardOfNode(detail);
  return ofSession.includes(code) || code.startsWith('check')
    ? paths.session(session.id, session.source)
    : null;
}

function EvidenceText({ fact, sessionId }: { fact: Evidence; sessionId: string }) {
  const m = useAllMessages();
  const nowMs = useNow();
  const zone = useZone();
  const renewal = useRenewal(sessionId);
  const source = usePageSource();
  // While renewals are on time, the last one's instant is in the snapshot: here it would change this list
  // each time.
  const atMs = fact.code === 'renewal-observed' ? (fact.atMs ?? renewal?.lastMs ?? null) : fact.atMs;
  const text = m.evidence[fact.code](fact.detail, atMs === null ? null : formatWhen(atMs, nowMs, zone));
  const place = placeOf(fact, { source, id: sessionId });
  if (place === null) return <span className="min-w-0 break-words">{text}</span>;
  return (
    <Link
      href={place}
      className="min-w-0 break-words underline decoration-line-strong underline-offset-3 hover:text-brass-strong"
    >
      {text}
    </Link>
  );
}
