/** A replica that keeps the history of `CONSUL` in `STORE` until it is killed; prints the state of its source and its own whenever one changes: `live recording`. */
import { openHistory } from '@/lib/server/history/history';
import { openStore } from '@/lib/server/store/store';
import { openDesk } from '@/test/support/desk';

const store = openStore(JSON.parse(process.env.STORE ?? ''));
const desk = openDesk({ consul: process.env.CONSUL ?? '', store, replica: String(process.pid) });
const history = openHistory({
  on: true,
  days: 30,
  bytes: 1e9,
  store,
  writer: String(process.pid),
  hub: desk.hub,
  audit: desk.audit,
  now: Date.now,
  log: { warn: () => {}, info: () => {} },
});
let last = '';
setInterval(() => {
  const state = `${desk.hub.snapshot().source.state} ${history.state()?.state ?? 'off'}`;
  if (state !== last) console.log(state);
  last = state;
}, 50);
