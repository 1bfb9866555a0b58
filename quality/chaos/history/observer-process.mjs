// An independent recorder: a plain client of Consul that follows two indexes with blocking queries, and keeps every
// hold until it is asked. No code here comes from Signalbox, so that a mistake there cannot hide itself.

import { setPriority } from 'node:os';

// The observer must not run late. Only some users may raise the priority.
try {
  setPriority(-10);
} catch {}

/** @type {{ address: string, prefix: string, semaphores: string[] }} */
const { address, prefix, semaphores } = JSON.parse(process.argv[2] ?? '');
// The flags of Go's semaphores as JavaScript reads their 64 bits.
const semaphoreFlags = Number('16210313421097356768');
const recordName = '/.lock';

const holds = [];
const readsMs = [];
const open = new Map();
const sessionsEnded = new Map();
// The index at which Consul showed a session's end.
const endIndexes = new Map();
const gone = [];
const made = [];
const spoiled = [];
let last = { entries: new Map(), held: new Map(), records: new Map() };
let lastMs = Date.now();
let sessions = new Set();
let sessionsMs = Date.now();

const nameOf = (subject) => subject.slice(subject.indexOf(':') + 1);

/** The holders in a well-formed record, or null. */
function holdersIn(entry) {
  if (entry.Flags !== semaphoreFlags || entry.Value === null) return null;
  try {
    return Object.keys(JSON.parse(Buffer.from(entry.Value, 'base64').toString()).Holders ?? {});
  } catch {
    return null;
  }
}

function lookAt(rows) {
  const entries = new Map(rows.map((row) => [row.Key, row]));
  const held = new Map();
  const records = new Map();
  for (const row of rows) {
    const semaphore = semaphores.find((one) => row.Key.startsWith(`${one}/`));
    if (semaphore === undefined) {
      if (row.Session === undefined) continue;
      const token = String(row.LockIndex);
      const subject = `lock:${row.Key}`;
      held.set([subject, row.Session, token].join(' '), { subject, session: row.Session, token });
    } else if (row.Key === `${semaphore}${recordName}`) {
      const holders = holdersIn(row);
      const subject = `semaphore:${semaphore}`;
      records.set(semaphore, holders);
      for (const session of holders ?? [])
        held.set([subject, session].join(' '), { subject, session, token: null });
    }
  }
  return { entries, held, records };
}

function endingOf({ subject, session }, now, leaving) {
  const name = nameOf(subject);
  if (subject.startsWith('lock:')) return now.entries.has(name) ? 'let-go' : 'key-gone';
  const holders = now.records.get(name);
  if (holders === undefined) return 'record-gone';
  if (holders === null) return 'record-spoiled';
  const staying = leaving.filter(
    (one) => one.subject === subject && now.entries.get(`${name}/${one.session}`)?.Session === one.session,
  );
  return staying.length > 1 && staying.some((one) => one.session === session) ? 'several' : 'let-go';
}

function take(rows, index) {
  const atMs = Date.now();
  const now = lookAt(rows);
  const span = { afterMs: lastMs, byMs: atMs };
  const leaving = [...open].filter(([name]) => !now.held.has(name));
  for (const [name, hold] of leaving) {
    open.delete(name);
    hold.to = span;
    hold.ending = endingOf(
      hold,
      now,
      leaving.map(([, one]) => one),
    );
    const at = now.entries.get(nameOf(hold.subject))?.ModifyIndex ?? index;
    hold.withSession = hold.token !== null && endIndexes.get(hold.session) === at;
    hold.at = at;
  }
  for (const [key, entry] of last.entries) {
    const is = now.entries.get(key);
    if (is === undefined || is.CreateIndex !== entry.CreateIndex) gone.push({ key, span });
    else if (key.endsWith(recordName) && holdersIn(entry) !== null && holdersIn(is) === null)
      spoiled.push({ key, span });
  }
  for (const [key, entry] of now.entries) {
    const isWell = !key.endsWith(recordName) || holdersIn(entry) !== null;
    const was = last.entries.get(key);
    const wasWell = was !== undefined && (!key.endsWith(recordName) || holdersIn(was) !== null);
    if (isWell && (!wasWell || was.CreateIndex !== entry.CreateIndex)) made.push({ key, span });
  }
  for (const [name, one] of now.held) {
    if (open.has(name)) continue;
    const hold = { ...one, from: span, to: null, ending: null, withSession: false, at: null };
    open.set(name, hold);
    holds.push(hold);
  }
  readsMs.push(atMs);
  last = now;
  lastMs = atMs;
}

function takeSessions(list, index) {
  const atMs = Date.now();
  const now = new Set(list.map(({ ID }) => ID));
  for (const id of sessions)
    if (!now.has(id)) {
      sessionsEnded.set(id, { afterMs: sessionsMs, byMs: atMs });
      endIndexes.set(id, index);
      // The key may have been read before.
      for (const hold of holds.slice(-200))
        if (hold.session === id && hold.token !== null && hold.at === index) hold.withSession = true;
    }
  sessions = now;
  sessionsMs = atMs;
}

async function follow(path, onAnswer) {
  for (let index = 0; ; ) {
    const answer = await fetch(`http://${address}/v1/${path}index=${index}&wait=30s`);
    const text = await answer.text();
    if (!answer.ok && answer.status !== 404) throw new Error(text);
    index = Number(answer.headers.get('x-consul-index'));
    onAnswer(answer.status === 404 ? [] : JSON.parse(text), index);
    if (!ready && ++answers > 1) {
      ready = true;
      process.send?.('ready');
    }
  }
}

let answers = 0;
let ready = false;
process.on('message', () =>
  process.send?.({ holds, readsMs, sessionsEnded: [...sessionsEnded], gone, made, spoiled }),
);
process.on('disconnect', () => process.exit());
// If the run costs the observer its Consul, it ends, and the run fails.
await Promise.all([follow(`kv/${prefix}?recurse&`, take), follow('session/list?', takeSessions)]);
