'use client';
import { Tip } from './tip';

/** A word with its explanation, shown on hover, tap and keyboard focus. */
export function Explained({ text, children }: { text: string; children: string }) {
  return (
    <Tip text={text}>
      <button
        type="button"
        data-explains=""
        className="cursor-help underline decoration-dotted decoration-line-strong underline-offset-3"
      >
        {children}
      </button>
    </Tip>
  );
}
