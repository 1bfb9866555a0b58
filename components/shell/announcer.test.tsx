import { describe, expect, test } from 'vitest';
import { ghostFinding, semaphoreOf, snapshotOf } from '@/components/fixture/world';
import { languages } from '@/lib/i18n/messages';
import { announcement } from './announcer';

const { en, zh } = languages;
const heard = (over: Parameters<typeof snapshotOf>[0] = {}, freshness: 'live' | 'lost' = 'live') => ({
  snapshot: snapshotOf(over),
  freshness,
});
const ghosts = (n: number) => Array.from({ length: n }, (_, i) => ghostFinding(`semaphore/g${i}`));

describe('what a screen reader is told', () => {
  test('a finding that came, with its severity, and one that went, by name', () => {
    const [first, second] = [ghostFinding('semaphore/a'), ghostFinding('semaphore/b')];
    const before = heard({ findings: [first] });
    expect(announcement(before, heard({ findings: [second] }), en)).toBe(
      'New, urgent: ghost slots, semaphore/b. Cleared: ghost slots, semaphore/a.',
    );
    expect(announcement(before, heard({ findings: [second] }), zh)).toBe(
      '新问题（紧急）：幽灵名额，semaphore/b。已解除：幽灵名额，semaphore/a。',
    );
  });

  test('many findings at once are counted, not listed', () => {
    expect(announcement(heard(), heard({ findings: ghosts(7) }), en)).toBe(
      '7 need attention, 7 more than before.',
    );
  });

  test('a notice that comes or goes is not announced', () => {
    expect(announcement(heard(), heard({ findings: [ghostFinding('semaphore/a', 'notice')] }), en)).toBe('');
  });

  test('the connection first, then what changed, in one batch', () => {
    const semaphores = [semaphoreOf('semaphore/a'), semaphoreOf('semaphore/b')];
    expect(announcement(heard(), heard({ semaphores }, 'lost'), zh)).toBe(
      '与 Signalbox 的连接已断开。2 个锁或信号量有变化。',
    );
  });
});
