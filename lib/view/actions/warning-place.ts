/** The place of each warning of a plan. */
import type { WarningCode } from '@/lib/domain/actions/plan';

export type PlanPart = 'reach' | 'notices' | 'unprotected' | 'know';

/**
 * The place of each warning (`reach`: other parties that it hits, above everything long). `grave`: two owners at once,
 * or failing clients.
 */
export const places: Readonly<Record<WarningCode, { readonly part: PlanPart; readonly grave: boolean }>> = {
  'holder-notices': { part: 'notices', grave: false },
  'next-holder': { part: 'notices', grave: false },
  'next-in-queue': { part: 'notices', grave: false },
  'next-holder-unseen': { part: 'notices', grave: false },
  'waiters-fail': { part: 'reach', grave: true },
  'restarts-fail': { part: 'reach', grave: true },
  'limit-live': { part: 'notices', grave: false },
  'no-lock-delay': { part: 'unprotected', grave: true },
  'split-brain': { part: 'unprotected', grave: true },
  'command-left': { part: 'unprotected', grave: true },
  'may-retake': { part: 'unprotected', grave: false },
  'not-conditional': { part: 'unprotected', grave: false },
  'lock-delay-protects': { part: 'know', grave: false },
  'session-lives-on': { part: 'know', grave: false },
  'holds-more': { part: 'reach', grave: true },
  'limit-forgotten': { part: 'know', grave: false },
  'limit-one': { part: 'reach', grave: true },
  'over-limit': { part: 'know', grave: true },
  'clients-recreate': { part: 'know', grave: false },
  'lock-info-goes': { part: 'know', grave: false },
  'lock-info-stays': { part: 'know', grave: true },
  'locks-stay': { part: 'know', grave: false },
  'leftovers-stay': { part: 'know', grave: false },
  'layout-caution': { part: 'know', grave: false },
  'left-out': { part: 'reach', grave: true },
  'hidden-stay': { part: 'reach', grave: true },
  'view-incomplete': { part: 'reach', grave: true },
  'answer-lost': { part: 'know', grave: true },
  'not-read-back': { part: 'know', grave: true },
  'redis-reentered': { part: 'reach', grave: true },
  'redis-same-thread': { part: 'unprotected', grave: false },
  'redis-fenced': { part: 'know', grave: false },
  'redis-multi': { part: 'reach', grave: true },
  'redis-clients-wait': { part: 'notices', grave: false },
  'redis-next-dead': { part: 'reach', grave: true },
  'redis-frees-itself': { part: 'know', grave: false },
  'redis-readers-stay': { part: 'know', grave: false },
  'redis-one-of-several': { part: 'reach', grave: true },
  'redis-waiter-dead': { part: 'know', grave: false },
  'redis-waiter-returns': { part: 'know', grave: false },
  'redis-wake-changes-nothing': { part: 'know', grave: false },
  'redis-clocks': { part: 'know', grave: false },
  'redis-more-over': { part: 'know', grave: false },
  'redis-below-held': { part: 'reach', grave: true },
  'redis-no-names': { part: 'unprotected', grave: true },
  'redis-beyond-limit': { part: 'reach', grave: true },
  'redis-not-replicated': { part: 'know', grave: true },
  'redis-setting-stays': { part: 'know', grave: true },
  'zookeeper-requeues': { part: 'notices', grave: false },
  'zookeeper-lease-requeues': { part: 'notices', grave: false },
  'zookeeper-latch-two-leaders': { part: 'unprotected', grave: true },
  'zookeeper-owns-more': { part: 'know', grave: false },
  'zookeeper-session-stays': { part: 'unprotected', grave: false },
  'zookeeper-may-not-listen': { part: 'know', grave: true },
  'zookeeper-asks-only': { part: 'know', grave: false },
  'zookeeper-readers-stay': { part: 'reach', grave: true },
  'zookeeper-other-readers-stay': { part: 'know', grave: false },
  'zookeeper-writer-stays': { part: 'know', grave: false },
  'zookeeper-stuck-counts': { part: 'know', grave: true },
};

/** A newer server may send warnings that this page does not know. */
export const placeOf = (code: WarningCode): (typeof places)[WarningCode] =>
  places[code] ?? { part: 'know', grave: true };
