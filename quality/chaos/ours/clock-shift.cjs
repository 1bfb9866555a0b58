/**
 * Loaded into the server beside Next (`NODE_OPTIONS=--require`). Shifts its wall clock by the milliseconds in the file
 * of `SIGNALBOX_CLOCK`, from each change of the file, as if the machine's clock were set. Elapsed time
 * (`performance.now`, timers) continues, as it does then. No part of the product.
 */
const { readFileSync } = require('node:fs');

const path = process.env.SIGNALBOX_CLOCK;
if (path !== undefined) {
  const Real = Date;
  const realNow = Date.now;
  let shiftMs = 0;
  const look = () => {
    try {
      shiftMs = Number(readFileSync(path, 'utf8')) || 0;
    } catch {
      // The file is missing, or half written.
    }
  };
  const now = () => realNow() + shiftMs;
  Real.now = now;
  globalThis.Date = new Proxy(Real, {
    construct: (target, args, made) => Reflect.construct(target, args.length === 0 ? [now()] : args, made),
    apply: () => new Real(now()).toString(),
  });
  look();
  setInterval(look, 100).unref();
}
