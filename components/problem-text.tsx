'use client';
import type { Problem } from '@/lib/domain/problem';
import { useMessages } from './locale';

/** A failure in three parts: what happened, what it means for the lock, what to do next; and what differs. */
export function ProblemText({ problem }: { problem: Problem }) {
  const m = useMessages();
  const text = m.problems[problem.code];
  return (
    <div role="alert" className="rounded-[5px] border border-danger/50 bg-danger-wash px-4 py-3 text-[13px]">
      <p className="font-semibold text-danger">{text.title}</p>
      <p className="mt-1 text-ink">
        {text.meaning} {text.next}
      </p>
      {problem.difference === undefined || problem.difference.length === 0 ? null : (
        <div className="mt-2">
          <p className="text-ink-soft">{m.action.sections.difference}</p>
          <ul className="mt-0.5 list-disc pl-5">
            {problem.difference.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </div>
      )}
      {problem.detail === '' ? null : (
        <p className="mt-2 break-words font-mono text-[12px] text-ink-soft">{problem.detail}</p>
      )}
    </div>
  );
}
