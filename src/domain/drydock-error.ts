/**
 * Every error that a person may see: its code, and the exit code that the CLI ends with (README.md
 * lists them: 2 usage or configuration, 3 what is not as it should be, 4 infrastructure).
 * docs/errors.md lists exactly these.
 */
export const errorCatalogue = {
  not_a_repository: { exit: 2, what: 'The folder is not inside a git repository.' },
  no_commits: { exit: 2, what: 'The repository has no commits yet.' },
  unknown_revision: { exit: 2, what: 'A branch or commit that was named does not exist.' },
  no_config: { exit: 2, what: 'Neither the repository nor the user has a Drydock configuration for it.' },
  bad_config: { exit: 2, what: 'A configuration file has an unknown key or a bad value.' },
  no_steps: { exit: 2, what: 'The configuration names no verification step.' },
  bad_usage: { exit: 2, what: 'A command was called with arguments it cannot take.' },
  no_model: { exit: 2, what: 'No model is configured for a role.' },
  bad_model: { exit: 2, what: 'A model id, its provider or its endpoint is not usable.' },
  no_key: { exit: 2, what: 'The environment variable that holds the key of a provider is not set.' },
  no_price: { exit: 2, what: 'The price of a model is not known, and no tokens are allowed in its place.' },
  sandbox_unusable: { exit: 2, what: 'The containers that were chosen as the sandbox do not work here.' },
  model_refused: { exit: 2, what: 'The provider refused the key or does not know the model.' },
  model_failed: {
    exit: 4,
    what: 'A model refused a request, or kept failing while the provider answered other requests.',
  },
  provider_unreachable: {
    exit: 4,
    what: 'Nobody answers at the base URL of a provider as its API does, or not for as long as is waited for it.',
  },
  replay_missing: { exit: 1, what: 'A replay file has no turn for a model call.' },
  apply_refused: { exit: 2, what: 'The change would overwrite local changes of the working tree.' },
  branch_in_the_way: { exit: 2, what: 'A branch of the repository has a name that makes run branches impossible.' },
  not_found: { exit: 2, what: 'A run, story or verification that was named does not exist.' },
  already_done: { exit: 2, what: 'What was asked for is done or under way already.' },
  not_signed_in: {
    exit: 2,
    what: 'The browser has no session, its session has ended, or its sign-in link was already used.',
  },
  not_fresh: {
    exit: 2,
    what: 'The dashboard was asked to act without a token of the last minutes; its page gets one for each command.',
  },
  foreign_request: { exit: 2, what: 'The dashboard was asked from another site, or under another name than its own.' },
  port_taken: { exit: 2, what: 'No port for the dashboard is free.' },
  git_too_old: { exit: 2, what: 'The git on the PATH is older than the one that Drydock needs.' },
  git_failed: { exit: 4, what: 'A git command that Drydock needs failed.' },
  receipt_failed: { exit: 4, what: 'A receipt could not be signed or kept, so the commit was not handed over.' },
  receipt_missing: { exit: 3, what: 'A commit has no receipt in the notes of this repository.' },
  receipt_malformed: {
    exit: 3,
    what: 'The note of a commit is no receipt: not a signed envelope as Drydock writes it.',
  },
  receipt_unknown_key: { exit: 3, what: 'A receipt is signed with a key that is not trusted here.' },
  receipt_changed: { exit: 3, what: 'A receipt was changed after it was signed.' },
  receipt_unknown_version: { exit: 3, what: 'A receipt is of a kind or version that this Drydock does not know.' },
  receipt_other_commit: {
    exit: 3,
    what: 'A receipt speaks of another commit: this one was written anew since, or never verified.',
  },
  receipt_other_tree: { exit: 3, what: 'A receipt speaks of other files than the commit has in this repository.' },
  architect_sandbox_ended: { exit: 4, what: 'The sandbox that the architect reads in ended, and so did the next.' },
  disk_full: { exit: 4, what: 'There is no space left for the state.' },
  state_unusable: {
    exit: 2,
    what: 'The state cannot be made, read or written, or others than its user can write to it.',
  },
  state_newer: { exit: 2, what: 'The state was written by a newer Drydock.' },
  bug: { exit: 1, what: 'Drydock itself failed.' },
} as const

export type ErrorCode = keyof typeof errorCatalogue

/** An expected failure that a person must hear of: what happened, and what to do. */
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
