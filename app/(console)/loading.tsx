'use client';
import { useMessages } from '@/components/locale';

/** Shown while a page is on its way; the frame around it stays. */
export default function Loading() {
  return (
    <p role="status" className="px-4 py-8 text-[15px] text-ink-dim sm:px-6">
      {useMessages().shell.loading}
    </p>
  );
}
