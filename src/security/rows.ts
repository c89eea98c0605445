interface Row {
  /** What is attacked, and how. */
  readonly attack: string
  /** What stops it. */
  readonly stops: string
}

/**
 * The rows of docs/security.md, which is made from them, by the names that attacks have them by.
 */
export const rows = {
  reads: {
    attack:
      'A link, a hard link, `..`, a pipe or a device in what a read tool is asked for; a link from one workspace into another',
    stops:
      'Reads happen inside the sandbox, below the named workspace; what was opened must lie there; only the workspace in question can be reached. Commits are read by git in that sandbox; where its image has none, by git on the host, objects only.',
  },
  shell: {
    attack: 'Shell or option injection through a pattern, a path or a revision',
    stops:
      "Programs are given lists of arguments. No text is given to a shell but that of `run_command` and of the configuration's own commands, in sandboxes.",
  },
  'host code': {
    attack:
      'Configuration or programs of a repository or of an agent that run on the host: hooks, filters, monitors, `.env`, package scripts, a `git` in a workspace, a state that another user has made or can write to',
    stops:
      "Git on the host never runs with a workspace's configuration; package managers run in sandboxes only; `.env` is never loaded. Programs are started by absolute path, from PATH entries that are absolute and outside of the state. In set-aside folders all that makes a git repository is renamed. A state is used only where nobody but its user and root can write.",
  },
  'key redirect': {
    attack: 'Configuration of a repository that says where keys are sent, or what may be spent',
    stops:
      "Endpoints, keys, MCP servers, hooks and the sandbox come from the user's own file only. A repository can lower a budget, never raise it.",
  },
  sandbox: {
    attack:
      'Escape from the sandbox: files, environments, processes, devices and sockets of the host, namespaces, mounts, the keyring of the user, private keys of the machine',
    stops:
      'Namespaces, no capability, an empty environment, a fixed and read-only list of mounts, of `/etc` only what programs need. A filter denies system calls for keys, tracing, io_uring and descriptors of others, and sockets other than UNIX, IPv4, IPv6 and netlink; docker keeps its own filter. Without a sandbox nothing runs.',
  },
  network: {
    attack: 'Data sent out through the network',
    stops:
      'Agents and verification steps have none. A `prepare` step reaches the hosts it names, through a proxy that refuses all others and private addresses.',
  },
  gate: {
    attack:
      'An agent changes the gate that judges it: verification commands, scripts, configuration, settings of git, the tests themselves',
    stops:
      'Commands and configuration come from the base commit, never from the change or from a commit that stands for it. What a change does to tests and to files that decide about the gate is a finding that must be [accepted by name](gate.md#findings).',
  },
  planted: {
    attack: 'Planted build output, dependencies or caches that make tests pass; forged logs',
    stops:
      'The verifier has a clean checkout and dependency layers of its own; what git ignores never reaches it; caches are a private view, kept of the base only.',
  },
  approval: {
    attack: 'Approval of one tree and merge of another',
    stops:
      'An approval names a commit; the merged tree is verified, and the branch moves to exactly that commit, or not at all when it was moved meanwhile.',
  },
  injection: {
    attack:
      'Instructions in files, test output or chat that a model follows, or that look like a human or the verifier',
    stops:
      'What a human says to a conversation carries its key, a random one that only Drydock and its model know; data never comes with it. An agent’s words are told apart in the chat and on a terminal, and in a commit they are no trailers. No tool near a model publishes or merges. A verdict has a schema; what is none of the schema is no verdict, and an open blocker is never approved.',
  },
  dashboard: {
    attack: 'The dashboard reached from another site, name or port, or the network; markup in what it shows',
    stops:
      'Loopback only; links that work once; a session of 12 hours that is in no cookie; a token of minutes for what acts; exact Host and Origin at every route; a strict content security policy; every text is text.',
  },
  keys: {
    attack: 'Keys in processes, state, logs, recordings, receipts, commits, notifications, events',
    stops:
      'Children get an environment of named variables. Keys stay in the process that calls the model, and a redactor is before every write.',
  },
  runaway: {
    attack: 'Output, disk, memory, processes or calls without end',
    stops:
      'Caps on each; a command that leaves too little free space is ended within a second; whole process trees are killed; a lane that repeats itself is stopped. `drydock doctor` says which caps this machine can hold.',
  },
  lease: {
    attack: 'A worker that goes on with work it no longer owns',
    stops: 'One owner of a state at a time; every write is fenced by the version that was read.',
  },
} as const satisfies Readonly<Record<string, Row>>

export type RowName = keyof typeof rows
