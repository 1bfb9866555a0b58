/**
 * Firefox by Marionette, its own remote protocol. Playwright drives only a Firefox of its own, which many machines cannot
 * fetch. https://firefox-source-docs.mozilla.org/testing/marionette/Protocol.html
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@/test/support/until';

export interface Firefox {
  goTo(url: string): Promise<void>;
  /** The size of the page, in CSS pixels; smaller than any window of Firefox, too. */
  resize(width: number, height: number): Promise<void>;
  /** The answer of a function body that runs in the page. */
  evaluate<T>(body: string): Promise<T>;
  /** A key as WebDriver names it, pressed where the focus is. */
  press(key: string): Promise<void>;
  close(): Promise<void>;
}

/** Escape, as WebDriver writes it. */
export const escapeKey = '\ue00c';

type Send = (command: string, parameters?: object) => Promise<{ value: unknown }>;

/** AllMessages are `length:json`; an answer is `[1, id, error, result]`. */
function talk(socket: Socket): Send {
  const waiting = new Map<number, (error: unknown, result: unknown) => void>();
  let bytes = Buffer.alloc(0);
  let last = 0;
  socket.on('data', (part) => {
    bytes = Buffer.concat([bytes, part]);
    for (let colon = bytes.indexOf(':'); colon > 0; colon = bytes.indexOf(':')) {
      const end = colon + 1 + Number(bytes.subarray(0, colon));
      if (bytes.length < end) return;
      const message: unknown = JSON.parse(bytes.subarray(colon + 1, end).toString());
      bytes = bytes.subarray(end);
      if (!Array.isArray(message)) continue;
      waiting.get(message[1])?.(message[2], message[3]);
      waiting.delete(message[1]);
    }
  });
  return (command, parameters = {}) =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, (error, result) => {
        if (error === null) resolve(result as { value: unknown });
        else reject(new Error(`${command}: ${JSON.stringify(error).slice(0, 500)}`));
      });
      const text = JSON.stringify([0, last, command, parameters]);
      socket.write(`${Buffer.byteLength(text)}:${text}`);
    });
}

const settings = {
  // Any free port; Firefox writes which one.
  'marionette.port': 0,
  'app.update.enabled': false,
  'browser.aboutwelcome.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'datareporting.policy.dataSubmissionEnabled': false,
};

const sizePage = (width: number, height: number) =>
  `const { style } = gBrowser.selectedBrowser;
   for (const bound of ['min', 'max']) {
     style.setProperty(bound + '-width', '${width}px');
     style.setProperty(bound + '-height', '${height}px');
   }`;

/** Starts one without a window and with a profile of its own. */
export async function startFirefox(path: string): Promise<Firefox> {
  const profile = mkdtempSync(join(tmpdir(), 'signalbox-firefox-'));
  writeFileSync(
    join(profile, 'user.js'),
    Object.entries(settings)
      .map(([name, value]) => `user_pref("${name}", ${value});\n`)
      .join(''),
  );
  const args = ['--marionette', '--headless', '--no-remote', '-remote-allow-system-access'];
  const child = spawn(path, [...args, '--profile', profile, 'about:blank'], {
    env: { ...process.env, HOME: profile },
    stdio: 'ignore',
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const end = async () => {
    child.kill();
    await exited;
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const port = () => {
      try {
        return Number(readFileSync(join(profile, 'MarionetteActivePort'), 'utf8'));
      } catch {
        return 0;
      }
    };
    await until(() => port() > 0, { what: 'Firefox to listen', timeoutMs: 30_000 });
    const socket = connect(port(), '127.0.0.1');
    const send = talk(socket);
    await send('WebDriver:NewSession', { capabilities: {} });
    return {
      goTo: async (url) => void (await send('WebDriver:Navigate', { url })),
      resize: async (width, height) => {
        await send('Marionette:SetContext', { value: 'chrome' });
        await send('WebDriver:ExecuteScript', { script: sizePage(width, height), args: [] });
        await send('Marionette:SetContext', { value: 'content' });
      },
      evaluate: async <T>(body: string) =>
        (await send('WebDriver:ExecuteScript', { script: body, args: [] })).value as T,
      press: async (key) => {
        const actions = ['keyDown', 'keyUp'].map((type) => ({ type, value: key }));
        await send('WebDriver:PerformActions', { actions: [{ type: 'key', id: 'keys', actions }] });
      },
      close: async () => {
        socket.destroy();
        await end();
      },
    };
  } catch (error) {
    await end();
    throw error;
  }
}
