'use client';
import { useMessages } from '@/components/dom/locale';
import { useNow, useZone } from '@/components/live/clock';
import type { Evidence } from '@/lib/domain/model';
import { formatWhen } from '@/lib/i18n/format/format';

/** Facts as they stand behind a verdict, each with where it was read. */
export function EvidenceFacts({ evidence }: { evidence: readonly Evidence[] }) {
  const m = useMessages();
  const nowMs = useNow();
  const zone = useZone();
  if (evidence.length === 0) return null;
  return (
    <ul className="mt-1 flex flex-col gap-0.5">
      {evidence.map(({ code, source, detail, atMs }) => (
        <li key={`${code} ${detail}`} className="flex gap-3">
          <span className="w-24 shrink-0 text-ink-dim">{m.evidenceSources[source]}</span>
          <span className="min-w-0 break-words">
            {m.evidence[code](detail, atMs === null ? null : formatWhen(atMs, nowMs, zone))}
          </span>
        </li>
      ))}
    </ul>
  );
}
