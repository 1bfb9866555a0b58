// Loaded into a measured server. On SIGUSR2 it collects garbage and idle compiled code, and writes down the memory that
// is left.
const { writeFileSync, renameSync } = require('node:fs');
const { setFlagsFromString, writeHeapSnapshot } = require('node:v8');
const { runInNewContext } = require('node:vm');

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const folder = process.env.SIGNALBOX_BENCH_WEIGH;
let times = 0;
if (folder !== undefined) {
  writeFileSync(`${folder}/${process.pid}`, '');
  process.on('SIGUSR2', () => {
    // V8 drops compiled code that was idle for five of its collections, at a random time, and close to a megabyte.
    setFlagsFromString('--bytecode-old-age=0');
    collect();
    collect();
    setFlagsFromString('--bytecode-old-age=5');
    times += 1;
    writeFileSync(`${folder}/${process.pid}.part`, JSON.stringify({ times, ...process.memoryUsage() }));
    renameSync(`${folder}/${process.pid}.part`, `${folder}/${process.pid}`);
    if (process.env.SIGNALBOX_BENCH_HEAP)
      writeHeapSnapshot(`${process.env.SIGNALBOX_BENCH_HEAP}-${process.pid}-${times}.heapsnapshot`);
  });
}
