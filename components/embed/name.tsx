import { clsx } from 'clsx';
import { nameParts } from '@/lib/i18n/format/format';
import { Breaking } from './breaking';

/** The leading path dimmed, the last part strong. */
export function EmbedName({ name, large = false }: { name: string; large?: boolean }) {
  const { lead, last, tail } = nameParts(name);
  return (
    <span title={name} className={clsx('font-mono', large ? 'text-[15px]' : 'text-[13px]')}>
      <span className="text-ink-dim">
        <Breaking text={lead} />
      </span>
      <span className="font-semibold text-ink">
        <Breaking text={last} />
      </span>
      <span className="text-ink-dim">
        <Breaking text={tail} />
      </span>
    </span>
  );
}
