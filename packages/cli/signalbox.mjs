#!/usr/bin/env node
/** The `signalbox` command: the console for those who live in a terminal, on the same API. See docs/cli.md. */
import { readFileSync } from 'node:fs';
import { act } from './act.mjs';
import { createApi, exit, Failure, inTheClear, notUnderstood, settings } from './api.mjs';
import { readArguments, usage } from './arguments.mjs';
import {
  findingLines,
  firstSource,
  listLines,
  lockLines,
  semaphoreLines,
  sessionLines,
  staleText,
  wasRead,
} from './board.mjs';
import { history } from './history.mjs';
import { folded, painter, printable, safeJson, sentences, shown } from './terminal.mjs';
import { watch } from './watch.mjs';
import { problemText } from './words.mjs';

/**
 * How a command speaks and asks.
 * @typedef {{
 *   api: import('./api.mjs').Api,
 *   say: (line: string) => void, warn: (line: string) => void, sayJson: (value: unknown, indent?: number) => void,
 *   paint: (colour: import('./terminal.mjs').Colour, text: string) => string,
 * }} Ways
 * @typedef {import('./arguments.mjs').Asked} Asked
 * @typedef {import('../../lib/domain/world/snapshot').Snapshot} Snapshot
 */

/**
 * A reader may leave: `signalbox watch | head`. That ends endless printing; an action continues, or its exit status
 * would not be true.
 */
const left = new AbortController();

/**
 * @param {NodeJS.WriteStream} stream
 * @param {string} lines
 */
const print = (stream, lines) => {
  const places = stream.isTTY ? stream.columns : undefined;
  stream.write(
    `${lines
      .split('\n')
      .map((line) => folded(line, places))
      .join('\n')}\n`,
  );
};
/** @param {string} lines */
const say = (lines) => print(process.stdout, printable(lines));
/** @param {string} lines */
const warn = (lines) => print(process.stderr, sentences(lines));
/** @param {unknown} value */
const sayJson = (value, indent = 2) => void process.stdout.write(`${safeJson(value, indent)}\n`);

/**
 * Says so when what is shown is old; it counts in the exit status.
 * @param {Snapshot['source']} source
 */
function freshness(source) {
  const stale = staleText(source);
  if (stale !== null) warn(stale);
  return stale === null ? exit.done : exit.away;
}

/** @param {Readonly<Record<string, string | undefined>>} query */
const queryOf = (query) => {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  return given.length === 0 ? '' : `?${new URLSearchParams(/** @type {[string, string][]} */ (given))}`;
};

/**
 * @param {Asked} asked
 * @param {Ways} ways
 */
async function list({ options: { prefix, kind, source: from, json } }, { api, paint }) {
  const snapshot = await api.call(`/api/v1/snapshot${queryOf({ prefix, kind, source: from })}`);
  const status = freshness(snapshot.source);
  const lines = listLines(snapshot, kind, paint);
  if (json) sayJson(snapshot);
  else for (const line of lines) say(line);
  if (!json && lines.length === 0 && wasRead(snapshot.source)) say('Nothing in view.');
  return status;
}

/**
 * @param {Asked} asked
 * @param {Ways} ways
 */
async function findings({ options: { prefix, severity, source: from, json } }, { api, paint }) {
  const answer = await api.call(`/api/v1/findings${queryOf({ prefix, severity, source: from })}`);
  const status = freshness(answer.source);
  if (json) sayJson(answer);
  // Where nothing was ever read, nobody knows whether there are any.
  else if (answer.findings.length === 0 && wasRead(answer.source)) say('No findings.');
  else for (const line of findingLines(answer.findings, paint)) say(line);
  return status;
}

/**
 * A subject as the API names it.
 * @param {string} kind
 * @param {string} name
 * @param {string} [source]
 */
const idOf = (kind, name, source = firstSource) =>
  `${source === firstSource ? '' : `${source}!`}${kind}:${name}`;

/**
 * @param {Asked} asked
 * @param {Ways} ways
 */
async function show({ names: [name = ''], options: { kind, source: from, json } }, { api, paint }) {
  /** @type {Snapshot} */
  const { source, locks, semaphores, sessions, renewals } = await api.call(
    `/api/v1/snapshot${queryOf({ source: from })}`,
  );
  /** @param {string} other */
  const wanted = (other) => kind === undefined || kind === other;
  const named = [
    ...(wanted('lock') ? locks.filter(({ key }) => key === name) : []),
    ...(wanted('semaphore') ? semaphores.filter(({ prefix }) => prefix === name) : []),
  ];
  const exact = sessions.filter(({ id }) => id === name);
  const begun = name.length < 4 ? [] : sessions.filter(({ id }) => id.startsWith(name.toLowerCase()));
  const asSession = named.length > 0 || !wanted('session') ? [] : exact.length > 0 ? exact : begun;
  if (asSession.length > 1)
    throw notUnderstood(
      exact.length > 1
        ? `Several sources have the session ${shown(name)}. Add --source.`
        : `${asSession.length} sessions begin with ${shown(name)}. Give more of the id.`,
    );
  const status = freshness(source);
  const subjects = [
    ...named.map((of) =>
      of.kind === 'lock'
        ? { of, subject: idOf('lock', of.key, of.source), lines: lockLines(of, renewals) }
        : { of, subject: idOf('semaphore', of.prefix, of.source), lines: semaphoreLines(of, renewals) },
    ),
    ...asSession.map((of) => ({ of, subject: idOf('session', of.id, of.source), lines: sessionLines(of) })),
  ];
  if (subjects.length === 0) {
    if (status !== exit.done) return status;
    throw new Failure({ code: 'not-found', detail: `Nothing in view is called ${shown(name)}.` });
  }
  const all = [];
  for (const { of, subject, lines } of subjects) {
    const { findings: about } = await api.call(`/api/v1/findings${queryOf({ subject })}`);
    all.push({ ...of, findings: about });
    if (json) continue;
    for (const line of lines) say(line);
    for (const line of findingLines(about, paint)) say(`  ${line}`);
  }
  if (json) sayJson({ source, found: all });
  return status;
}

/**
 * @param {Asked} asked
 * @param {Ways} ways
 */
async function follow({ options }, ways) {
  const stop = new AbortController();
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
    process.once(signal, () => stop.abort());
  return watch(options, ways, AbortSignal.any([stop.signal, left.signal]));
}

/** @type {Readonly<Record<string, (asked: Asked, ways: Ways) => Promise<number>>>} */
const reading = {
  list,
  show,
  findings,
  history,
  watch: follow,
};

/** @param {Failure} failure */
function report({ problem, message, status }, json = false) {
  if (json) sayJson({ problem });
  warn(status === exit.usage ? message : problemText(problem));
  for (const { text } of problem.difference ?? []) warn(`  ${text}`);
}

/** @returns {Promise<number>} */
async function main() {
  const asked = readArguments(process.argv.slice(2));
  if (asked === 'help') return say(usage) ?? exit.done;
  if (asked === 'version') {
    const manifest = readFileSync(new URL('./package.json', import.meta.url), 'utf8');
    return say(JSON.parse(manifest).version) ?? exit.done;
  }
  if ('wrong' in asked) {
    warn(asked.wrong);
    warn('See signalbox --help.');
    return exit.usage;
  }
  try {
    const where = settings(process.env);
    if (inTheClear(where)) warn(`The token goes to ${where.base.origin} without TLS.`);
    const paint = painter(process.stdout, process.env);
    const ways = { api: createApi(where), say, warn, sayJson, paint };
    return await (reading[asked.command] ?? act)(asked, ways);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    report(error, asked.options.json);
    return error.status;
  }
}

for (const stream of [process.stdout, process.stderr])
  stream.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
    if (error.code !== 'EPIPE') throw error;
    left.abort();
  });

process.exitCode = await main();
