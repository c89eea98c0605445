import { DrydockError } from '../../../domain/drydock-error.ts'
import type { ForgeAccess } from '../../../domain/forge/forge-access.ts'
import { limits } from '../../../domain/limits.ts'
import type { Check, Forge, Permission } from '../../../ports/forge.ts'
import { changeOf, newestOrOpen } from '../change-of.ts'
import { endOfLog, textOf } from '../texts.ts'
import { tokenCredentials } from '../token-credentials.ts'
import { createClient } from './client.ts'
import { createTalk } from './talk.ts'

type PullRequest = Parameters<typeof changeOf>[0] & {
  readonly head: { readonly repo_id?: number }
  readonly base: { readonly repo_id?: number }
  readonly requested_reviewers?: readonly { readonly login: string }[] | null
}

interface Status {
  readonly context: string
  readonly status: string
  readonly description: string
  readonly target_url: string
}

/** Gitea and Forgejo, which have the same API. */
export function createGitea(access: ForgeAccess): Forge {
  const client = createClient(access)
  return {
    name: access.name,
    kind: 'gitea',
    project: access.project,

    async openChange({ head, base, title, text, draft }) {
      const named = draft ? `WIP: ${title}` : title
      return changeOf(await client.send<PullRequest>('POST', '/pulls', { head, base, title: named, body: text }))
    },

    async updateChange(number, text) {
      return changeOf(await client.send<PullRequest>('PATCH', `/pulls/${number}`, { body: text }))
    },

    async findChange(head) {
      // The API cannot filter by branch.
      for (const state of ['open', 'closed'] as const) {
        const found = await client.list<PullRequest>('/pulls', { state, sort: 'recentupdate' })
        const own = found.filter(({ head: from, base: to }) => from.ref === head && from.repo_id === to.repo_id)
        const change = newestOrOpen(own.map(changeOf))
        if (change !== null) return change
      }
      return null
    },

    async requestReview(number, accounts) {
      const { requested_reviewers: asked } = await client.get<PullRequest>(`/pulls/${number}`)
      const missing = accounts.filter((account) => !asked?.some(({ login }) => login === account))
      if (missing.length === 0) return
      await client.send('POST', `/pulls/${number}/requested_reviewers`, { reviewers: missing }).catch((error) => {
        if (!(error instanceof DrydockError) || error.code !== 'forge_not_found') throw error
        const { message, todo } = error
        throw new DrydockError('forge_rejected', message, { todo, cause: error })
      })
    },

    async setStatus(sha, status) {
      await client.send('POST', `/statuses/${sha}`, status)
    },

    async checks(sha) {
      const asked = { limit: limits.forge.pageSize }
      const { statuses } = await client.get<{ readonly statuses: readonly Status[] | null }>(
        `/commits/${sha}/status`,
        asked,
      )
      return (statuses ?? []).map(({ context, status, description, target_url: url }) => ({
        job: jobOf(url),
        name: context,
        state: stateOf(status),
        description: textOf(description),
        url: url === '' ? null : url,
      }))
    },

    async logsOf(job) {
      return endOfLog(await client.text(`/actions/jobs/${job}/logs`))
    },

    ...createTalk(client),

    async permissionOf(account) {
      const path = `/collaborators/${encodeURIComponent(account)}/permission`
      const { permission } = await client.get<{ readonly permission: string }>(path)
      return permissions[permission] ?? 'none'
    },

    pushCredentials: async () => tokenCredentials(access),
  }
}

const permissions: Readonly<Record<string, Permission>> = {
  owner: 'admin',
  admin: 'admin',
  write: 'write',
  read: 'read',
}

function stateOf(status: string): Check['state'] {
  switch (status) {
    case 'success':
    case 'pending':
      return status
    case 'warning':
    case 'skipped':
      return 'neutral'
    default:
      return 'failure'
  }
}

/** The job's id, taken from the link in its status. */
function jobOf(url: string): string | null {
  return /\/actions\/runs\/\d+\/jobs\/(\d+)$/.exec(url)?.[1] ?? null
}
