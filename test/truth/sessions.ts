/** Sessions by themselves: leaks, checks, names that are meant to harm, and when they were first seen. */
import { lockFlags } from '@/lib/consul/recognise/coordination';
import { en } from '@/lib/words/messages';
import { lockAt, type Situation, sessionAt, situation } from '@/test/truth/situation';
import type { Stage } from '@/test/truth/stage';

/** A name that would be markup, move the cursor of a terminal, or turn the text around. */
const hostile = '<img src=x onerror="window.hostile=1"><script>window.hostile=1</script>';
const deceptive = 'worker\u202etac.exe';

async function check(stage: Stage, id: string, status: 'passing' | 'warning' | 'critical') {
  await stage.request('agent/check/register', { ID: id, Name: `check ${id}`, TTL: '10m' });
  await stage.request(`agent/check/update/${id}`, { Status: status });
}

const withCheck = async (stage: Stage, name: string) => {
  await check(stage, name, 'passing');
  // The agent hands it to the catalog a moment later, and a session may only name what is there.
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
    screen: () => ({ has: ['leaky', en.subject.none.holds, en.subject.none.wants, en.subject.ttl.none] }),
    never: () => ({ texts: [/waits for nothing/i, /\bidle\b/i] }),
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
    screen: () => ({ has: ['passing-by', en.subject.none.holds] }),
    never: () => ({ findings: ['session-leak'] }),
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
    never: () => ({ texts: [/^$/] }),
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
    never: () => ({ texts: ['\u202e'] }),
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
    screen: () => ({ has: ['check warned', en.sessions.checkStatus.warning] }),
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
    turn: async (stage, { id }) => {
      await check(stage, 'failing', 'critical');
      await stage.rowsWhen('truth/check/failing', 'the end of the session', (rows) =>
        rows.every((row) => row.session !== id),
      );
    },
    api: () => ({ row: { state: 'delayed', holder: null } }),
    screen: () => ({ has: [/refuses it/i], lamps: { delayed: 1 } }),
    never: () => ({ states: ['held', 'free'], texts: ['failing is'] }),
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
    screen: () => ({ has: [en.since.atLeastBasis] }),
    never: () => ({ texts: [en.since.observedBasis] }),
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
    turn: (stage, { id }) => stage.lock('truth/since/observed', id, { flags: lockFlags }),
    api: ({ id }) => ({ row: { holder: { since: { basis: 'observed' } } }, verdicts: { [id]: 'alive' } }),
    screen: () => ({ has: [en.since.observedBasis] }),
    never: () => ({ texts: [en.since.atLeastBasis] }),
  }),
];
