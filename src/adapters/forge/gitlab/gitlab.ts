import { DrydockError } from '../../../domain/drydock-error.ts'
import type { ForgeAccess } from '../../../domain/forge/forge-access.ts'
import { limits } from '../../../domain/limits.ts'
import type { Change, Check, Forge, Permission } from '../../../ports/forge.ts'
import { newestOrOpen } from '../change-of.ts'
import { endOfLog, textOf } from '../texts.ts'
import { tokenCredentials } from '../token-credentials.ts'
import { createResources, type Resources } from './resources.ts'
import { createTalk } from './talk.ts'

export function createGitLab(access: ForgeAccess): Forge {
  const { name, project } = access
  const resources = createResources(access)
  const { mergeRequests, commits, jobs, members } = resources
  return {
    name,
    kind: 'gitlab',
    project,

    async openChange({ head, base, title, text, draft }) {
      const named = draft ? `Draft: ${title}` : title
      return changeOf(await mergeRequests.create(project, head, base, named, { description: text }))
    },

    async updateChange(number, text) {
      return changeOf(await mergeRequests.edit(project, number, { description: text }))
    },

    async findChange(head) {
      const asked = { projectId: project, sourceBranch: head, perPage: limits.forge.pageSize } as const
      const found = await mergeRequests.all({ ...asked, maxPages: 1, orderBy: 'created_at', sort: 'desc' })
      // A fork's branch of the same name belongs to somebody else.
      const own = found.filter(({ source_project_id: from, target_project_id: to }) => from === to)
      return newestOrOpen(own.map(changeOf))
    },

    async requestReview(number, accounts) {
      const [{ reviewers }, ids] = await Promise.all([
        mergeRequests.show(project, number),
        Promise.all(accounts.map((account) => userId(resources, { name, account }))),
      ])
      const asked = (reviewers ?? []).map(({ id }) => id)
      if (ids.every((id) => asked.includes(id))) return
      await mergeRequests.edit(project, number, { reviewerIds: [...new Set([...asked, ...ids])] })
    },

    async setStatus(sha, { context, state, description }) {
      const named = state === 'failure' ? 'failed' : state
      await commits.editStatus(project, sha, named, { context, description })
    },

    async checks(sha) {
      const found = await commits.allStatuses(project, sha)
      return found.map(({ id, name: context, status, description, target_url: url, allow_failure: mayFail }) => {
        const state = mayFail && status === 'failed' ? 'neutral' : stateOf(status)
        return { job: String(id), name: context, state, description: textOf(description), url }
      })
    },

    async logsOf(job) {
      return endOfLog(String(await jobs.showLog(project, Number(job))))
    },

    ...createTalk({ resources, project }),

    async permissionOf(account) {
      try {
        const id = await userId(resources, { name, account })
        const { access_level: level } = await members.show(project, id, { includeInherited: true })
        return permissionAt(level)
      } catch (error) {
        // GitLab answers "not found" for a user who is not a member.
        if (error instanceof DrydockError && ['forge_not_found', 'forge_rejected'].includes(error.code)) return 'none'
        throw error
      }
    },

    pushCredentials: async () => tokenCredentials(access),
  }
}

interface MergeRequest {
  readonly iid: number
  readonly web_url: string
  readonly state: string
  readonly source_branch: string
  readonly target_branch: string
  readonly sha: string
  readonly title: string
  readonly description?: string | null
}

function changeOf({
  iid,
  web_url: url,
  state,
  source_branch: head,
  target_branch: base,
  ...more
}: MergeRequest): Change {
  return {
    number: iid,
    url,
    head,
    base,
    sha: more.sha,
    title: more.title,
    text: more.description ?? '',
    state: state === 'opened' || state === 'locked' ? 'open' : state === 'merged' ? 'merged' : 'closed',
  }
}

async function userId(
  { users }: Resources,
  { name, account }: { readonly name: string; readonly account: string },
): Promise<number> {
  const [found] = await users.all({ username: account })
  if (found !== undefined) return found.id
  throw new DrydockError('forge_rejected', `${name} has no account "${account}".`, {
    todo: 'Name accounts of the forge, without "@".',
  })
}

function stateOf(status: string): Check['state'] {
  if (status === 'success') return 'success'
  if (status === 'failed') return 'failure'
  return ['canceled', 'canceling', 'skipped', 'manual'].includes(status) ? 'neutral' : 'pending'
}

/** GitLab's access levels: 30 is developer, 40 maintainer, 50 owner. */
function permissionAt(level: number): Permission {
  if (level >= 40) return 'admin'
  if (level >= 30) return 'write'
  return level >= 10 ? 'read' : 'none'
}
