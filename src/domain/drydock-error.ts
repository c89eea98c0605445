/**
 * Every error that a person may see: its code, and the exit code of the CLI (docs/commands.md lists
 * them: 2 usage or configuration, 3 an unwanted result, 4 infrastructure). docs/errors.md lists
 * exactly these.
 */
export const errorCatalogue = {
  not_a_repository: { exit: 2, what: 'The folder is not inside a git repository.' },
  no_commits: { exit: 2, what: 'The repository has no commits yet.' },
  unknown_revision: { exit: 2, what: 'The named branch or commit does not exist.' },
  shallow_history: {
    exit: 2,
    what: 'The repository is a shallow clone, so the commits of a change are not all there.',
  },
  no_config: { exit: 2, what: 'Neither the repository nor the user has a Drydock configuration for this repository.' },
  bad_config: { exit: 2, what: 'A configuration file has an unknown key or a bad value.' },
  bad_suite: { exit: 2, what: 'A suite of `drydock bench`, or a file that it names, is wrong or missing.' },
  no_steps: { exit: 2, what: 'The configuration names no verification step.' },
  bad_usage: { exit: 2, what: 'A command got arguments that it does not take.' },
  no_model: { exit: 2, what: 'No model is configured for a role.' },
  bad_model: { exit: 2, what: 'A model id, its provider or its endpoint cannot be used.' },
  no_key: { exit: 2, what: 'The environment variable with the key of a provider is not set.' },
  no_price: { exit: 2, what: 'The price of a model is not known, and the budget allows no tokens instead.' },
  sandbox_unusable: { exit: 2, what: 'The chosen sandbox does not work on this machine.' },
  agent_unusable: {
    exit: 2,
    what: 'A foreign agent cannot be used on this machine: it is missing, or lacks what is needed.',
  },
  mcp_failed: {
    exit: 4,
    what: 'An MCP server of the user did not start, did not answer as it must, or has other tools than those to approve.',
  },
  model_refused: { exit: 2, what: 'The provider refused the key or does not know the model.' },
  no_tools: { exit: 2, what: 'A model, or the server that runs it, does not call tools. Drydock needs them.' },
  model_failed: {
    exit: 4,
    what: 'A model refused a request, or kept failing while the provider answered other requests.',
  },
  provider_unreachable: {
    exit: 4,
    what: 'The base URL of a provider does not answer like its API, or did not answer within the allowed wait.',
  },
  replay_missing: { exit: 1, what: 'A replay file has no turn for a model call.' },
  apply_refused: {
    exit: 2,
    what: 'The change would overwrite local changes of the working tree, or delete a file outside the sparse checkout.',
  },
  branch_in_the_way: { exit: 2, what: 'The name of a branch of the repository makes run branches impossible.' },
  not_found: { exit: 2, what: 'The named run, story or verification does not exist.' },
  already_done: { exit: 2, what: 'The requested action is already done or in progress.' },
  not_signed_in: {
    exit: 2,
    what: 'The browser has no session, its session has ended, or its sign-in link was already used.',
  },
  not_fresh: {
    exit: 2,
    what: 'A command to the dashboard has no recent token. The page gets a new token for each command.',
  },
  not_allowed: { exit: 2, what: 'The role of a hub token does not allow a request.' },
  too_many_failures: { exit: 4, what: 'Too many sign-ins to a hub failed from one address within a minute.' },
  no_hub_token: { exit: 2, what: 'There is no token for a hub, or other users can read the file of tokens.' },
  hub_version: { exit: 2, what: 'A hub and its client are of versions that do not understand each other.' },
  wrong_repository: { exit: 2, what: 'A hub keeps another repository than the one in which the command was given.' },
  hub_standby: { exit: 4, what: 'A hub on standby was asked in place of the active one.' },
  hub_unreachable: { exit: 4, what: 'A hub does not answer, or something else answers at its address.' },
  hub_refused: {
    exit: 4,
    what: 'A hub did not take the commits of a worker: the story is no longer the host’s, or the token is not good.',
  },
  sign_in_failed: {
    exit: 2,
    what: 'A sign-in to a hub with its OpenID provider was cancelled, is too old, or cannot be trusted.',
  },
  identity_unreachable: { exit: 4, what: 'The OpenID provider of a hub does not answer, or not as it must.' },
  foreign_request: { exit: 2, what: 'A request to the dashboard came from another site, or used a wrong host name.' },
  port_taken: { exit: 2, what: 'No port for the dashboard is free, or that for webhooks is taken.' },
  git_too_old: { exit: 2, what: 'The git on the PATH is older than the version that Drydock needs.' },
  no_temporary_folder: { exit: 2, what: 'The folder for temporary files does not exist, or cannot be written to.' },
  git_failed: { exit: 4, what: 'A git command that Drydock needs failed.' },
  receipt_failed: { exit: 4, what: 'A receipt could not be signed or stored, so the commit was not delivered.' },
  receipt_missing: { exit: 3, what: 'A commit has no receipt in the notes of this repository.' },
  receipt_malformed: {
    exit: 3,
    what: 'The note of a commit is not a receipt: it is not a signed envelope in the format of Drydock.',
  },
  receipt_unknown_key: { exit: 3, what: 'A receipt is signed with a key that you do not trust here.' },
  receipt_changed: { exit: 3, what: 'A receipt was changed after it was signed.' },
  receipt_unknown_version: { exit: 3, what: 'This Drydock does not know the kind or version of a receipt.' },
  receipt_other_commit: {
    exit: 3,
    what: 'A receipt is for another commit. This commit was rewritten since, or never verified.',
  },
  receipt_other_tree: { exit: 3, what: 'A receipt is for other files than those of the commit in this repository.' },
  signing_failed: { exit: 2, what: 'A commit could not be signed with the key of `commit.signing`.' },
  not_landable: { exit: 2, what: 'A run has no verified result that could be landed, or its result is not accepted.' },
  land_conflict: { exit: 3, what: 'A run branch and the branch that it should land on cannot be merged.' },
  branch_moved: {
    exit: 2,
    what: 'A branch is not where Drydock left it. Drydock never overwrites the work of others.',
  },
  landing_stopped: {
    exit: 2,
    what: 'A run over several repositories cannot move one of its branches, so it moves none that is left.',
  },
  push_refused: { exit: 4, what: 'The server of a remote refused a push.' },
  already_watched: { exit: 4, what: 'Another process watches the forge of this repository.' },
  forge_unknown: { exit: 2, what: 'The remote is on no forge that Drydock knows, or the named forge does not exist.' },
  no_forge_token: { exit: 2, what: 'There is no token for a forge, or the key of its App cannot be used.' },
  forge_refused: { exit: 2, what: 'A forge refused the token, or the token may not do what is needed.' },
  forge_not_found: { exit: 2, what: 'A forge has no such repository, or does not show it to the token.' },
  forge_rejected: { exit: 2, what: 'A forge rejected what it was asked to do.' },
  forge_rate_limited: { exit: 4, what: 'A forge takes no more requests for now.' },
  forge_unreachable: { exit: 4, what: 'A forge did not answer, failed, or redirected to another host.' },
  change_closed: { exit: 2, what: 'The pull request of a run was closed or merged.' },
  worker_version: { exit: 2, what: 'A worker and its hub are of versions that do not work together.' },
  no_shared_state: { exit: 2, what: 'The state of a hub is in a file, which its workers cannot reach.' },
  host_gone: { exit: 4, what: 'The machine on which the work lay is gone.' },
  run_base_untried: {
    exit: 4,
    what: 'The tests of the commit that a run started from could not run on the commit that it ends with.',
  },
  architect_sandbox_ended: { exit: 4, what: 'The sandbox in which the architect reads ended twice in a row.' },
  export_failed: { exit: 4, what: 'The collector of traces cannot be reached, or did not take a trace.' },
  disk_full: { exit: 4, what: 'A disk has no space left, or no files (inodes).' },
  state_unusable: {
    exit: 2,
    what: 'The state cannot be created, read or written, or other users can write to it.',
  },
  database_unreachable: {
    exit: 4,
    what: 'PostgreSQL, which holds the state, does not answer or ended the connection.',
  },
  database_unusable: {
    exit: 2,
    what: 'PostgreSQL cannot hold the state: the user, a right, the version or a pooler in front of it is in the way.',
  },
  state_elsewhere: { exit: 2, what: 'The state of the repository is in another database than the configured one.' },
  blobs_unreachable: {
    exit: 4,
    what: 'The bucket or folder that keeps logs and artifacts does not answer, or is not there.',
  },
  blobs_refused: { exit: 4, what: 'The bucket that keeps logs and artifacts does not take or give them.' },
  blob_damaged: { exit: 4, what: 'A kept log or artifact has other content than was stored.' },
  state_newer: { exit: 2, what: 'The state was written by a newer Drydock.' },
  bug: { exit: 1, what: 'Drydock itself failed.' },
} as const

export type ErrorCode = keyof typeof errorCatalogue

/** An expected failure that a person must see: what happened, and what to do. */
export class DrydockError extends Error {
  readonly code: ErrorCode
  /** One sentence or one command line: what to do now. */
  readonly todo: string

  constructor(code: ErrorCode, message: string, options: { todo: string; cause?: unknown }) {
    super(message, { cause: options.cause })
    this.name = 'DrydockError'
    this.code = code
    this.todo = options.todo
  }
}
