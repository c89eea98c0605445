/** Credentials for a server that asks at a push over http. */
export interface PushCredentials {
  /** Scheme, host and port of the server. No other server gets the credentials. */
  readonly origin: string
  readonly user: string
  readonly password: string
}

/** A place to push to. */
export interface PushTarget {
  readonly url: string
  /** Null for the user's own means: keys of SSH, and credential helpers of git. */
  readonly credentials: PushCredentials | null
  /** A file with the certificates (PEM) to trust there; left out or null for git's own. */
  readonly authorities?: string | null
}

/** The reason why receipts were not fetched. */
export type FetchFailure = 'none' | 'ahead' | 'failed'

/**
 * Remotes of the user's repository, with the user's configuration of git. Runs no hooks of the
 * repository. Throws DrydockError `push_refused` when the server refuses, and `git_failed`.
 */
export interface Remotes {
  /** The URL that a remote is pushed to. Throws DrydockError `bad_usage` for an unknown remote. */
  url(remote: string): Promise<string>
  /** The default branch there; null when the server does not say. */
  defaultBranch(target: PushTarget): Promise<string | null>
  /**
   * Sets `branch` there to `sha`, without losing commits: the branch must not exist yet, or be in
   * the history of `sha`, or be at one of the commits that were pushed before (`pushed`), and stay
   * there until the push. Otherwise throws DrydockError `branch_moved`. Idempotent.
   */
  push(
    target: PushTarget,
    what: { readonly branch: string; readonly sha: string; readonly pushed: readonly string[] },
  ): Promise<void>
  /**
   * Adds the receipts of these commits to `refs/notes/drydock` there, and keeps all other notes.
   * Idempotent.
   */
  pushReceipts(target: PushTarget, commits: readonly string[]): Promise<void>
  /**
   * Sets `ref` there to `sha`, a commit of the user's repository, unless it already is. Throws
   * DrydockError `push_refused`, `git_failed`.
   */
  sendCommit(target: PushTarget, what: { readonly ref: string; readonly sha: string }): Promise<void>
  /**
   * Fetches a commit by its id into the user's repository; no ref is written. Throws DrydockError
   * `push_refused`, `git_failed`.
   */
  fetchCommit(target: PushTarget, sha: string): Promise<void>
  /** `origin`, or another remote; null without any. */
  first(): Promise<string | null>
  /**
   * Fetches `refs/notes/drydock`, if that loses no local note. Otherwise returns the reason: there
   * are `none`, ours are `ahead` of theirs, or git's message.
   */
  fetchReceipts(
    remote: string,
  ): Promise<{ readonly ok: true } | { readonly ok: false; readonly why: FetchFailure; readonly said: string }>
  /** Fetches a branch, and nothing else. Throws DrydockError `git_failed`. */
  fetchBranch(remote: string, branch: string): Promise<void>
}
