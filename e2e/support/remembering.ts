/** A server of the build that says which requests it still keeps, once its garbage was collected. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inProject } from '@/scripts/project.mjs';
import { startServer } from '@/test/support/server';
import { until } from '@/test/support/until';

interface Said {
  readonly times: number;
  readonly kept: readonly string[];
}

export async function startRemembering(options: Parameters<typeof startServer>[0]) {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-requests-'));
  const server = await startServer({
    ...options,
    env: {
      ...options.env,
      SIGNALBOX_TEST_REQUESTS: folder,
      NODE_OPTIONS: `--require ${inProject('e2e', 'support', 'requests.cjs')}`,
    },
  });
  let times = 0;
  const processes = () => readdirSync(folder).filter((name) => /^\d+$/.test(name));
  return {
    baseUrl: server.baseUrl,
    /** The addresses of the requests that it keeps, sorted. */
    kept: async (): Promise<string[]> => {
      times += 1;
      for (const pid of processes()) process.kill(Number(pid), 'SIGUSR2');
      const all = await until(
        () => {
          const said = processes().map((pid): Said => JSON.parse(readFileSync(join(folder, pid), 'utf8')));
          return said.every((one) => one.times === times) && said;
        },
        { what: 'every process has said what it keeps' },
      );
      return all.flatMap(({ kept }) => kept).sort();
    },
    stop: async () => {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Opens a stream and keeps it; resolves when its first event is there. Call what is returned to leave. */
export function holdStream(url: string, headers: http.OutgoingHttpHeaders = {}): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const asked = http.get(url, { agent: false, headers }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`The stream was refused: ${answer.statusCode}`));
      answer.once('data', () => resolve(() => asked.destroy()));
      answer.on('error', () => {});
      answer.resume();
    });
    asked.on('error', reject);
  });
}
