'use client';
import { useAllMessages, useMessages } from '@/components/dom/locale';
import type { Problem } from '@/lib/domain/problem';
import type { Difference } from '@/lib/domain/refusal';
import { worded } from '@/lib/i18n/format/worded';

/** A failure in three parts: the event, its meaning for the lock, the next step; then the differences. */
export function ProblemText({
  problem: { code, why = null, difference = [], detail },
  next,
}: {
  problem: Problem;
  /** Replaces the code's own next step, where that does not fit. */
  next?: string | undefined;
}) {
  const m = useMessages();
  const text = (why === null ? undefined : m.problemsByWhy[why.code]) ?? m.problems[code];
  // The server's own English replaces a reason that has no words here. The title already says
  // `changed-since`.
  const more = why === null ? (detail ?? null) : why.code === 'changed-since' ? null : worded(why, m.why);
  return (
    <div role="alert" className="rounded-[5px] border border-danger/50 bg-danger-wash px-4 py-3 text-[13px]">
      <p className="font-semibold text-danger">{text.title}</p>
      {more === null ? null : <p className="mt-1 break-words text-ink">{more}</p>}
      <p className="mt-1 text-ink">
        {text.meaning} {next ?? text.next}
      </p>
      {difference.length === 0 ? null : <Differences of={difference} />}
    </div>
  );
}

/** Apart, so that a failure without any shows even if its words cannot be fetched. */
function Differences({ of }: { of: readonly Difference[] }) {
  const m = useAllMessages();
  return (
    <div className="mt-2">
      <p className="text-ink-soft">{m.action.sections.difference}</p>
      <ul className="mt-0.5 list-disc pl-5">
        {of.map((one) => (
          <li key={`${one.code} ${JSON.stringify(one.facts)}`} className="break-words">
            {worded(one, m.differences)}
          </li>
        ))}
      </ul>
    </div>
  );
}
