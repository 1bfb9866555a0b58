/** The command line of `npm start`, `npm run dev` and `npm run build`. */

export const usage = `npm start [-- options]      the console, built
npm run dev [-- options]    the console with hot reload
npm run build               what npm start runs, built and not started

  --demo      run the demo world on the Consul in use (default: on the embedded one only), with a Redis and a
              ZooKeeper beside it where npm test has brought them and SIGNALBOX_SOURCES names none
  --no-demo   never run it

PORT and HOST say where to listen (default 127.0.0.1, from port 3000 on). CONSUL_HTTP_ADDR, CONSUL_HTTP_TOKEN and
Consul's other variables say which Consul to use, as for the consul command. Without them an agent on
127.0.0.1:8500 is used, and without that one Signalbox starts its own and keeps its data in .signalbox/.`;

/**
 * @param {string[]} args
 * @returns {{ mode: 'start' | 'dev' | 'build', demo: boolean | null } | null} null when they are not understood
 */
export function options(args) {
  const known = new Set(['--dev', '--build', '--demo', '--no-demo']);
  const excluding = args.includes('--build')
    ? args.length > 1
    : args.includes('--demo') && args.includes('--no-demo');
  if (args.some((arg) => !known.has(arg)) || excluding) return null;
  return {
    mode: args.includes('--build') ? 'build' : args.includes('--dev') ? 'dev' : 'start',
    demo: args.includes('--demo') ? true : args.includes('--no-demo') ? false : null,
  };
}
