'use client';
import { Link } from '@/components/dom/link';
import { useMessages } from '@/components/dom/locale';
import { Empty } from '@/components/ui/empty';
import { paths } from '@/lib/client/paths';
import { type Session, shortId } from '@/lib/domain/model';

/** Sessions named before the rest is only linked. */
const namedMax = 5;

interface SessionsInsteadProps {
  readonly found: readonly Session[];
  /** As many as match; `found` may be the first of them. */
  readonly all: number;
  readonly q: string;
}

/** No lock matches, but a session does: the board offers it instead of saying that there is nothing. */
export function SessionsInstead({ found, all, q }: SessionsInsteadProps) {
  const { desk, sessions } = useMessages();
  return (
    <Empty title={desk.search.noRow(all)}>
      <ul className="flex flex-col gap-1.5">
        {found.slice(0, namedMax).map(({ id, name, node }) => (
          <li key={id} className="flex flex-wrap items-baseline gap-x-2">
            <Link
              href={paths.session(id)}
              className="text-brass-strong underline decoration-line-strong underline-offset-3 hover:decoration-brass"
            >
              {name === '' ? sessions.unnamed : name}
            </Link>
            <span className="font-mono text-[12px] text-ink-dim" title={id}>
              {shortId(id)}
            </span>
            <span className="text-[13px] text-ink-dim">{node}</span>
          </li>
        ))}
      </ul>
      {all > namedMax ? (
        <Link href={paths.sessions(q)} className="text-brass-strong underline underline-offset-3">
          {desk.search.allSessions(all)}
        </Link>
      ) : null}
    </Empty>
  );
}
