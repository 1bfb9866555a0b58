/** An action of Signalbox in words. */
import type { DeedMark } from '@/lib/domain/history/episode';
import type { AllMessages } from '@/lib/i18n/messages';

/** A newer server may have actions that this page has no words for. */
export const actionWords = (type: string, { audit }: Partial<Pick<AllMessages, 'audit'>>): string =>
  audit !== undefined && Object.hasOwn(audit.actions, type)
    ? audit.actions[type as keyof typeof audit.actions]
    : type;

export const byWhom = ({ by, reason }: DeedMark, { history }: Pick<AllMessages, 'history'>): string =>
  `${history.by(by)}${reason === null ? '' : history.because(reason)}`;
