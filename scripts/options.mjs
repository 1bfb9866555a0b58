/** The command line of `npm start` and `npm run dev`. */

export const usage = `npm start [-- options]      the console, built
npm run dev [-- options]    the console with hot reload

  --demo      run the demo world on the Consul in use (default: on the embedded one only)
  --no-demo   never run it

PORT and HOST say where to listen (default 127.0.0.1, from port 3000 on). CONSUL_HTTP_ADDR, CONSUL_HTTP_TOKEN and
Consul's other variables say which Consul to use, as for the consul command. Without them an agent on
127.0.0.1:8500 is used, and without that one Signalbox starts its own and keeps its data in .signalbox/.`;

/**
 * @param {string[]} args
 * @returns {{ mode: 'start' | 'dev', demo: boolean | null } | null} null when they are not understood
 */
export function options(args) {
  const known = new Set(['--dev', '--demo', '--no-demo']);
  if (args.some((arg) => !known.has(arg)) || (args.includes('--demo') && args.includes('--no-demo')))
    return null;
  return {
    mode: args.includes('--dev') ? 'dev' : 'start',
    demo: args.includes('--demo') ? true : args.includes('--no-demo') ? false : null,
  };
}
