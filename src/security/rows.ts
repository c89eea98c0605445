interface Row {
  /** The attack in words. */
  readonly attack: string
  /** The defence. */
  readonly stops: string
}

/** The rows of docs/security.md, which is generated from them, by the names that attacks use. */
export const rows = {
  reads: {
    attack:
      'A link, a hard link, `..`, a pipe or a device in what a read tool is asked for; a link from one workspace into another',
    stops:
      'Reads happen inside the sandbox, and an opened file must lie below the named workspace. If the image has no git, git on the host reads objects only.',
  },
  shell: {
    attack: 'Shell or option injection through a pattern, a path or a revision',
    stops:
      "Programs get lists of arguments. A shell only gets `run_command` and the configuration's own commands, in a sandbox.",
  },
  'host code': {
    attack:
      'Configuration or programs of a repository or of an agent that run on the host: hooks, filters, monitors, `.env`, package scripts, a `git` in a workspace, a state that another user has made or can write to',
    stops:
      "Git on the host never runs with a workspace's configuration; package managers run in sandboxes only; `.env` is never loaded. Programs are started by absolute path. A state is used only if nobody but its user and root can write there.",
  },
  'key redirect': {
    attack: 'Configuration of a repository that says where keys are sent, or what may be spent',
    stops:
      "Endpoints, keys, MCP servers, hooks and the sandbox come from the user's own file only. A repository can lower a budget, never raise it.",
  },
  sandbox: {
    attack:
      'Escape from the sandbox: files, environments, processes, devices, sockets, keys and keyring of the host, namespaces, mounts',
    stops:
      'Namespaces, no capability, an empty environment, a fixed list of mounts. A filter denies system calls for keys, tracing, io_uring and descriptors of other processes, and other sockets than UNIX, IPv4, IPv6 and netlink; docker keeps its own filter. Without a sandbox nothing runs.',
  },
  network: {
    attack: 'Data sent out through the network',
    stops:
      'Agents and verification steps have no network. A `prepare` step reaches the hosts that it names, through a proxy that refuses all other hosts and private addresses.',
  },
  gate: {
    attack:
      'An agent changes the gate that judges it: verification commands, scripts, configuration, settings of git, the tests themselves',
    stops:
      'Commands and configuration come from the base commit. A change that weakens tests, changes files that decide about the gate, or reads as something else than it is, gets a finding that must be [accepted by name](gate.md#findings).',
  },
  planted: {
    attack: 'Planted build output, dependencies or caches that make tests pass; forged logs',
    stops:
      'The verifier has its own clean checkout, dependency layers and private view of the caches, which only passing runs on a base commit fill. Files that git ignores never reach it. Machines share only layers of commits that a run began with.',
  },
  approval: {
    attack: 'Approval of one tree and merge of another',
    stops:
      'An approval names a commit. The merged tree is verified, and the branch moves to exactly the verified commit, or not at all.',
  },
  injection: {
    attack:
      'Instructions in files, test output or chat that a model follows, or that look like a human or the verifier',
    stops:
      'A human’s words carry a random key of the conversation; data never carries it. The chat and the terminal mark an agent’s words, and in a commit they cannot become trailers. No tool of a model publishes or merges. A reply outside of its schema is not a verdict. An open blocker is never approved.',
  },
  dashboard: {
    attack: 'The dashboard reached from another site, name or port, or the network; markup in what it shows',
    stops:
      'Loopback only; links that work once; a session of 12 hours without a cookie; a token of 5 minutes for requests that act; exact Host and Origin; a strict content security policy; text is never markup.',
  },
  keys: {
    attack: 'Keys in processes, state, logs, recordings, receipts, commits, notifications, events',
    stops:
      'Child processes get named variables only. Keys stay in the process that calls the model, and a redactor precedes every write.',
  },
  runaway: {
    attack: 'Output, disk, memory, processes or calls without end',
    stops:
      'Each has a limit; `drydock doctor` says which this machine can enforce. A command that leaves too little free space is ended within a second. Whole process trees are killed. A lane that repeats itself is stopped.',
  },
  lease: {
    attack: 'A worker that continues work it no longer owns',
    stops: 'A state has one owner at a time, and every write is fenced by the version that was read.',
  },
} as const satisfies Readonly<Record<string, Row>>

export type RowName = keyof typeof rows
