/** How holds of one source end, as the routes tell it: what the history shows of a lock, and an action that ends its hold. */
import { expect } from 'vitest';
import * as actionsRoute from '@/app/api/v1/actions/route';
import * as historyRoute from '@/app/api/v1/history/route';
import type { Action } from '@/lib/domain/actions/action';
import type { SentHistory } from '@/lib/domain/history/answer';
import type { Served } from '@/test/machines/served';
import { until } from '@/test/support/until';

export function endsOf(served: () => Served, source: string) {
  const read = async (name: string): Promise<SentHistory> => {
    const path = `/api/v1/history?subject=lock:${encodeURIComponent(name)}&source=${source}&from=-1h`;
    return (await served().ask(historyRoute.GET, path)).json();
  };
  const shows = (name: string, is: (of: SentHistory) => boolean): Promise<SentHistory> =>
    until(
      async () => {
        const answer = await read(name);
        return is(answer) && answer;
      },
      { what: `the history of ${name}`, timeoutMs: 30_000 },
    );
  const ask = async (body: object) => {
    const answer = await served().ask(actionsRoute.POST, '/api/v1/actions', { method: 'POST', body });
    const json = await answer.json();
    expect(answer.status, JSON.stringify(json)).toBe(200);
    return json;
  };
  return {
    shows,
    begun: (name: string) => shows(name, ({ episodes }) => episodes.length === 1),
    ended: (name: string) => shows(name, ({ episodes: [first] }) => first?.end != null),
    act: async (action: Action, reason: string) => {
      const { expect: seen } = await ask({ mode: 'plan', action });
      await ask({ mode: 'apply', action, reason, expect: seen });
    },
  };
}
