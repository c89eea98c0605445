import type { Change } from '../../ports/forge.ts'

/** The fields of a pull request that GitHub, Gitea and Forgejo name alike. */
interface PullRequest {
  readonly number: number
  readonly html_url: string
  readonly state: string
  readonly merged_at?: string | null
  readonly head: { readonly ref: string; readonly sha: string }
  readonly base: { readonly ref: string }
  readonly title: string
  readonly body?: string | null
}

export function changeOf({
  number,
  html_url: url,
  state,
  merged_at: merged,
  head,
  base,
  title,
  body,
}: PullRequest): Change {
  return {
    number,
    url,
    title,
    text: body ?? '',
    head: head.ref,
    base: base.ref,
    sha: head.sha,
    state: state === 'open' ? 'open' : merged ? 'merged' : 'closed',
  }
}

/** The open one among the changes of a branch, else the newest. */
export function newestOrOpen(changes: readonly Change[]): Change | null {
  const newest = changes.toSorted((a, b) => b.number - a.number)
  return newest.find(({ state }) => state === 'open') ?? newest[0] ?? null
}
