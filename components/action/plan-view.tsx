'use client';
/** A plan as a person reads it: what will be written, what else it touches, what to know, and how by hand. */
import { clsx } from 'clsx';
import { useMessages } from '@/components/locale';
import { Copy } from '@/components/ui/copy';
import { subjectName } from '@/lib/client/paths';
import type { Plan, PlannedWrite, Touch, WarningCode } from '@/lib/domain/action';
import { shortId } from '@/lib/domain/model';

/** Warnings that speak of two owners at once or of clients that fail; the rest is to know, not to fear. */
const grave: Readonly<Record<WarningCode, boolean>> = {
  'not-conditional': false,
  'lock-delay-protects': false,
  'no-lock-delay': true,
  'split-brain': true,
  'session-lives-on': false,
  'may-retake': false,
  'holds-more': true,
  'waiters-fail': true,
  'restarts-fail': true,
  'limit-forgotten': false,
  'limit-one': true,
  'holder-not-told': true,
  'clients-recreate': false,
  'layout-caution': false,
  'view-incomplete': true,
  'answer-lost': true,
  'over-limit': true,
};

/** The plan. What to know stands above what it touches: a long list must not push it out of sight. */
export function PlanView({ plan }: { plan: Plan }) {
  const { action, shell } = useMessages();
  const { sections } = action;
  return (
    <div className="flex flex-col gap-3">
      <p className="text-[15px] leading-6">{plan.summary}</p>
      <Part name={sections.writes}>
        <ul className="flex flex-col gap-2">
          {plan.writes.map((write) => (
            <Write key={`${write.operation} ${write.target}`} write={write} />
          ))}
        </ul>
      </Part>
      {plan.warnings.length === 0 ? null : (
        <Part name={sections.warnings}>
          <ul className="flex flex-col gap-1.5">
            {plan.warnings.map((warning) => (
              <li key={`${warning.code} ${warning.text}`} className="flex gap-2">
                <span
                  aria-hidden="true"
                  className={clsx(
                    'w-3 shrink-0 text-center',
                    grave[warning.code] ? 'text-caution' : 'text-ink-dim',
                  )}
                >
                  {grave[warning.code] ? '△' : '·'}
                </span>
                <span>{warning.text}</span>
              </li>
            ))}
          </ul>
        </Part>
      )}
      <Part name={sections.touches}>
        <Touches touches={plan.touches} />
      </Part>
      {plan.manual.length === 0 ? null : (
        <details className="group">
          <summary className="cursor-pointer text-[13px] text-brass-strong">{sections.manual}</summary>
          <div className="mt-2 flex items-start gap-1 rounded-[5px] border border-line bg-inset py-2 pr-1 pl-3">
            <pre className="min-w-0 flex-1 overflow-x-auto text-[12px] leading-5">
              {plan.manual.join('\n')}
            </pre>
            <Copy
              text={plan.manual.join('\n')}
              label={shell.copy.label(sections.manual)}
              done={shell.copy.done}
            />
          </div>
        </details>
      )}
    </div>
  );
}

/** Things that are touched before the rest waits behind one line. */
const touchesMax = 6;

function Touches({ touches }: { touches: readonly Touch[] }) {
  const { action } = useMessages();
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
        <li key={`${touch.subject.kind} ${subjectName(touch.subject)} ${touch.effect}`}>
          <TouchLine touch={touch} />
        </li>
      ))}
    </ul>
  );
}

/** A session is known by its name, which its touch carries; a lock or semaphore by its own. */
function TouchLine({ touch: { subject, effect, detail } }: { touch: Touch }) {
  const { effects } = useMessages().action;
  if (subject.kind === 'session') {
    const id = shortId(subject.id);
    return (
      <>
        <span className="break-all font-medium">{detail ?? id}</span>{' '}
        {detail === null || detail.endsWith(id) ? null : (
          <code className="text-[12px] text-ink-dim" title={subject.id}>
            {id}{' '}
          </code>
        )}
        <span className="text-ink-soft">{effects[effect]}</span>
      </>
    );
  }
  return (
    <>
      <code className="break-all">{subjectName(subject)}</code>{' '}
      <span className="text-ink-soft">
        {effects[effect]}
        {detail === null ? '' : ` (${detail})`}
      </span>
    </>
  );
}

function Part({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div className="grid gap-x-4 gap-y-1 text-[13px] sm:grid-cols-[9.5rem_minmax(0,1fr)]">
      <h3 className="text-ink-dim">{name}</h3>
      <div className="min-w-0">{children}</div>
    </div>
  );
}

function Write({ write }: { write: PlannedWrite }) {
  const { action } = useMessages();
  return (
    <li className="min-w-0">
      <p className="break-all font-medium">{action.operations[write.operation](write.target)}</p>
      <p className="text-ink-soft">
        {write.condition === null ? action.unconditional : action.condition(write.condition)}
      </p>
      {write.before === null && write.after === null ? null : (
        <dl className="mt-1 grid grid-cols-[3.5rem_minmax(0,1fr)] gap-x-2 font-mono text-[12px] leading-5">
          {write.before === null ? null : (
            <>
              <dt className="text-ink-dim">{action.before}</dt>
              <dd className="max-h-24 overflow-y-auto break-all text-ink-soft">{write.before}</dd>
            </>
          )}
          {write.after === null ? null : (
            <>
              <dt className="text-ink-dim">{action.after}</dt>
              <dd className="max-h-24 overflow-y-auto break-all">{write.after}</dd>
            </>
          )}
        </dl>
      )}
    </li>
  );
}
