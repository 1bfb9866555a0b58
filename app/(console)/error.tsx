'use client';
import { useMessages } from '@/components/dom/locale';
import { Button } from '@/components/ui/button';

/** A bug in a page. The frame around it, with its freshness, stays. */
export default function PageError({
  error,
  reset,
}: {
  error: Error & { digest?: string };
  reset: () => void;
}) {
  const texts = useMessages().shell.error;
  return (
    <div role="alert" className="flex max-w-prose flex-col items-start gap-3 px-4 py-10 sm:px-6">
      <h1 className="font-medium text-[21px]">{texts.title}</h1>
      <p className="text-ink-soft">{texts.text}</p>
      {error.digest === undefined ? null : (
        <p className="font-mono text-[12px] text-ink-dim">{texts.reference(error.digest)}</p>
      )}
      <Button onClick={reset}>{texts.retry}</Button>
    </div>
  );
}
