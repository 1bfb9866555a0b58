'use client';
/** The freshness of an embed, never by colour alone. */
import { clsx } from 'clsx';
import { useFirstNow, useNow, useZone } from '@/components/live/clock';
import { outageOf } from '@/lib/domain/outage';
import type { SourceState } from '@/lib/domain/source-state';
import { type Snapshot, wasRead } from '@/lib/domain/world/snapshot';
import { formatTime, formatWhen } from '@/lib/i18n/format/format';
import type { EmbedLink } from './follow';
import { useEmbedWords } from './words';

export type Fresh = 'live' | 'as-of' | 'unread' | 'stale' | 'down' | 'lost' | 'over';

/** One state from two links: that to Signalbox counts before that of Signalbox to Consul. */
export function freshOf(
  link: EmbedLink['state'],
  source: Pick<SourceState, 'state' | 'staleSinceMs'>,
): Fresh {
  if (link === 'over' || link === 'lost') return link;
  if (source.state === 'stale' || source.state === 'down') return source.state;
  if (!wasRead(source) || source.state === 'catching-up') return 'unread';
  return link === 'live' ? 'live' : 'as-of';
}

/** The data may be out of date. */
export function isOldEmbed(fresh: Fresh): boolean {
  return fresh === 'stale' || fresh === 'down' || fresh === 'lost' || fresh === 'over';
}

/** Epoch milliseconds; `null`: never read. A link that broke while the data was already old makes it no younger. */
export function shownAsOfMs(
  { source, asOfMs }: Pick<Snapshot, 'source' | 'asOfMs'>,
  link: EmbedLink,
): number | null {
  const { state, staleSinceMs } = source;
  if (!wasRead(source)) return null;
  // A live source is published only when more than the time changes, so it holds as long as the link did.
  if (state === 'live') return 'sinceMs' in link ? link.sinceMs : asOfMs;
  const consulMs = staleSinceMs ?? asOfMs;
  return 'sinceMs' in link ? Math.min(consulMs, link.sinceMs) : consulMs;
}

const dots: Readonly<Record<Fresh, string>> = {
  live: 'bg-lamp-alive',
  'as-of': 'bg-lamp-free',
  unread: 'bg-lamp-overdue',
  stale: 'bg-danger',
  down: 'bg-danger',
  lost: 'bg-danger',
  over: 'bg-danger',
};

/** `live · 12:03:04`, or since when it is not. */
export function Freshness({ snapshot, link }: { snapshot: Snapshot; link: EmbedLink }) {
  const fresh = freshOf(link.state, snapshot.source);
  return (
    <p
      className="inline-flex items-center gap-2 whitespace-nowrap text-[12px] text-ink-soft"
      data-fresh={fresh}
    >
      <span aria-hidden="true" className={clsx('size-2 shrink-0 rounded-full', dots[fresh])} />
      <span className={isOldEmbed(fresh) ? 'font-medium text-danger' : undefined}>
        <Words fresh={fresh} snapshot={snapshot} link={link} />
      </span>
    </p>
  );
}

function Words({ fresh, snapshot, link }: { fresh: Fresh; snapshot: Snapshot; link: EmbedLink }) {
  const { embed, outage } = useEmbedWords();
  const { freshness: words } = embed;
  const nowMs = useNow();
  const zone = useZone();
  const { source } = snapshot;
  const firstMs = useFirstNow();
  // Without a script the reader's zone is unknown.
  const zoned = (atMs: number) => `${formatWhen(atMs, nowMs, zone)}${zone === 'UTC' ? ' UTC' : ''}`;
  const since = 'sinceMs' in link ? zoned(link.sinceMs) : null;
  switch (fresh) {
    case 'live': {
      // A clock would tick on while the backend has stopped.
      const contactMs = link.state === 'live' ? link.contactMs : null;
      const confirmedMs = Math.max(contactMs ?? 0, source.lastContactMs ?? 0);
      return words.live(formatTime(confirmedMs === 0 ? nowMs : Math.min(confirmedMs, nowMs), zone));
    }
    case 'as-of':
      return words.asOf(zoned(firstMs));
    case 'unread': {
      const atMs = shownAsOfMs(snapshot, link);
      return atMs === null ? words.catchingUp : words.asOf(zoned(atMs));
    }
    case 'lost':
      return words.lost(since);
    case 'over':
      return words.over;
    case 'stale':
      return words.stale(source.staleSinceMs === null ? null : zoned(source.staleSinceMs));
    case 'down':
      return words.down(outage.outages[outageOf(source) ?? 'unknown'].short);
  }
}

/** The fault, while the data may be out of date. */
export function OldNotice({ snapshot, link }: { snapshot: Snapshot; link: EmbedLink }) {
  const { embed, outage } = useEmbedWords();
  const fresh = freshOf(link.state, snapshot.source);
  const nowMs = useNow();
  const zone = useZone();
  if (!isOldEmbed(fresh)) return null;
  const atMs = shownAsOfMs(snapshot, link);
  const old =
    atMs === null ? '' : embed.old(`${formatWhen(atMs, nowMs, zone)}${zone === 'UTC' ? ' UTC' : ''}`);
  const code = fresh === 'lost' ? 'console-unreachable' : (outageOf(snapshot.source) ?? 'unknown');
  return (
    <p role="status" data-old={fresh} className="rounded-[5px] bg-danger-wash px-3 py-2 text-[13px] text-ink">
      {link.state === 'over' ? embed.over[link.why] : outage.outages[code].title} {old}
    </p>
  );
}
