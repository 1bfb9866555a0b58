'use client';
import { useCallback } from 'react';
import { AuditLink } from '@/components/audit/audit-link';
import { Link } from '@/components/dom/link';
import { useAllMessages } from '@/components/dom/locale';
import { HistoryLink } from '@/components/history/history-link';
import { useNow, useZone } from '@/components/live/clock';
import { AsOf, useFreshness } from '@/components/live/freshness';
import { useIsConfigured, useSourceState } from '@/components/live/sources';
import { Name } from '@/components/marks/name';
import { SourceBadge } from '@/components/marks/source-badge';
import { useSnapshotPart } from '@/lib/client/page-data';
import { paths, subjectPath } from '@/lib/client/paths';
import { type Subject, subjectId, subjectName } from '@/lib/domain/model';
import { type Snapshot, wasRead } from '@/lib/domain/world/snapshot';
import { formatWhen, nameParts } from '@/lib/i18n/format/format';
import { neighboursOf } from '@/lib/view/board/neighbours';
import type { LastSeen } from './last-seen';

interface NotInViewProps {
  readonly subject: Subject;
  /** Key, prefix or id; '' where the address names none. */
  readonly name: string;
  readonly last: LastSeen | null;
  /** Links to its history, which is not on this page. */
  readonly past?: boolean;
  /** Shown below for a named subject of a configured source. */
  readonly children?: React.ReactNode;
}

const link = 'text-brass-strong underline underline-offset-3';
/** Examples for people who write addresses by hand. */
const examples = {
  lock: '/lock?key=service/leader',
  semaphore: '/semaphore?prefix=service/pool',
  session: '/session?id=…',
} satisfies Record<Subject['kind'], string>;

/** The page of an absent subject: possible causes, similar names, and where to look. */
export function NotInView({ children, ...absence }: NotInViewProps) {
  const isConfigured = useIsConfigured(absence.subject.source);
  return (
    <>
      <Absence {...absence} isConfigured={isConfigured} />
      {absence.name === '' || !isConfigured || children === undefined ? null : (
        <div className="px-4 sm:px-6">{children}</div>
      )}
    </>
  );
}

interface AbsenceProps extends Omit<NotInViewProps, 'children'> {
  readonly isConfigured: boolean;
}

function Absence({ subject: of, name, last, past = false, isConfigured }: AbsenceProps) {
  const { subject, shell } = useAllMessages();
  const freshness = useFreshness(of.source);
  const isRead = wasRead(useSourceState(of.source));
  const near = useSnapshotPart(
    useCallback((snapshot: Snapshot) => neighboursOf(snapshot, of.kind, name), [of.kind, name]),
  );
  const texts = subject.notInView;
  if (freshness === 'catching-up' && last === null && isConfigured)
    return <p className="px-4 py-8 text-[15px] text-ink-dim sm:px-6">{shell.loading}</p>;
  const search = of.kind === 'session' ? name : nameParts(name).last;
  return (
    <div className="flex max-w-prose flex-col items-start gap-3 px-4 py-8 sm:px-6">
      <h1 className="font-medium text-[21px] leading-7">
        {name === '' ? (
          texts.nothingAsked
        ) : !isConfigured ? (
          texts.noSource(of.source)
        ) : (
          <>
            <AsOf />
            {texts[of.kind]}
          </>
        )}
      </h1>
      {name === '' ? null : (
        <span className="flex min-w-0 items-center gap-2">
          <Name name={name} large />
          <SourceBadge source={of.source} />
        </span>
      )}
      {last === null ? null : <Seen last={last} />}
      {name === '' ? (
        <p className="text-ink-soft">
          {texts.asks[of.kind]} <code className="wrap-anywhere">{examples[of.kind]}</code>
        </p>
      ) : near.length > 0 ? (
        <Near near={near} />
      ) : (
        <p className="text-ink-soft">
          {!isConfigured
            ? texts.becauseNoSource
            : last !== null
              ? texts.went[of.kind]
              : isRead
                ? texts.because[of.kind]
                : texts.becauseUnread}
        </p>
      )}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Link href={paths.board(search === '' ? null : search)} className={link}>
          {name === '' ? subject.back : texts.search}
        </Link>
        {name === '' ? null : <AuditLink subject={of} />}
        {name === '' || !isConfigured || !past ? null : <HistoryLink subject={of} />}
      </div>
    </div>
  );
}

function Near({ near }: { near: readonly Subject[] }) {
  const texts = useAllMessages().subject.notInView;
  return (
    <div className="flex max-w-full flex-col gap-1.5">
      <p>{texts.near}</p>
      <ul className="flex flex-col gap-1.5">
        {near.map((one) => (
          <li key={subjectId(one)}>
            <Link
              href={subjectPath(one)}
              className={`inline-flex max-w-full flex-wrap items-baseline gap-x-1.5 max-md:py-[12px] ${link}`}
            >
              {texts.nearKinds[one.kind]} <Name name={subjectName(one)} />
              <SourceBadge source={one.source} />
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Seen({ last: { atMs, wasSeen, holder } }: { last: LastSeen }) {
  const texts = useAllMessages().subject.notInView;
  const nowMs = useNow();
  const zone = useZone();
  const when = (ms: number) => formatWhen(ms, nowMs, zone);
  const end = holder?.end ?? null;
  const heldToTheLast = end === null ? (holder?.label ?? null) : null;
  return (
    <p>
      {(wasSeen ? texts.until : texts.lastSeen)(when(atMs), heldToTheLast)}
      {holder === null || end === null
        ? null
        : `${texts.gap}${(end.wasSeen ? texts.heldUntil : texts.lastHeld)(holder.label, when(end.atMs))}`}
    </p>
  );
}
