/** The command line, and its faults. Plain Node, as all of this folder. */
import { parseArgs } from 'node:util';

export const usage = `signalbox <command> [options]

  list                        locks and semaphores in view
  show <name>                 one lock, semaphore or session, with its holders and findings
  findings                    what needs attention
  history <name>              who held a lock or semaphore, or all whose name begins so, and how it ended
  watch                       changes as they happen; Ctrl-C stops
  release <key>               end the session that holds a lock      [--hand-over: keep the session; --holder: of several]
  evict <prefix> <session>    take a holder out of a semaphore       [--slot-only: keep the session]
  prune <prefix>…             free the slots of holders that are gone
  resize <prefix> <limit>     set another limit for a semaphore
  remove-waiter <name> <id>   take a client out of the queue of a lock or semaphore
  ask <key> [id]              ask the holder of a lock to let go by itself
  wake <key>                  wake clients that sleep beside a free lock
  return <prefix> <permits>   give back permits that dead clients took with them
  destroy <session>           end a session and free all that it holds
  delete-lock <key>           remove a lock without a holder
  delete-semaphore <prefix>   remove a semaphore without holders or waiters
  apply <file>                apply a plan that was saved with --json ('-': standard input)

Without --yes a command prints its plan and writes nothing. The beginning of a session id is enough.

  --yes             carry out the plan
  --reason <text>   why; every action but prune and wake needs one
  --confirm <name>  what the plan asks for: a holder that may be at work; for return the semaphore
  --prefix <text>   list, findings, watch: only names that begin with it
  --kind <kind>     list, show: lock, semaphore or session; history: lock or semaphore
  --since <span>    history: how far back, as 30m, 24h (without it) or 7d; 31d at most
  --source <id>     of this source; an action without it is on consul, or on the only one where none has that id
  --severity <s>    findings: urgent, warning, notice (several with commas)
  --json            for programs
  --help, --version

SIGNALBOX_ADDR is the console's address (default http://127.0.0.1:3000). A Consul token comes from SIGNALBOX_TOKEN,
SIGNALBOX_TOKEN_FILE, CONSUL_HTTP_TOKEN or CONSUL_HTTP_TOKEN_FILE; never from the command line, which others can read.

Exit status: 0 done, 1 refused or a problem, 2 not understood, 3 changed since the plan, 4 outcome unknown,
5 the console or Consul is unreachable, or the data is stale.`;

const options = /** @type {const} */ ({
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
  json: { type: 'boolean' },
  yes: { type: 'boolean' },
  reason: { type: 'string' },
  confirm: { type: 'string' },
  prefix: { type: 'string' },
  kind: { type: 'string' },
  source: { type: 'string' },
  severity: { type: 'string' },
  since: { type: 'string' },
  'hand-over': { type: 'boolean' },
  'slot-only': { type: 'boolean' },
  holder: { type: 'string' },
});

/**
 * How many names each command takes, and which options.
 * @type {Readonly<Record<string, { names: readonly [min: number, max: number], options: readonly string[] }>>}
 */
const commands = {
  list: { names: [0, 0], options: ['prefix', 'kind', 'source'] },
  show: { names: [1, 1], options: ['kind', 'source'] },
  findings: { names: [0, 0], options: ['prefix', 'severity', 'source'] },
  history: { names: [1, 1], options: ['since', 'kind', 'source'] },
  watch: { names: [0, 0], options: ['prefix', 'source'] },
  release: { names: [1, 1], options: ['yes', 'reason', 'confirm', 'hand-over', 'holder', 'source'] },
  evict: { names: [2, 2], options: ['yes', 'reason', 'confirm', 'slot-only', 'source'] },
  prune: { names: [1, 500], options: ['yes', 'reason', 'source'] },
  resize: { names: [2, 2], options: ['yes', 'reason', 'source'] },
  'remove-waiter': { names: [2, 2], options: ['yes', 'reason', 'confirm', 'kind', 'source'] },
  ask: { names: [1, 2], options: ['yes', 'reason', 'confirm', 'source'] },
  wake: { names: [1, 1], options: ['yes', 'reason', 'source'] },
  return: { names: [2, 2], options: ['yes', 'reason', 'confirm', 'source'] },
  destroy: { names: [1, 1], options: ['yes', 'reason', 'confirm', 'source'] },
  'delete-lock': { names: [1, 1], options: ['yes', 'reason', 'source'] },
  'delete-semaphore': { names: [1, 1], options: ['yes', 'reason', 'source'] },
  apply: { names: [1, 1], options: ['yes', 'reason', 'confirm'] },
};

/**
 * @typedef {{
 *   json?: boolean, yes?: boolean, reason?: string, confirm?: string, prefix?: string, kind?: string, severity?: string, source?: string, since?: string,
 *   'hand-over'?: boolean, 'slot-only'?: boolean, holder?: string,
 * }} Options
 * @typedef {{ command: string, names: string[], options: Options }} Asked
 */

/**
 * @param {string[]} args
 * @returns {Asked | 'help' | 'version' | { wrong: string }}
 */
export function readArguments(args) {
  /** @type {ReturnType<typeof parse>} */
  let parsed;
  try {
    parsed = parse(args);
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : String(error) };
  }
  const { help, version, ...given } = parsed.values;
  if (help) return 'help';
  if (version) return 'version';
  const [command = '', ...names] = parsed.positionals;
  if (command === 'help') return 'help';
  const known = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (known === undefined)
    return { wrong: command === '' ? 'No command.' : `There is no command ${command}.` };
  const foreign = Object.keys(given).find((name) => name !== 'json' && !known.options.includes(name));
  if (foreign !== undefined) return { wrong: `${command} does not take --${foreign}.` };
  const [min, max] = known.names;
  if (names.length < min || names.length > max)
    return {
      wrong: `${command} takes ${min === max ? min : `at least ${min}`} name${max === 1 ? '' : 's'}.`,
    };
  if (names.some((name) => name === '')) return { wrong: 'A name is empty.' };
  if (given.kind !== undefined && !['lock', 'semaphore', 'session'].includes(given.kind))
    return { wrong: '--kind is lock, semaphore or session.' };
  if (given.since !== undefined && !/^[1-9]\d{0,5}[smhd]$/.test(given.since))
    return { wrong: '--since is a span such as 30m, 24h or 7d.' };
  if (['remove-waiter', 'history'].includes(command) && given.kind === 'session')
    return { wrong: '--kind is lock or semaphore.' };
  if (command === 'return' && !/^[1-9]\d{0,5}$/.test(names[1] ?? ''))
    return { wrong: 'The permits are a number from 1 to 100000.' };
  if (command === 'resize' && !/^[1-9]\d{0,5}$/.test(names[1] ?? ''))
    return { wrong: 'The limit is a number from 1 to 100000.' };
  return { command, names, options: given };
}

/** @param {string[]} args */
function parse(args) {
  return parseArgs({ args, options, allowPositionals: true, strict: true });
}
