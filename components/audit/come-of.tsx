'use client';
/** What came of a deed: why it was refused, or what was then seen to follow. */
import { useAllMessages } from '@/components/locale';
import type { Json } from '@/lib/domain/audit';
import { type Deed, detailList, problemOf } from '@/lib/domain/deed';
import type { FollowedSubject } from '@/lib/domain/followed';
import { whomIn } from '@/lib/domain/whom';
import { formatDuration } from '@/lib/words/format';
import type { Messages } from '@/lib/words/messages';
import { worded } from '@/lib/words/spoken';
import { SubjectLink } from './deed-words';
import { whomText } from './whom';

/** What was seen of one subject. A row may be older or newer than this page, so nothing of it is taken for granted. */
function seenWords(one: FollowedSubject, watchedMs: number, { audit, units }: Messages): string | null {
  const { followed } = audit;
  // What was there at the first look came in less than a millisecond, and "0 s" would be no time.
  const after = one.afterMs === 0 ? null : formatDuration(one.afterMs ?? 0, units);
  const watched = formatDuration(watchedMs, units);
  switch (one.what) {
    case 'taken':
      return one.by === undefined || one.by.length === 0
        ? followed.takenUnseen(after)
        : followed.taken(one.by.map((session) => namedIn(one, session)).join(', '), after);
    case 'nobody-came':
      return followed.nobody(watched);
    case 'in-delay':
      return followed['in-delay'];
    case 'gone':
      return one.subject.startsWith('session:') ? followed.session(after) : followed.entry(after);
    case 'not-seen':
      return followed.notSeen(watched);
    default:
      return null;
  }
}

/** Who came, by name. Of a row that was written before they were named, by the id alone. */
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
  // Who sees a part of the audit is told the code of the reason without its facts, which may name other keys.
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
