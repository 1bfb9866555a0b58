'use client';
/** The other effects of an action, one line each. */
import { useAllMessages } from '@/components/dom/locale';
import type { Touch } from '@/lib/domain/actions/plan';
import { shortId, subjectName } from '@/lib/domain/model';
import { worded } from '@/lib/i18n/format/worded';

/** Effects shown at first; the rest is behind one line. */
const touchesMax = 6;

export function Touches({ touches }: { touches: readonly Touch[] }) {
  const { action } = useAllMessages();
  if (touches.length === 0) return <p className="text-ink-soft">{action.touchesNothing}</p>;
  const rest = touches.slice(touchesMax);
  return (
    <>
      <TouchList touches={touches.slice(0, touchesMax)} />
      {rest.length === 0 ? null : (
        <details className="mt-1">
          <summary className="cursor-pointer text-brass-strong">{action.moreTouches(rest.length)}</summary>
          <div className="mt-1">
            <TouchList touches={rest} />
          </div>
        </details>
      )}
    </>
  );
}

function TouchList({ touches }: { touches: readonly Touch[] }) {
  return (
    <ul className="flex flex-col gap-1">
      {touches.map((touch) => (
        <li
          key={`${touch.subject.kind} ${subjectName(touch.subject)} ${touch.effect} ${JSON.stringify(touch.detail)}`}
        >
          <TouchLine touch={touch} />
        </li>
      ))}
    </ul>
  );
}

/** A session has its label and node; a lock or semaphore its name. */
function TouchLine({ touch: { subject, effect, who, detail } }: { touch: Touch }) {
  const m = useAllMessages();
  const more = detail === null ? null : worded(detail, m.plan.touched);
  const outcome = (
    <span className="text-ink-soft">
      {m.action.effects[effect]}
      {more === null ? '' : ` (${more})`}
    </span>
  );
  if (subject.kind !== 'session')
    return (
      <>
        <code className="break-all">{subjectName(subject)}</code> {outcome}
      </>
    );
  const id = shortId(subject.id);
  return (
    <>
      <span className="break-all font-medium">{who?.label ?? id}</span>{' '}
      {who === null || who.label.endsWith(id) ? null : (
        <code className="text-[12px] text-ink-dim" title={subject.id}>
          {id}{' '}
        </code>
      )}
      {who?.node == null ? null : <span className="text-ink-dim">{who.node} </span>}
      {outcome}
    </>
  );
}
