'use client';
import Link from 'next/link';
import { paths } from '@/lib/client/paths';
import { shortId } from '@/lib/domain/model';
import { useMessages } from './locale';
import { Copy } from './ui/copy';

/** A session id: shortened in its middle, a link to its page, copied whole with one click. */
export function SessionId({ id }: { id: string }) {
  const { shell } = useMessages();
  return (
    <span className="inline-flex items-center gap-0.5 font-mono text-[13px]">
      <Link
        href={paths.session(id)}
        title={id}
        className="text-ink-soft underline decoration-line-strong underline-offset-3 hover:text-brass-strong hover:decoration-brass"
      >
        {shortId(id)}
      </Link>
      <Copy text={id} label={shell.copy.label(id)} done={shell.copy.done} />
    </span>
  );
}
