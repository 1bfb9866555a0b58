'use client';
import { AuditLink } from '@/components/audit/audit-link';
import { useNow, useZone } from '@/components/clock';
import { Link } from '@/components/link';
import { useAllMessages } from '@/components/locale';
import { Name } from '@/components/name';
import { AsOf, useFreshness } from '@/components/shell/freshness';
import { paths } from '@/lib/client/paths';
import { useSnapshotPart } from '@/lib/client/shown';
import type { Subject } from '@/lib/domain/model';
import { type Snapshot, wasRead } from '@/lib/domain/snapshot';
import { formatWhen, nameParts } from '@/lib/words/format';
import type { LastSeen } from './last-seen';

const selectRead = ({ source }: Snapshot) => wasRead(source);

interface NotInViewProps {
  readonly subject: Subject;
  /** Key, prefix or id; '' where the address names none. */
  readonly name: string;
  /** What this page saw of it before it went. */
  readonly last: LastSeen | null;
}

/** The page of something that is not there: what may be the cause, and where to look. */
export function NotInView({ subject: of, name, last }: NotInViewProps) {
  const { subject, shell } = useAllMessages();
  const freshness = useFreshness();
  const isRead = useSnapshotPart(selectRead);
  const texts = subject.notInView;
  if (freshness === 'catching-up' && last === null)
    return <p className="px-4 py-8 text-[15px] text-ink-dim sm:px-6">{shell.loading}</p>;
  const search = of.kind === 'session' ? name : nameParts(name).last;
  return (
    <div className="flex max-w-prose flex-col items-start gap-3 px-4 py-8 sm:px-6">
      <h1 className="font-medium text-[21px] leading-7">
        {name === '' ? (
          texts.nothingAsked
        ) : (
          <>
            <AsOf />
            {texts[of.kind]}
          </>
        )}
      </h1>
      {name === '' ? null : <Name name={name} large />}
      {last === null ? null : <Seen last={last} />}
      <p className="text-ink-soft">{isRead || last !== null ? texts.because : texts.becauseUnread}</p>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Link
          href={paths.board(search === '' ? null : search)}
          className="text-brass-strong underline underline-offset-3"
        >
          {name === '' ? subject.back : texts.search}
        </Link>
        {name === '' ? null : <AuditLink subject={of} />}
      </div>
    </div>
  );
}

/** Until when it was here and who held it. */
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
