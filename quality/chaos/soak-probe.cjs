/**
 * Loaded into the server beside Next (`NODE_OPTIONS=--require`). At SIGUSR2 it collects garbage, and adds a line of
 * JSON with memory and active resources to the file of `SIGNALBOX_PROBE`. No part of the product.
 */
const { appendFileSync, existsSync, rmSync } = require('node:fs');
const { setFlagsFromString, writeHeapSnapshot } = require('node:v8');
const { runInNewContext } = require('node:vm');

const path = process.env.SIGNALBOX_PROBE;
if (path !== undefined) {
  setFlagsFromString('--expose-gc');
  // Optimised code of V8 is heap, too, and grows with new functions.
  if (process.env.SIGNALBOX_PROBE_UNOPTIMISED === '1') setFlagsFromString('--no-opt');
  const gc = runInNewContext('gc');
  process.on('SIGUSR2', async () => {
    // Two collections, because the second frees the objects that finalisers released.
    for (let n = 0; n < 2; n += 1) {
      gc();
      await new Promise((resolve) => setImmediate(resolve));
    }
    const resources = {};
    for (const name of process.getActiveResourcesInfo()) resources[name] = (resources[name] ?? 0) + 1;
    if (existsSync(`${path}.snapshot`)) {
      rmSync(`${path}.snapshot`);
      writeHeapSnapshot(`${path}.${Date.now()}.heapsnapshot`);
    }
    appendFileSync(path, `${JSON.stringify({ ...process.memoryUsage(), resources })}\n`);
  });
}
