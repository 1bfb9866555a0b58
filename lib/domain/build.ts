/** Which build this code is of; empty outside of one. A page that was opened before the server became another one finds out by it. */
export const build: string = process.env.SIGNALBOX_BUILD_ID ?? '';

/** What hears each ping, and tells when the server has become another build than this code is of: once for each in a row. */
export function otherBuilds(tell: (name: string) => void): (ping: string) => void {
  let heardOf = build;
  return (ping) => {
    const name = /^\{"build":"([\w-]+)"[,}]/.exec(ping)?.[1];
    if (name === undefined || name === heardOf) return;
    heardOf = name;
    if (name !== build) tell(name);
  };
}
