/** Manual commands as one shell script: every command below its note. */
import type { ManualStep } from '@/lib/domain/actions/plan';
import { worded } from '@/lib/i18n/format/worded';
import type { AllMessages } from '@/lib/i18n/messages';

/** Control characters become escapes, so that it stays one line. */
export function comment(text: string): string {
  return `# ${text.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)}`;
}

/** The steps of one tool. */
export function scriptOf(steps: readonly ManualStep[], m: Pick<AllMessages, 'plan'>): string {
  return steps
    .flatMap(({ note, command }) => [
      comment(worded(note, m.plan.notes)),
      ...(command === null ? [] : [command]),
    ])
    .join('\n');
}
