/** Signalbox as it is built, on one port and one folder of data for as long as a test takes, however often it dies. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withoutConsul } from '@/scripts/agent.mjs';
import { startConsole, urlOf, whenAnswering } from '@/scripts/console.mjs';
import { createCrew } from '@/scripts/crew.mjs';
import { signalGroup } from '@/scripts/leash.mjs';
import { claimPorts } from '@/scripts/ports.mjs';

export interface Server {
  /** Without a slash at the end. Stays the same through every start. */
  readonly baseUrl: string;
  /** Its folder of data. */
  readonly data: string;
  /** Of the process that runs now. */
  readonly pid: number;
  /** The output, over all starts; the last two million characters. */
  log(): string;
  /** SIGSTOP: connections stay open and nothing answers. */
  pause(): void;
  resume(): void;
  /** SIGTERM; resolves when it is gone. */
  terminate(): Promise<void>;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  /** Starts it again after `kill` or `terminate`; resolves when the page answers. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

const host = '127.0.0.1';
const logLengthMax = 2_000_000;

/** Starts the build in `.next`; resolves when the page answers. */
export async function startServer({
  consulAddress,
  env = {},
  port: again,
  folder,
}: {
  /** `host:port`, of an agent or of a fault proxy in front of one. */
  consulAddress: string;
  /** Over the usual. */
  env?: Readonly<Record<string, string>>;
  /** Of a stopped server: this one takes its place. */
  port?: number;
  /** Of another build than the project's. */
  folder?: string;
}): Promise<Server> {
  const block = again === undefined ? await claimPorts(1) : null;
  const port = again ?? block?.ports[0] ?? 0;
  const data = mkdtempSync(join(tmpdir(), 'signalbox-data-'));
  const crew = createCrew({ graceMs: 4_000 });
  const baseUrl = urlOf({ host, port });
  let text = '';
  let running: ReturnType<typeof startConsole> | null = null;
  let gone: Promise<unknown> = Promise.resolve();

  const start = async () => {
    running = startConsole({
      crew,
      mode: 'start',
      host,
      port,
      ...(folder === undefined ? {} : { folder }),
      env: {
        ...withoutConsul(process.env),
        CONSUL_HTTP_ADDR: consulAddress,
        SIGNALBOX_HOST: host,
        SIGNALBOX_DATA: data,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const child = running;
    gone = new Promise((resolve) => child.once('exit', resolve));
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (part: string) => {
        text = (text + part).slice(-logLengthMax);
      });
    await whenAnswering({ url: baseUrl, server: child, timeoutMs: 60_000 });
  };
  const signal = async (name: NodeJS.Signals) => {
    signalGroup(running?.pid, name);
    await gone;
  };
  const stop = async () => {
    signalGroup(running?.pid, 'SIGCONT');
    await crew.end();
    block?.release();
    rmSync(data, { recursive: true, force: true });
  };
  try {
    await start();
  } catch (cause) {
    await stop();
    throw new Error(`The console did not start:\n${text}`, { cause });
  }
  return {
    baseUrl,
    data,
    get pid() {
      return running?.pid ?? 0;
    },
    log: () => text,
    pause: () => void signalGroup(running?.pid, 'SIGSTOP'),
    resume: () => void signalGroup(running?.pid, 'SIGCONT'),
    terminate: () => signal('SIGTERM'),
    kill: () => signal('SIGKILL'),
    start,
    stop,
  };
}
