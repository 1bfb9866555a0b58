'use client';
import { fetchAllThatIsRead } from '@/lib/i18n/at-hand';
import { Tip } from './tip';

/** A word with its explanation, for whoever points at it, taps it or comes to it by keyboard; `null`: it has not come. */
export function Explained({ text, children }: { text: string | null; children: string }) {
  return (
    <Tip text={text}>
      <button
        type="button"
        data-explains=""
        onClick={() => {
          if (text === null) fetchAllThatIsRead().catch(() => {});
        }}
        className="cursor-help underline decoration-dotted decoration-line-strong underline-offset-3"
      >
        {children}
      </button>
    </Tip>
  );
}
