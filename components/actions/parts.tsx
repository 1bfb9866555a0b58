'use client';
/** The result of each part of a batch. Every chosen part has a line. */
import { clsx } from 'clsx';
import { useAllMessages } from '@/components/dom/locale';
import { Button } from '@/components/ui/button';
import { useSnapshot } from '@/lib/client/page-data';
import type { OutcomePart } from '@/lib/domain/actions/plan';
import { prune } from '@/lib/domain/actions/semaphore';
import { subjectId, subjectName } from '@/lib/domain/model';
import { worded } from '@/lib/i18n/format/worded';
import { actionWords } from '@/lib/view/actions/button-words';
import { pinnedOf } from '@/lib/view/actions/request';
import { useActionContext } from './action-context';

/** Parts shown at first, refused ones before the others; the rest is behind one line. */
const partsMax = 12;

export function Parts({ parts }: { parts: readonly OutcomePart[] }) {
  const { action } = useAllMessages();
  if (parts.length < 2) return null;
  const sorted = [...parts].sort((a, b) => Number(a.done) - Number(b.done));
  const rest = sorted.slice(partsMax);
  return (
    <div className="text-[13px]">
      <h3 className="mb-1 text-ink-dim">
        {action.parts(parts.filter(({ done }) => done).length, parts.length)}
      </h3>
      <PartList parts={sorted.slice(0, partsMax)} />
      {rest.length === 0 ? null : (
        <details className="mt-1">
          <summary className="cursor-pointer text-brass-strong">{action.moreTouches(rest.length)}</summary>
          <PartList parts={rest} />
        </details>
      )}
      <PlanRefused parts={parts} />
    </div>
  );
}

function PartList({ parts }: { parts: readonly OutcomePart[] }) {
  return (
    <ul className="flex flex-col gap-1">
      {parts.map((part) => (
        <PartLine key={subjectId(part.subject)} part={part} />
      ))}
    </ul>
  );
}

function PartLine({ part: { subject, done, problem, detail } }: { part: OutcomePart }) {
  const m = useAllMessages();
  const why = problem?.why ?? null;
  const text = done
    ? detail === null
      ? null
      : worded(detail, m.plan.parts)
    : why === null
      ? problem === null
        ? null
        : m.problems[problem.code].title
      : worded(why, m.why);
  return (
    <li>
      <span aria-hidden="true" className={clsx('mr-2', done ? 'text-ink-dim' : 'text-danger')}>
        {done ? '✓' : '✕'}
      </span>
      <code className="break-all">{subjectName(subject)}</code>{' '}
      {done ? null : <span className="text-danger">{m.action.done.refused}: </span>}
      <span className="text-ink-soft">{text}</span>
      {(problem?.difference ?? []).map((one) => (
        <span key={JSON.stringify(one)} className="block pl-6 text-ink-dim">
          {worded(one, m.differences)}
        </span>
      ))}
    </li>
  );
}

/** Offers a new plan for exactly the refused ones. */
function PlanRefused({ parts }: { parts: readonly OutcomePart[] }) {
  const m = useAllMessages();
  const world = useSnapshot();
  const { ask } = useActionContext();
  const refused = parts.flatMap(({ done, subject }) =>
    done || subject.kind !== 'semaphore' ? [] : [subject],
  );
  const [first] = refused;
  if (first === undefined) return null;
  // A batch is of one source.
  const prefixes = refused.map(({ prefix }) => prefix);
  const action = prune(first.source, prefixes);
  const { label, name } = actionWords(action, world, m);
  return (
    <Button
      className="mt-2"
      onClick={() => ask({ action, label, name, ...pinnedOf(action, world), limitTyped: '' })}
    >
      {m.action.partsAgain(prefixes.length)}
    </Button>
  );
}
