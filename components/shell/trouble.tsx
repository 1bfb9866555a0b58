'use client';
import { useMessages } from '@/components/dom/locale';
import { Button } from '@/components/ui/button';
import type { Problem } from '@/lib/domain/problem';
import { worded } from '@/lib/i18n/format/worded';

/** Replaces a page that cannot be shown now and that a sign-in would not bring: the reason, and a retry. */
export function Trouble({ problem: { code, why = null } }: { problem: Problem }) {
  const m = useMessages();
  const { trouble, error } = m.shell;
  return (
    <div role="alert" className="flex max-w-prose flex-col items-start gap-3 px-4 py-10 sm:px-6">
      <h1 className="font-medium text-[21px]">{trouble.title}</h1>
      <p>{why === null ? m.problems[code].title : worded(why, m.why)}</p>
      <p className="text-ink-soft">{trouble.text}</p>
      <Button onClick={() => window.location.reload()}>{error.retry}</Button>
    </div>
  );
}
