/** Empty outside a build. An open page compares it to notice an upgrade of the server. */
export const build: string = process.env.SIGNALBOX_BUILD_ID ?? '';

/** Hears each ping and reports another build than this code's, once for each in a row. */
export function otherBuilds(onOther: (name: string) => void): (ping: string) => void {
  let lastBuild = build;
  return (ping) => {
    const name = /^\{"build":"([\w-]+)"[,}]/.exec(ping)?.[1];
    if (name === undefined || name === lastBuild) return;
    lastBuild = name;
    if (name !== build) onOther(name);
  };
}
