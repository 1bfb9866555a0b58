/** A ZooKeeper for the tests, from the jars of `scripts/java/curator`: one server, or one of an ensemble. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findJava, jvmFlags } from './java.mjs';
import { endGroup, guard, leash, signalGroup } from './leash.mjs';

/**
 * @typedef {object} ZooKeeperPorts
 * @property {number} client
 * @property {number} admin
 * @property {number} quorum
 * @property {number} election
 * @property {number} secure for `secureClientPort`, which nothing sets by default
 */

/**
 * @typedef {object} ZooKeeperServer
 * @property {ZooKeeperPorts} ports
 * @property {string} address `127.0.0.1:<client port>`
 * @property {string | null} admin `http://127.0.0.1:<port>` of its AdminServer; `null` where that is off
 * @property {string} data the folder of its snapshots and its transaction log
 * @property {() => string} log what it has printed so far
 * @property {(word: string) => Promise<string>} ask one of the four-letter words, all of which are allowed
 * @property {() => Promise<string | null>} mode `standalone`, `leader` or `follower`; `null` while it serves no client
 * @property {() => void} pause SIGSTOP: connections stay open and nothing answers
 * @property {() => void} resume
 * @property {() => Promise<void>} kill SIGKILL; resolves when it is gone
 * @property {() => Promise<void>} start starts it again after `kill`, on its data; resolves once it answers, also one that serves
 *   no client yet, because it is alone of its ensemble
 * @property {() => Promise<void>} stop ends it and removes its data
 */

/** ZooKeeper's tick, the unit of session time-outs, in milliseconds. */
export const tickMs = 500;

/**
 * The answer of a server to one of the four-letter words.
 * @param {number} port
 * @param {string} word
 * @returns {Promise<string>}
 */
export function fourLetters(port, word) {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(word));
    socket.setEncoding('utf8');
    socket.setTimeout(5_000, () => socket.destroy(new Error('ZooKeeper did not answer in time')));
    socket.on('data', (part) => {
      text += part;
    });
    socket.once('error', reject);
    socket.once('close', () => resolve(text));
  });
}

/**
 * Starts a server on loopback, with its data in a folder of its own. Resolves once it answers.
 * @param {{ ports: ZooKeeperPorts, admin?: boolean, settings?: Record<string, string>, system?: Record<string, string>, member?:
 *   { id: number, lines: string[] } | null }} options `settings`: of its `zoo.cfg`, over the usual; `system`: Java's system
 *   properties; `member`: its number in the ensemble, and the `server.N=` lines
 * @returns {Promise<ZooKeeperServer>}
 */
export async function startZooKeeper({ ports, admin = false, settings = {}, system = {}, member = null }) {
  const { java, classpath } = await findJava('curator');
  const dir = mkdtempSync(join(tmpdir(), 'signalbox-zookeeper-'));
  const data = join(dir, 'data');
  mkdirSync(data);
  if (member !== null) writeFileSync(join(data, 'myid'), `${member.id}\n`);
  const all = {
    tickTime: String(tickMs),
    initLimit: '20',
    syncLimit: '10',
    dataDir: data,
    clientPort: String(ports.client),
    clientPortAddress: '127.0.0.1',
    maxClientCnxns: '0',
    minSessionTimeout: '1000',
    maxSessionTimeout: '60000',
    'admin.enableServer': String(admin),
    'admin.serverAddress': '127.0.0.1',
    'admin.serverPort': String(ports.admin),
    '4lw.commands.whitelist': '*',
    ...settings,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}=${value}`);
  writeFileSync(join(dir, 'zoo.cfg'), [...lines, ...(member?.lines ?? []), ''].join('\n'));
  const properties = {
    // A test's data need not survive the machine, and the default log file has 64 MB.
    'zookeeper.forceSync': 'no',
    'zookeeper.preAllocSize': '256',
    'java.net.preferIPv4Stack': 'true',
    ...system,
  };
  let log = '';
  /** @type {import('node:child_process').ChildProcess | null} */
  let child = null;
  const ask = (/** @type {string} */ word) => fourLetters(ports.client, word);
  const stop = async () => {
    if (child !== null) await endGroup(child, { graceMs: 0 });
    rmSync(dir, { recursive: true, force: true });
  };
  const start = async () => {
    guard();
    const started = leash(
      spawn(
        java,
        [
          ...jvmFlags,
          ...Object.entries(properties).map(([name, value]) => `-D${name}=${value}`),
          ...['-cp', classpath, 'org.apache.zookeeper.server.quorum.QuorumPeerMain', join(dir, 'zoo.cfg')],
        ],
        { cwd: dir, detached: true, stdio: ['ignore', 'pipe', 'pipe'] },
      ),
    );
    child = started;
    for (const stream of [started.stdout, started.stderr])
      stream?.setEncoding('utf8').on('data', (part) => {
        log += part;
      });
    const endMs = Date.now() + 60_000;
    while ((await ask('srvr').catch(() => '')) === '') {
      if (started.exitCode !== null || started.signalCode !== null || Date.now() > endMs) {
        await stop();
        throw new Error(`ZooKeeper did not start:\n${log}`);
      }
      await new Promise((done) => setTimeout(done, 25));
    }
  };
  await start();
  return {
    ports,
    address: `127.0.0.1:${ports.client}`,
    admin: admin ? `http://127.0.0.1:${ports.admin}` : null,
    data: join(data, 'version-2'),
    log: () => log,
    ask,
    mode: async () => /^Mode: (\S+)/m.exec(await ask('srvr').catch(() => ''))?.[1] ?? null,
    pause: () => void signalGroup(child?.pid, 'SIGSTOP'),
    resume: () => void signalGroup(child?.pid, 'SIGCONT'),
    kill: async () => {
      signalGroup(child?.pid, 'SIGKILL');
      if (child !== null) await endGroup(child, { graceMs: 0 });
    },
    start,
    stop,
  };
}
