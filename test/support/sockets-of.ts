/** Whose request the sockets belong to that are opened meanwhile. */
import { AsyncLocalStorage, createHook } from 'node:async_hooks';

/** Runs `call` within something like a request; what each socket that it opens will keep: `''` for nothing. */
export async function socketsOf(call: () => Promise<unknown>): Promise<string[]> {
  const request = new AsyncLocalStorage<string>();
  const opened: string[] = [];
  const hook = createHook({
    init: (_id, type) => {
      if (type === 'TCPWRAP' || type === 'PIPEWRAP') opened.push(request.getStore() ?? '');
    },
  }).enable();
  try {
    await request.run('a request', call);
  } finally {
    hook.disable();
  }
  return opened;
}
