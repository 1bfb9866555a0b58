// @vitest-environment happy-dom
/** Where entries may be hidden, no sentence takes hidden clients for none. */
import { cleanup, render } from '@testing-library/react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { ResizeVerdict } from '@/components/actions/resize-verdict';
import { Board } from '@/components/board/board';
import { EmbedBoard } from '@/components/embed/board';
import { EmbedSubject } from '@/components/embed/subject';
import { Graph } from '@/components/graph/graph';
import { ClockProvider } from '@/components/live/clock';
import type { Semaphore } from '@/lib/domain/model';
import { en, languages } from '@/lib/i18n/messages';
import { semaphoreSentence } from '@/lib/i18n/sentences';
import { semaphoreText } from '@/packages/cli/board.mjs';
import { putAddress } from './fixture/address';
import { Live, liveViewOf } from './fixture/live';
import { holderOf, nowMs, semaphoreOf, snapshotOf, waiterOf } from './fixture/world';

vi.mock('@/components/sharing/share-button', () => ({ ShareButton: () => null }));
vi.mock('@/components/list/views', () => ({ Views: () => null }));
vi.mock('@/components/live/freeze', () => ({ FreezeButton: () => null }));
afterEach(cleanup);

/** One holder of a slot, and some waiters. `part`: there may be others. */
const jobs = (waiting: number, part: boolean, over: Partial<Semaphore> = {}) =>
  semaphoreOf('jobs', {
    limit: 1,
    holders: [holderOf(1)],
    waiters: Array.from({ length: waiting }, (_, i) => waiterOf(2 + i)),
    ...(part ? { part: true } : {}),
    ...over,
  });

/** Sentences that take hidden clients for none. */
const nobody =
  /nobody wait|no waiters?\b(?! in view)|no session waits|(?<!可见范围内)(没有人|无人|没有会话在?|没有)等待/i;
const others =
  /there may be waiters|others may|may not see|not shown|who waits is unknown|可能还有|无权看到|谁在等待未知/i;

describe.each([0, 1])('of a semaphore of which %i waiters are seen', (n) => {
  test.each([
    ['as it is', {}],
    ['without its holders', { recorded: null }],
    ['that cannot be read', { recorded: null, limit: null }],
  ])('its sentence says that others may wait, %s', (_, over) => {
    for (const words of [en, languages.zh]) {
      const said = (part: boolean) => semaphoreSentence(jobs(n, part, over), { nowMs, zone: 'UTC' }, words);
      expect(said(true)).toMatch(others);
      expect(said(true)).not.toMatch(nobody);
      expect(said(false)).not.toMatch(others);
    }
  });

  test('the line of the command says it', () => {
    expect(semaphoreText(jobs(n, true))).toContain(`${n} waiting in view (others may wait`);
    expect(semaphoreText(jobs(n, false))).toMatch(new RegExp(`${n} waiting$`));
  });

  test('the verdict on a new limit says it', () => {
    const said = (part: boolean) => {
      const { container } = render(<ResizeVerdict semaphore={jobs(n, part)} />);
      const text = container.textContent;
      cleanup();
      return text;
    };
    expect(said(true)).toMatch(others);
    expect(said(true)).not.toMatch(nobody);
    expect(said(false)).not.toMatch(others);
    expect(languages.zh.action.resize.verdict['fails-waiters'].waiting(n, true)).not.toMatch(nobody);
  });

  test.each([true, false])('an embedded page says it, compact: %s', (compact) => {
    const said = (part: boolean) => {
      const { container } = render(
        <ClockProvider first={{ nowMs, zone: 'UTC' }}>
          <EmbedBoard snapshot={snapshotOf({ semaphores: [jobs(n, part)] })} unsent={0} compact={compact} />
          <EmbedSubject of={jobs(n, part)} findings={[]} compact={compact} />
        </ClockProvider>,
      );
      const text = container.textContent;
      cleanup();
      return text;
    };
    expect(said(true)?.match(new RegExp(others, 'gi'))?.length).toBeGreaterThan(1);
    expect(said(true)).not.toMatch(nobody);
    expect(said(false)).not.toMatch(others);
  });

  test('the wait graph says it', () => {
    const said = (part: boolean) => {
      const { container } = render(
        <Live view={liveViewOf(snapshotOf({ semaphores: [jobs(n, part)] }))}>
          <Graph />
        </Live>,
      );
      const text = container.textContent;
      cleanup();
      return text;
    };
    expect(said(true)).toContain(en.graph.part);
    expect(said(false)).not.toContain(en.graph.part);
  });

  test('the board says it where only those with waiters are asked for', () => {
    const said = (part: boolean, show: 'waiting' | 'all') => {
      const asked = show === 'waiting' ? { show } : {};
      putAddress(show === 'waiting' ? '?show=waiting' : '');
      const { container } = render(
        <Live view={liveViewOf(snapshotOf({ semaphores: [jobs(n, part)] }))}>
          <Board asked={asked} />
        </Live>,
      );
      const text = container.textContent;
      cleanup();
      return text;
    };
    expect(said(true, 'waiting')).toContain(en.board.waitingPart);
    expect(said(true, 'all')).not.toContain(en.board.waitingPart);
    expect(said(false, 'waiting')).not.toContain(en.board.waitingPart);
  });
});
