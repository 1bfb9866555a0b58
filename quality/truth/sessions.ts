/** Sessions: leaks, checks, hostile names, and the first time that they were seen. */

import { shortId } from '@/lib/domain/model';
import { lockFlags } from '@/lib/providers/consul/rows/coordination';
import { lockAt, type Situation, sessionAt, situation } from '@/quality/truth/situation';
import type { Stage } from '@/quality/truth/stage';
import { any, many } from '@/quality/truth/text';

/** A name with markup, with cursor movements for a terminal, and with a change of text direction. */
const hostile = '<img src=x onerror="window.hostile=1"><script>window.hostile=1</script>';
const deceptive = 'worker\u202etac.exe';

async function check(stage: Stage, id: string, status: 'passing' | 'warning' | 'critical') {
  await stage.request('agent/check/register', { ID: id, Name: `check ${id}`, TTL: '10m' });
  await stage.request(`agent/check/update/${id}`, { Status: status });
}

const withCheck = async (stage: Stage, name: string) => {
  await check(stage, name, 'passing');
  // The agent updates the catalog a moment later, and a session may only name checks in the catalog.
  const id = await stage.once(`session of ${name}`, async () => {
    for (;;) {
      const known = (await stage.client.checks()).value.find((one) => one.checkId === name);
      if (known?.status === 'passing') break;
    }
    return stage.session({ name, ttlMs: null, checks: ['serfHealth', name] });
  });
  await stage.lock(`truth/check/${name}`, id, { flags: lockFlags });
  return { subject: lockAt(`truth/check/${name}`), id };
};

export const sessions: readonly Situation[] = [
  situation({
    title: 'a session that holds nothing, wants nothing and never ends',
    knows: 'the session, and every key that it locks: none',
    says: 'a leak, unless it waits for a plain lock, which is not visible',
    mustNot: 'that it is surely idle',
    make: async (stage) => ({
      subject: sessionAt(await stage.session({ name: 'leaky', ttlMs: null, checks: [] })),
    }),
    api: () => ({ row: { name: 'leaky', ttlMs: null, holds: [], wants: [] }, findings: ['session-leak'] }),
    screen: (_, w) => ({ has: ['leaky', w.subject.none.holds, w.subject.none.wants, w.subject.ttl.none] }),
    never: (_, w) => ({
      listed: false,
      rows: [{ ttlMs: 0 }],
      texts: [w.sessions.sentence(many, many, many, many), w.subject.notInView.session],
    }),
  }),
  situation({
    title: 'a session with a TTL that holds nothing',
    knows: 'the session; it ends by time',
    says: 'that it holds nothing, and how it ends',
    mustNot: 'a leak',
    make: async (stage) => ({
      subject: sessionAt(await stage.session({ name: 'passing-by', ttlMs: 600_000 })),
    }),
    api: () => ({ row: { name: 'passing-by', ttlMs: 600_000, holds: [] } }),
    screen: (_, w) => ({ has: ['passing-by', w.subject.none.holds] }),
    never: (_, w) => ({ findings: ['session-leak'], texts: [w.subject.ttl.none] }),
  }),
  situation({
    title: 'a session whose name is markup',
    knows: 'a name of any characters',
    says: 'the name as text, on the board and on its page',
    mustNot: 'anything that runs',
    make: async (stage) => {
      const id = await stage.session({ name: hostile, ttlMs: 600_000 });
      await stage.lock('truth/hostile', id, { flags: '0', value: hostile });
      return { subject: sessionAt(id) };
    },
    api: () => ({ row: { name: hostile, holds: [{ key: 'truth/hostile' }] } }),
    screen: () => ({ has: [hostile] }),
    never: (_, w) => ({ rows: [{ name: '' }], texts: [w.subject.notInView.session], listed: false }),
  }),
  situation({
    title: 'a session whose name turns the text around',
    knows: 'a name with a mark that reverses what follows',
    says: 'a label without it',
    mustNot: 'a label that reads as another one',
    make: async (stage) => {
      const id = await stage.session({ name: deceptive, ttlMs: 600_000 });
      await stage.lock('truth/deceptive', id, { flags: '0' });
      return { subject: lockAt('truth/deceptive'), id };
    },
    api: ({ id }) => ({
      row: { holder: { sessionId: id, label: 'worker tac.exe' } },
      verdicts: { [id]: 'alive' },
    }),
    screen: () => ({ has: ['worker tac.exe'] }),
    never: ({ id }, w) => ({
      stored: ['\u202e'],
      rows: [{ holder: { label: deceptive } }],
      texts: [w.subject.lock.held('alive', shortId(id), null)],
    }),
  }),
  situation({
    title: 'a session with a check of its process, in a warning',
    knows: 'the status of the check: a warning does not end a session',
    says: 'that it holds, with the warning among its checks',
    mustNot: 'suspect, or node-bound: a check watches it',
    make: async (stage) => {
      const made = await withCheck(stage, 'warned');
      await check(stage, 'warned', 'warning');
      return made;
    },
    api: ({ id }) => ({
      row: { state: 'held', holder: { expiry: { kind: 'unknown' } } },
      verdicts: { [id]: 'alive' },
    }),
    screen: (_, w) => ({ has: ['check warned', w.sessions.checkStatus.warning] }),
    never: () => ({
      verdicts: ['suspect', 'node-bound', 'immortal'],
      evidence: ['node-checks-only', 'checks-passing'],
    }),
  }),
  situation({
    title: 'a check of the session turns critical',
    knows: 'that the check failed; it ends the session in the same step',
    says: 'free, under the lock-delay of the session that ended',
    mustNot: 'that the session still holds, or that it is suspect',
    make: (stage) => withCheck(stage, 'failing'),
    turn: {
      bring: (stage) => check(stage, 'failing', 'critical'),
      took: (stage, { id }) => stage.ended(id),
    },
    from: ({ id }) => ({ row: { state: 'held', holder: { sessionId: id } } }),
    api: () => ({ row: { state: 'delayed', holder: null } }),
    screen: (_, w) => ({ has: [w.subject.lock.delayed(any)], lamps: { delayed: 1 } }),
    never: () => ({ states: ['free'] }),
    // Checks and sessions are two reads, so the check may come a moment before the end of the session.
    after: () => ({ states: ['held'], verdicts: ['suspect'] }),
  }),
  situation({
    title: 'since: there when Signalbox first looked',
    knows: 'no time at all: it stores none',
    says: 'for at least so long, and why no more is known',
    mustNot: 'an instant since when it is held',
    make: async (stage) => {
      const id = await stage.once('older than Signalbox', async () => {
        const made = await stage.session({ name: 'old-timer', ttlMs: 600_000 });
        await stage.lock('truth/since/at-least', made, { flags: lockFlags });
        return made;
      });
      return { subject: lockAt('truth/since/at-least'), id };
    },
    api: ({ id }) => ({ row: { holder: { since: { basis: 'at-least' } } }, verdicts: { [id]: 'alive' } }),
    screen: (_, w) => ({ has: [w.since.atLeastBasis] }),
    never: (_, w) => ({
      rows: [{ holder: { since: { basis: 'observed' } } }],
      texts: [w.since.observedBasis],
    }),
  }),
  situation({
    title: 'since: seen to happen',
    knows: 'no time at all',
    says: 'since the moment at which Signalbox saw it',
    mustNot: 'at least: it is known exactly',
    make: async (stage) => {
      const id = await stage.session({ name: 'newcomer', ttlMs: 600_000 });
      return { subject: lockAt('truth/since/observed'), id };
    },
    turn: {
      bring: (stage, { id }) => stage.lock('truth/since/observed', id, { flags: lockFlags }),
      took: async (stage, { id }) => (await stage.row('truth/since/observed'))?.session === id,
    },
    from: () => ({ row: null }),
    api: ({ id }) => ({ row: { holder: { since: { basis: 'observed' } } }, verdicts: { [id]: 'alive' } }),
    screen: (_, w) => ({ has: [w.since.observedBasis] }),
    never: (_, w) => ({
      rows: [{ holder: { since: { basis: 'at-least' } } }],
      texts: [w.since.atLeastBasis],
    }),
  }),
];
