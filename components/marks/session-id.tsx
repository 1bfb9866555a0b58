'use client';
import { clsx } from 'clsx';
import { Link } from '@/components/dom/link';
import { useMessages } from '@/components/dom/locale';
import { usePageSource, useSourceState } from '@/components/live/sources';
import { Copy } from '@/components/ui/copy';
import { paths } from '@/lib/client/paths';
import { hasSessions } from '@/lib/domain/capabilities';
import { shortId } from '@/lib/domain/model';

/** A label that has the id already must not repeat it. */
export function saysId({
  label,
  sessionId,
}: {
  readonly label: string;
  readonly sessionId: string;
}): boolean {
  return label.endsWith(shortId(sessionId)) || label.endsWith(sessionId);
}

/**
 * A session id of the page's source: shortened in its middle, a link to its page where there is one, copied whole with
 * one click. `text` is shown in its stead, large.
 */
export function SessionId({ id, text }: { id: string; text?: string }) {
  const { shell } = useMessages();
  const source = usePageSource();
  const linked = hasSessions(useSourceState().provider);
  return (
    <span
      className={clsx(
        'inline-flex items-center gap-0.5',
        text === undefined ? 'font-mono text-[13px]' : 'break-all font-semibold text-[15px]',
      )}
    >
      {linked ? (
        <Link
          href={paths.session(id, source)}
          title={id}
          className={clsx(
            'underline decoration-line-strong underline-offset-3 hover:text-brass-strong hover:decoration-brass',
            text === undefined && 'text-ink-soft',
          )}
        >
          {text ?? shortId(id)}
        </Link>
      ) : (
        <span title={id} className={clsx('break-all', text === undefined && 'text-ink-soft')}>
          {text ?? shortId(id)}
        </span>
      )}
      <Copy text={id} label={shell.copy.label(id)} done={shell.copy.done} />
    </span>
  );
}
