/** The data of a local forge, whatever its interface. */
export interface LocalChange {
  readonly number: number
  readonly head: string
  readonly base: string
  readonly title: string
  readonly text: string
  readonly state: 'open' | 'closed' | 'merged'
  readonly draft: boolean
  readonly reviewers: readonly string[]
}

export interface LocalStatus {
  readonly sha: string
  readonly context: string
  readonly state: string
  readonly description: string
}

export interface LocalLine {
  readonly path: string
  readonly number: number
  /** Counted in the file before the change. */
  readonly side?: 'old'
}

export interface LocalComment {
  readonly id: number
  /** Number of the issue or change. */
  readonly on: number
  readonly author: string
  readonly text: string
  readonly at: string
  readonly line: LocalLine | null
  /** The comment to which it replies. */
  readonly answers: number | null
}

export interface LocalIssue {
  readonly number: number
  readonly title: string
  readonly text: string
  readonly author: string
  readonly labels: readonly string[]
  readonly at: string
  /** The person who set the labels; by default the author. */
  readonly labeledBy?: string
}

/** A job of the forge's own CI. */
export interface LocalJob {
  readonly id: number
  readonly sha: string
  readonly name: string
  readonly state: 'success' | 'failure' | 'pending'
  readonly log: string
  /** True if its failure makes nothing red. */
  readonly mayFail?: boolean
}

export interface ForgeModel {
  readonly jobs: LocalJob[]
  readonly changes: LocalChange[]
  readonly statuses: LocalStatus[]
  readonly comments: LocalComment[]
  readonly issues: LocalIssue[]
  /** Permissions by account. */
  readonly accounts: Record<string, 'admin' | 'write' | 'read' | 'none'>
  /** The commit of a branch in the repository; null if the branch does not exist. */
  commitOf(branch: string): Promise<string | null>
}

/** A request to the interface of a forge, relative to its root. */
export interface ApiRequest {
  readonly method: string
  /** Decoded path, relative to the root of the interface. */
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Readonly<Record<string, unknown>>
}

export interface ApiAnswer {
  readonly status: number
  readonly body?: unknown
  /** Replaces a JSON body. */
  readonly text?: string
  readonly headers?: Readonly<Record<string, string>>
}

export type Api = (request: ApiRequest, model: ForgeModel, url: string) => Promise<ApiAnswer>

export const project = { owner: 'team', name: 'median', path: 'team/median' }

export function say(model: ForgeModel, said: Pick<LocalComment, 'on' | 'text' | 'line' | 'answers'>): LocalComment {
  const id = Math.max(100, ...model.comments.map((each) => each.id)) + 1
  const comment = { ...said, id, author: 'drydock-bot', at: new Date().toISOString() }
  model.comments.push(comment)
  return comment
}

export function edit(model: ForgeModel, number: number, change: Partial<LocalChange>): LocalChange {
  const at = model.changes.findIndex((each) => each.number === number)
  const edited = { ...(model.changes[at] as LocalChange), ...change }
  model.changes[at] = edited
  return edited
}

/** The token of an account with all permissions. */
export const localToken = ['token', 'of-the-local-forge', '4711'].join('-')
