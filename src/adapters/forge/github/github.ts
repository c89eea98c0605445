import type { ForgeAccess } from '../../../domain/forge/forge-access.ts'
import { limits } from '../../../domain/limits.ts'
import type { Forge, Permission } from '../../../ports/forge.ts'
import { changeOf, newestOrOpen } from '../change-of.ts'
import { endOfLog, textOf } from '../texts.ts'
import { createClient, unwrapped } from './octokit.ts'
import { pages } from './pages.ts'
import { createTalk } from './talk.ts'

export async function createGitHub(access: ForgeAccess): Promise<Forge> {
  const [owner = '', repo = ''] = access.project.split('/')
  const place = { owner, repo }
  const { client, transport } = await createClient(access)
  const paged = { ...place, per_page: limits.forge.pageSize }

  /** An App's token is valid for an hour, so each call asks for the current one. */
  const token = async () => ((await client.auth({ type: 'installation' })) as { readonly token: string }).token

  const forge: Forge = {
    name: access.name,
    kind: 'github',
    project: access.project,

    async openChange({ head, base, title, text, draft }) {
      const given = { ...place, head, base, title, body: text, draft }
      return changeOf((await client.request('POST /repos/{owner}/{repo}/pulls', given)).data)
    },

    async updateChange(number, text) {
      const given = { ...place, pull_number: number, body: text }
      return changeOf((await client.request('PATCH /repos/{owner}/{repo}/pulls/{pull_number}', given)).data)
    },

    async findChange(head) {
      const given = { ...paged, head: `${owner}:${head}`, state: 'all', sort: 'created', direction: 'desc' } as const
      const { data } = await client.request('GET /repos/{owner}/{repo}/pulls', given)
      return newestOrOpen(data.map(changeOf).filter((change) => change.head === head))
    },

    async requestReview(number, accounts) {
      const given = { ...place, pull_number: number, reviewers: [...accounts] }
      await client.request('POST /repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers', given)
    },

    async setStatus(sha, status) {
      await client.request('POST /repos/{owner}/{repo}/statuses/{sha}', { ...place, sha, ...status })
    },

    async checks(sha) {
      const given = { ...paged, ref: sha }
      const [statuses, runs] = await Promise.all([
        client.request('GET /repos/{owner}/{repo}/commits/{ref}/status', given),
        pages(client.paginate.iterator('GET /repos/{owner}/{repo}/commits/{ref}/check-runs', given)),
      ])
      return [
        ...statuses.data.statuses.map(({ context, state, description, target_url: url }) => ({
          job: null,
          name: context,
          url,
          description: textOf(description),
          state: state === 'error' ? ('failure' as const) : stateOf(state),
        })),
        ...runs.map(({ id, name, status, conclusion, html_url: url, output }) => ({
          job: String(id),
          name,
          url,
          description: textOf(output.title),
          state: status === 'completed' ? stateOf(conclusion) : ('pending' as const),
        })),
      ]
    },

    async logsOf(job) {
      const route = 'GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs'
      const { url, headers } = client.request.endpoint(route, { ...place, job_id: Number(job) })
      const sent = { ...headers, authorization: `token ${await token()}` } as Record<string, string>
      return endOfLog(await (await transport(url, { headers: sent, leaves: true })).text())
    },

    ...createTalk({ client, place }),

    async permissionOf(account) {
      const given = { ...place, username: account }
      const { data } = await client.request('GET /repos/{owner}/{repo}/collaborators/{username}/permission', given)
      return permissions[data.permission] ?? 'none'
    },

    async pushCredentials() {
      return { origin: new URL(access.url).origin, user: 'x-access-token', password: await token() }
    },
  }
  return withUnwrapped(forge)
}

const permissions: Readonly<Record<string, Permission>> = { admin: 'admin', write: 'write', read: 'read' }

function stateOf(state: string | null): 'success' | 'failure' | 'pending' | 'neutral' {
  switch (state) {
    case 'success':
    case 'pending':
      return state
    case 'neutral':
    case 'skipped':
    case 'cancelled':
    case 'stale':
      return 'neutral'
    default:
      return 'failure'
  }
}

/** Unwraps errors, so that each call fails with the transport's own error. */
function withUnwrapped(forge: Forge): Forge {
  const wrapped = Object.entries(forge).map(([name, value]) =>
    typeof value === 'function' ? [name, (...args: unknown[]) => unwrapped(() => value(...args))] : [name, value],
  )
  return Object.fromEntries(wrapped) as Forge
}
