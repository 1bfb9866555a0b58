// Loaded into a server that is measured: on SIGUSR2 it collects its garbage and writes down what is left.
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
    collect();
    collect();
    times += 1;
    writeFileSync(`${folder}/${process.pid}.part`, JSON.stringify({ times, ...process.memoryUsage() }));
    renameSync(`${folder}/${process.pid}.part`, `${folder}/${process.pid}`);
    if (process.env.SIGNALBOX_BENCH_HEAP)
      writeHeapSnapshot(`${process.env.SIGNALBOX_BENCH_HEAP}-${process.pid}-${times}.heapsnapshot`);
  });
}
