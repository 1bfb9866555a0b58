// Loaded into a server: on SIGUSR2 it collects its garbage and writes down which requests it still keeps.
const { renameSync, writeFileSync } = require('node:fs');
const http = require('node:http');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const folder = process.env.SIGNALBOX_TEST_REQUESTS;
let times = 0;
if (folder !== undefined) {
  const asked = [];
  const say = (said) => {
    writeFileSync(`${folder}/${process.pid}.part`, JSON.stringify(said));
    renameSync(`${folder}/${process.pid}.part`, `${folder}/${process.pid}`);
  };
  say({ times: 0, asked: 0, kept: [] });
  const { emit } = http.Server.prototype;
  http.Server.prototype.emit = function (event, request, ...rest) {
    if (event === 'request') asked.push({ url: request.url, kept: new WeakRef(request) });
    return emit.call(this, event, request, ...rest);
  };
  process.on('SIGUSR2', async () => {
    // A target of a weak reference that was just read lives until the turn ends.
    for (let turn = 0; turn < 3; turn += 1) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      collect();
    }
    times += 1;
    const kept = asked.filter((one) => one.kept.deref() !== undefined).map(({ url }) => url);
    say({ times, asked: asked.length, kept });
  });
}
