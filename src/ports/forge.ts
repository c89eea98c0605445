import type { PushCredentials } from './remotes.ts'

/** A pull request of GitHub, Gitea and Forgejo, or a merge request of GitLab. */
export interface Change {
  readonly number: number
  /** The address for people. */
  readonly url: string
  readonly state: 'open' | 'closed' | 'merged'
  /** The branch with the work, and the target branch. */
  readonly head: string
  readonly base: string
  /** The commit of the head branch when the forge was asked. */
  readonly sha: string
  readonly title: string
  /** Markdown in full, since people's additions are sent back with the next report. */
  readonly text: string
}

export interface NewChange {
  readonly head: string
  readonly base: string
  readonly title: string
  readonly text: string
  readonly draft: boolean
}

/** A commit status, or the result of a job of the forge's own CI. */
export interface Check {
  /** Key for `logsOf`; null for a status without a log. */
  readonly job: string | null
  readonly name: string
  readonly state: 'success' | 'failure' | 'pending' | 'neutral'
  readonly description: string
  readonly url: string | null
}

export interface NewStatus {
  readonly context: string
  readonly state: 'success' | 'failure' | 'pending'
  /** A text of at most `limits.forge.statusChars` characters. */
  readonly description: string
}

/** A comment on an issue or a change. With `line` it is about a line of the diff. */
export interface Comment {
  /** Unique among the comments of one place. */
  readonly id: string
  readonly author: string
  readonly text: string
  /** Time of the last edit, ISO 8601. */
  readonly at: string
  readonly url: string | null
  /** True if the comment answers another one; false also if the forge does not say. */
  readonly isAnswer: boolean
  readonly line: {
    readonly path: string
    /** In the new file; null when the line no longer exists. */
    readonly number: number | null
    /** The surrounding lines as a diff; null if the forge gives none. */
    readonly hunk: string | null
  } | null
}

export interface Issue {
  readonly number: number
  readonly url: string
  readonly title: string
  readonly text: string
  readonly author: string
  readonly labels: readonly string[]
  /** When it last changed, ISO 8601. */
  readonly at: string
}

/** A place where people discuss. */
export interface Place {
  readonly type: 'issue' | 'change'
  readonly number: number
}

export type Permission = 'admin' | 'write' | 'read' | 'none'

/**
 * One repository on a server for teams. Each call throws DrydockError `forge_refused`,
 * `forge_not_found`, `forge_rejected`, `forge_rate_limited` or `forge_unreachable`. Each call ends
 * within `limits.forge.callMs`. A call that creates something is never repeated after an answer
 * that leaves the result open; its caller looks for the created object. Texts of other people are
 * untrusted data, cut at `limits.forge.textChars` except for that of a change.
 */
export interface Forge {
  readonly name: string
  readonly kind: 'github' | 'gitlab' | 'gitea'
  /** The repository, as the forge names it. */
  readonly project: string
  openChange(change: NewChange): Promise<Change>
  updateChange(number: number, text: string): Promise<Change>
  /** The change of a branch of this repository: an open one, else the newest; null without any. */
  findChange(head: string): Promise<Change | null>
  /** Adds reviewers to those already requested. Throws `forge_rejected` for unknown ones. */
  requestReview(number: number, accounts: readonly string[]): Promise<void>
  setStatus(sha: string, status: NewStatus): Promise<void>
  /** The newest check of each name, in any order. */
  checks(sha: string): Promise<readonly Check[]>
  /** The end of the log of a job; null when the forge gives none. */
  logsOf(job: string): Promise<string | null>
  /** Comments that were written or edited at or after a time, oldest first. */
  comments(on: Place, since: Date): Promise<readonly Comment[]>
  /** Answers a comment in its thread. */
  reply(number: number, comment: Comment, text: string): Promise<void>
  /** Open issues with a label that changed at or after a time, oldest change first. */
  issues(query: { readonly label: string; readonly since: Date }): Promise<readonly Issue[]>
  /**
   * Comments on an issue or a change, or with `edits` replaces the text of our own comment. Returns
   * the comment's id for a later edit.
   */
  comment(on: Place & { readonly edits?: string }, text: string): Promise<string>
  /** The account that set a label of an issue last; null if the forge does not say. */
  labeledBy(issue: number, label: string): Promise<string | null>
  permissionOf(account: string): Promise<Permission>
  /** Credentials for git's push over http. */
  pushCredentials(): Promise<PushCredentials>
}
