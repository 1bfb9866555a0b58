'use client';
/**
 * One paragraph on why this lock or semaphore is stuck, or why its clients have waited for long, with the evidence of
 * each sentence.
 */
import { useCallback } from 'react';
import { useAllMessages } from '@/components/dom/locale';
import { EvidenceFacts } from '@/components/findings/grounds';
import { useNow, useZone } from '@/components/live/clock';
import { Section } from '@/components/ui/section';
import { useSnapshotPart } from '@/lib/client/page-data';
import type { Explanation } from '@/lib/domain/explain/fact';
import { concerns } from '@/lib/domain/findings/finding';
import type { HeldSubject } from '@/lib/domain/history/episode';
import { isOf } from '@/lib/domain/subject';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import {
  blockText,
  endText,
  explanationLines,
  explanationOf,
  titleOfNow,
} from '@/lib/view/actions/explained';

export function Explained({ of }: { of: HeldSubject }) {
  const m = useAllMessages();
  const select = useCallback(
    (snapshot: Snapshot) => {
      const { locks, semaphores, findings } = snapshot;
      const row = (of.kind === 'lock' ? locks : semaphores).find(isOf(of));
      if (row === undefined) return null;
      const about = findings.filter((finding) => concerns(finding, of));
      const explanation = explanationOf(row, about, snapshot);
      return explanation && { explanation, title: titleOfNow(explanation.now, snapshot, m) };
    },
    [of, m],
  );
  const explained = useSnapshotPart(select);
  return explained === null ? null : <Shown {...explained} />;
}

function Shown({ explanation, title }: { explanation: Explanation; title: string }) {
  const m = useAllMessages();
  const moment = { nowMs: useNow(), zone: useZone() };
  if (moment.nowMs < explanation.fromMs) return null;
  const rests = [
    ...explanation.blocks.map(({ fact, evidence }) => ({ text: blockText(fact, moment, m), evidence })),
    ...explanation.ends.map(({ fact, evidence }) => ({ text: endText(fact, moment, m), evidence })),
  ].filter(({ evidence }) => evidence.length > 0);
  return (
    <Section title={explanation.fromMs === 0 ? m.explain.title : m.explain.waitTitle}>
      {/* Each line is one text. Separate parts would be pushed along by an age before them. */}
      <div className="flex max-w-[75ch] flex-col gap-1.5 break-words">
        {explanationLines(explanation, title, moment, m).map((line, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line has its place.
          <p key={i}>{line}</p>
        ))}
      </div>
      {rests.length === 0 ? null : (
        <details className="mt-1 text-[13px]">
          <summary className="w-fit cursor-pointer text-ink-dim">{m.explain.rests}</summary>
          <ul className="mt-2 flex flex-col gap-3">
            {rests.map(({ text, evidence }) => (
              <li key={text}>
                <p className="max-w-[75ch] text-ink-soft">{text}</p>
                <EvidenceFacts evidence={evidence} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </Section>
  );
}
