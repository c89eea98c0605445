/** The alternative at a hub for each command that only works on this machine. */
const instead: Readonly<Record<string, string>> = {
  spec: 'Write the spec here without --hub, then hand it in: drydock run <file> --hub <url>. Or write it on the page Start of the hub.',
  verify: 'The hub verifies what it builds. To verify a branch that you have fetched, leave --hub out.',
  scout: 'Leave --hub out: it reads the commit that you have here.',
  review: 'Comment on the page Changes of the run, on the dashboard of the hub.',
  acceptance: 'Use the page of the story on the dashboard of the hub, or its API.',
  land: 'Use the page of the run on the dashboard of the hub. Or merge or push the branch that you have fetched, with git.',
  restore: 'Give the command on the machine of the hub, in its repository.',
}

/** The advice for a command that was given `--hub` but does not take it. */
export function insteadOfHub(command: string): string {
  return `It works on this machine, and at no hub. ${instead[command] ?? 'Leave --hub out.'}`
}
