'use client';
import { useAllMessages } from '@/components/dom/locale';
import { layouts } from '@/lib/domain/layout';
import type { Semaphore } from '@/lib/domain/model';

/** Waiters named; the rest is only counted. */
const namedMax = 6;

/** The effect of any new limit on this layout's clients, shown before one is typed. */
export function ResizeVerdict({ semaphore }: { semaphore: Semaphore }) {
  const { action } = useAllMessages();
  const { resize } = layouts[semaphore.layout];
  if (resize === null) return null;
  const { waiters } = semaphore;
  const text = action.resize.verdict;
  if (resize === 'counts')
    return (
      <Verdict title={text.counts.title} grave={false}>
        {text.counts.text}
      </Verdict>
    );
  if (resize === 'live')
    return (
      <Verdict title={text.live.title} grave={false}>
        {text.live.text} {text.live.least(semaphore.recorded ?? 0)}
      </Verdict>
    );
  return (
    <Verdict title={text['fails-waiters'].title} grave>
      {text['fails-waiters'].text} {text['fails-waiters'].waiting(waiters.length, semaphore.part === true)}{' '}
      <span className="mt-1 flex flex-wrap gap-x-4">
        {waiters.slice(0, namedMax).map(({ sessionId, label, session }) => (
          <span key={sessionId} className="min-w-0 break-words" title={sessionId}>
            <span className="font-medium text-ink">{label}</span>
            {session === null ? null : <span className="text-ink-dim"> · {session.node}</span>}
          </span>
        ))}
        {waiters.length > namedMax ? <span>{action.moreTouches(waiters.length - namedMax)}</span> : null}
      </span>
    </Verdict>
  );
}

function Verdict({ title, grave, children }: { title: string; grave: boolean; children: React.ReactNode }) {
  return (
    <div className="rounded-[5px] border border-line bg-inset px-4 py-3 text-[13px]">
      <p className="font-medium">
        <span aria-hidden="true" className={grave ? 'mr-2 text-caution' : 'mr-2 text-ink-dim'}>
          {grave ? '△' : '·'}
        </span>
        {title}
      </p>
      <p className="mt-1 text-ink-soft leading-5">{children}</p>
    </div>
  );
}
