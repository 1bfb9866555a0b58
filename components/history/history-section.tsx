'use client';
/**
 * The history of a subject on its page. The code is fetched with the page's other parts, so the section keeps its
 * height until then.
 */
import { useEffect } from 'react';
import { lazyPart } from '@/components/dom/lazy-part';
import { useAllMessages } from '@/components/dom/locale';
import { Section } from '@/components/ui/section';
import type { HeldSubject } from '@/lib/domain/history/episode';

const subjectHistory = lazyPart(async () => (await import('./subject-history')).SubjectHistory);

interface HistorySectionProps {
  readonly of: HeldSubject;
  /** True when the backend can name holders (`namesHolders`). Otherwise no hold is ever seen, which proves nothing. */
  readonly named?: boolean;
  /** True below content that may still settle. The section then comes with its code, and nothing moves it. */
  readonly late?: boolean;
}

export function HistorySection({ of, named = true, late = false }: HistorySectionProps) {
  const { subject } = useAllMessages();
  const SubjectHistory = subjectHistory.usePart();
  useEffect(() => {
    void subjectHistory.load();
  }, []);
  if (late && SubjectHistory === null) return null;
  return (
    <Section title={subject.sections.history}>
      <div className="min-h-52">
        {SubjectHistory === null ? null : <SubjectHistory of={of} named={named} />}
      </div>
    </Section>
  );
}
