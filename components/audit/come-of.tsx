'use client';
/** The outcome of a deed: why it was refused, or what followed. */
import { useAllMessages } from '@/components/dom/locale';
import type { FollowedSubject, Json } from '@/lib/domain/actions/audit';
import { type Deed, detailList, problemOf } from '@/lib/domain/actions/deed';
import { whomIn } from '@/lib/domain/actions/whom';
import { formatDuration } from '@/lib/i18n/format/format';
import { worded } from '@/lib/i18n/format/worded';
import type { AllMessages } from '@/lib/i18n/messages';
import { SubjectLink } from './deed-words';
import { whomText } from './whom';

/** The first look came in less than a millisecond: "0 s" would be no time. */
const afterWords = (ms: number, { units }: AllMessages) => (ms === 0 ? null : formatDuration(ms, units));

/** Clients that came at the same time are named together. */
function takenWords(one: FollowedSubject, m: AllMessages): string {
  const { followed } = m.audit;
  const after = afterWords(one.afterMs ?? 0, m);
  if (one.by === undefined || one.by.length === 0) return followed.takenUnseen(after);
  const came: { who: string[]; again: boolean; after: string | null }[] = [];
  for (const [i, session] of one.by.entries()) {
    const at = afterWords(one.eachMs?.[i] ?? one.afterMs ?? 0, m);
    const again = one.again?.includes(session) === true;
    const last = came.at(-1);
    if (last !== undefined && last.after === at && last.again === again) last.who.push(namedIn(one, session));
    else came.push({ who: [namedIn(one, session)], again, after: at });
  }
  return followed.taken(came.map(({ who, ...more }) => ({ who: who.join(', '), ...more })));
}

/** The fate of waiters whose semaphore got a new limit. Other actions record none. */
function queueWords(one: FollowedSubject, { audit: { followed, more } }: AllMessages): string[] {
  const { waited, waiting = 0, left = [], leftInAll = left.length } = one;
  if (waited === undefined) return [];
  if (waited === 0) return [followed.nobodyWaited];
  const named = left.slice(0, leftShown).map((session) => namedIn(one, session));
  const rest = leftInAll - named.length;
  const who = rest > 0 ? [named.join(', '), more(rest)].join(' ') : named.join(', ');
  return [
    leftInAll === 0
      ? []
      : named.length === 0
        ? followed.leftUnseen(leftInAll)
        : followed.left(who, leftInAll),
    waiting === 0 ? [] : followed.stillListed(waiting),
  ].flat();
}

/** More names are not read in a line. */
const leftShown = 5;

/** A row may be older or newer than this page, so nothing in it is taken for granted. */
function whatWords(one: FollowedSubject, watchedMs: number, m: AllMessages): string | null {
  const { followed } = m.audit;
  const after = afterWords(one.afterMs ?? 0, m);
  const watched = formatDuration(watchedMs, m.units);
  switch (one.what) {
    case 'taken':
      return takenWords(one, m);
    case 'nobody-came':
      return followed.nobody(watched);
    case 'in-delay':
      return followed['in-delay'];
    case 'gone':
      return one.subject.startsWith('session:') ? followed.session(after) : followed.entry(after);
    case 'limit-changed':
      return followed.limit;
    case 'permits-changed':
      return followed.permits;
    case 'not-seen':
      return followed.notSeen(watched);
    default:
      return null;
  }
}

function seenWords(one: FollowedSubject, watchedMs: number, m: AllMessages): string {
  return [whatWords(one, watchedMs, m) ?? [], queueWords(one, m)].flat().join(m.audit.followed.joint);
}

/** The name; in older rows the id alone. */
const namedIn = ({ whom }: FollowedSubject, session: string): string =>
  whomText(
    whomIn({ whom: (whom ?? null) as Json }).find((one) => one.session === session) ?? {
      session,
      label: null,
    },
  );

const isFollowed = (json: Json): boolean =>
  typeof json === 'object' && json !== null && 'subject' in json && typeof json.subject === 'string';

export function ComeOf({ deed }: { deed: Deed }) {
  const { audit } = useAllMessages();
  const { rest, head, state } = deed;
  const followed = rest.find(({ kind }) => kind === 'followed');
  const { more } = head.detail;
  const ended = state === 'unknown' && rest.some(({ kind }) => kind === 'unknown');
  return (
    <div className="text-[13px] text-ink-soft empty:hidden">
      {ended ? <p>{audit.serverEnded}</p> : null}
      <Why deed={deed} />
      {typeof more === 'number' ? <p>{audit.refusedMore(more)}</p> : null}
      {followed === undefined ? null : <Followed detail={followed.detail} />}
    </div>
  );
}

function Why({ deed }: { deed: Deed }) {
  const m = useAllMessages();
  const problem = problemOf(deed);
  if (problem === null) return null;
  const { code, why } = problem;
  // A viewer of a part gets the code of the reason without its facts, which may name other keys.
  const text = why == null || why.facts === undefined ? m.problems[code].title : worded(why, m.why);
  return <p className="break-words">{text}</p>;
}

function Followed({ detail }: { detail: { readonly [key: string]: Json } }) {
  const m = useAllMessages();
  const { audit } = m;
  const { watchedMs, cutShort, more } = detail;
  const list = detailList(detail, 'subjects').filter(isFollowed) as unknown as FollowedSubject[];
  return (
    <>
      <ul aria-label={audit.kinds.followed}>
        {list.map((one) => (
          <li key={one.subject} className="break-words">
            {list.length > 1 ? (
              <>
                <SubjectLink id={one.subject} />{' '}
              </>
            ) : null}
            {seenWords(one, typeof watchedMs === 'number' ? watchedMs : 0, m)}
          </li>
        ))}
      </ul>
      {typeof more === 'number' && more > 0 ? <p>{audit.followed.more(more)}</p> : null}
      {cutShort === true ? <p>{audit.followed.cutShort}</p> : null}
    </>
  );
}
