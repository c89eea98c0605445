import {
  type Api,
  type ApiAnswer,
  edit,
  type ForgeModel,
  type LocalChange,
  type LocalComment,
  localToken,
  project,
  say,
} from './forge-model.ts'
import { answerOf, checkRequest, exampleOf } from './github-shapes.ts'

type Body = Readonly<Record<string, unknown>>
interface Call {
  readonly model: ForgeModel
  readonly body: Body
  readonly query: URLSearchParams
  readonly url: string
  /** The values for the names in braces in the path. */
  readonly of: Readonly<Record<string, string>>
}

const repo = '/repos/{owner}/{repo}'
const pull = 'POST /repos/{owner}/{repo}/pulls'

/** The calls that Drydock makes, in the shapes of GitHub's published description. */
const calls: Readonly<Record<string, (call: Call) => Promise<unknown>>> = {
  [`GET ${repo}/pulls`]: async ({ model, query, url }) => {
    const [, head = ''] = (query.get('head') ?? '').split(':')
    const found = model.changes.filter((change) => change.head === head).toReversed()
    return Promise.all(found.map((change) => pullRequest(change, { model, url }, `GET ${repo}/pulls`)))
  },
  [pull]: async ({ model, body, url }) => {
    const [head, base] = [String(body.head), String(body.base)]
    if ((await model.commitOf(base)) === null) throw invalid('PullRequest', 'base', 'invalid')
    if (model.changes.some((change) => change.head === head && change.state === 'open'))
      throw invalid('PullRequest', undefined, 'custom', `A pull request already exists for team:${head}.`)
    const change: LocalChange = {
      number: model.changes.length + 1,
      head,
      base,
      title: String(body.title),
      text: String(body.body),
      state: 'open',
      draft: body.draft === true,
      reviewers: [],
    }
    model.changes.push(change)
    return pullRequest(change, { model, url }, pull)
  },
  [`PATCH ${repo}/pulls/{pull_number}`]: async ({ model, body, url, of }) => {
    const change = edit(model, Number(of.pull_number), { text: String(body.body) })
    return pullRequest(change, { model, url }, pull)
  },
  [`POST ${repo}/pulls/{pull_number}/requested_reviewers`]: async ({ model, body, url, of }) => {
    const wanted = body.reviewers as readonly string[]
    const unknown = wanted.filter((account) => (model.accounts[account] ?? 'none') === 'none')
    if (unknown.length > 0)
      throw {
        status: 422,
        body: { message: 'Reviews may only be requested from collaborators.', documentation_url: '' },
      }
    const change = model.changes.find(({ number }) => number === Number(of.pull_number))
    const reviewers = [...new Set([...(change?.reviewers ?? []), ...wanted])]
    return pullRequest(edit(model, Number(of.pull_number), { reviewers }), { model, url }, `GET ${repo}/pulls`)
  },
  [`POST ${repo}/statuses/{sha}`]: async ({ model, body, of }) => {
    const sha = of.sha ?? ''
    const status = {
      sha,
      context: String(body.context),
      state: String(body.state),
      description: String(body.description),
    }
    model.statuses.push(status)
    const { state, context, description } = status
    return { ...exampleOf(`POST ${repo}/statuses/{sha}`), state, context, description, target_url: null }
  },
  [`GET ${repo}/commits/{ref}/status`]: async ({ model, of }) => {
    const example = exampleOf(`GET ${repo}/commits/{ref}/status`)
    const [one] = example.statuses as readonly object[]
    const latest = new Map(model.statuses.filter(({ sha }) => sha === of.ref).map((each) => [each.context, each]))
    const statuses = [...latest.values()].map(({ context, state, description }) => ({
      ...one,
      context,
      state,
      description,
    }))
    return { ...example, sha: of.ref, statuses, total_count: statuses.length }
  },
  [`GET ${repo}/commits/{ref}/check-runs`]: async ({ model, of }) => {
    const example = exampleOf(`GET ${repo}/commits/{ref}/check-runs`)
    const [one] = example.check_runs as readonly object[]
    const check_runs = model.jobs
      .filter(({ sha }) => sha === of.ref)
      .map(({ id, name, state }) => ({
        ...one,
        id,
        name,
        status: state === 'pending' ? 'in_progress' : 'completed',
        conclusion: state === 'pending' ? null : state,
      }))
    return { total_count: check_runs.length, check_runs }
  },
  [`GET ${repo}/issues/{issue_number}/comments`]: async ({ model, query, of }) =>
    model.comments
      .filter(({ on, line, at }) => on === Number(of.issue_number) && line === null && at >= since(query))
      .map((comment) => issueComment(comment)),
  [`GET ${repo}/pulls/{pull_number}/comments`]: async ({ model, query, of }) =>
    model.comments
      .filter(({ on, line, at }) => on === Number(of.pull_number) && line !== null && at >= since(query))
      .map((comment) => lineComment(comment)),
  [`POST ${repo}/pulls/{pull_number}/comments/{comment_id}/replies`]: async ({ model, body, of }) => {
    const answered = model.comments.find(({ id }) => id === Number(of.comment_id))
    if (answered === undefined) throw { status: 404, body: { message: 'Not Found' } }
    return lineComment(say(model, { ...answered, text: String(body.body), answers: answered.id }))
  },
  [`POST ${repo}/issues/{issue_number}/comments`]: async ({ model, body, of }) =>
    issueComment(say(model, { on: Number(of.issue_number), text: String(body.body), line: null, answers: null })),
  [`PATCH ${repo}/issues/comments/{comment_id}`]: async ({ model, body, of }) => {
    const at = model.comments.findIndex(({ id }) => id === Number(of.comment_id))
    const edited = { ...(model.comments[at] as LocalComment), text: String(body.body) }
    model.comments[at] = edited
    return issueComment(edited)
  },
  [`GET ${repo}/issues`]: async ({ model, query }) => {
    const example = exampleOf(`GET ${repo}/issues`)
    delete example.pull_request
    return model.issues
      .filter(({ labels, at }) => labels.includes(query.get('labels') ?? '') && at >= since(query))
      .map(({ number, title, text, author, labels, at }) => ({
        ...example,
        number,
        title,
        body: text,
        updated_at: at,
        user: { ...(example.user as object), login: author },
        labels: labels.map((name) => ({ ...(example.labels as readonly object[])[0], name })),
      }))
  },
  [`GET ${repo}/issues/{issue_number}/events`]: async ({ model, of }) => {
    const example = exampleOf(`GET ${repo}/issues/{issue_number}/events`)
    const issue = model.issues.find(({ number }) => number === Number(of.issue_number))
    const actor = { ...(example.actor as object), login: issue?.labeledBy ?? issue?.author }
    return (issue?.labels ?? []).map((name) => ({ ...example, actor, label: { name, color: 'f29513' } }))
  },
  [`GET ${repo}/collaborators/{username}/permission`]: async ({ model, of }) => ({
    permission: model.accounts[of.username ?? ''] ?? 'none',
    role_name: 'write',
    user: null,
  }),
  [`GET ${repo}/installation`]: async () => exampleOf(`GET ${repo}/installation`),
  'POST /app/installations/{installation_id}/access_tokens': async () => ({
    token: localToken,
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    permissions: { contents: 'write' },
    repository_selection: 'selected',
  }),
}

export const gitHubApi: Api = async ({ method, path, query, body }, model, url) => {
  const [, job] = /\/actions\/jobs\/(\d+)\/logs$/.exec(path) ?? []
  // The log is not JSON, and has no schema.
  if (job !== undefined) return { status: 200, text: model.jobs.find(({ id }) => id === Number(job))?.log ?? '' }
  for (const [name, call] of Object.entries(calls)) {
    const [wanted = '', template = ''] = name.split(' ')
    const of = wanted === method ? matched(template, path) : null
    if (of === null || (of.owner !== undefined && `${of.owner}/${of.repo}` !== project.path)) continue
    try {
      checkRequest(name, body)
      const found = await call({ model, body, query, url, of })
      const here = `${url}/api/v3${encodeURI(path)}`
      return method === 'GET' ? pageOf(name, found, { here, query }) : answerOf(name, found)
    } catch (error) {
      if (error instanceof Error) throw error
      return error as ApiAnswer
    }
  }
  return {
    status: 404,
    body: { message: 'Not Found', documentation_url: 'https://docs.github.com/rest', status: '404' },
  }
}

/** One page of a list, with the link to the next one. */
function pageOf(name: string, found: unknown, { here, query }: { here: string; query: URLSearchParams }): ApiAnswer {
  const size = Number(query.get('per_page') ?? 30)
  const page = Number(query.get('page') ?? 1)
  const cut = <T>(list: readonly T[]) => list.slice((page - 1) * size, page * size)
  const runs = (found as { readonly check_runs?: readonly object[] } | null)?.check_runs
  const all = Array.isArray(found) ? found : (runs ?? [])
  const body = Array.isArray(found) ? cut(found) : runs ? { ...(found as object), check_runs: cut(runs) } : found
  const next = new URLSearchParams([...query].filter(([key]) => key !== 'page').concat([['page', String(page + 1)]]))
  const headers = all.length > page * size ? { link: `<${here}?${next}>; rel="next"` } : {}
  return { ...answerOf(name, body), headers }
}

function matched(template: string, path: string): Readonly<Record<string, string>> | null {
  const pattern = template.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')
  return new RegExp(`^${pattern}$`).exec(path)?.groups ?? (template === path ? {} : null)
}

async function pullRequest(
  { number, head, base, title, text, state, draft, reviewers }: LocalChange,
  { model, url }: Pick<Call, 'model' | 'url'>,
  like: string,
): Promise<object> {
  const example = exampleOf(like)
  const user = example.user as object
  const sha = (await model.commitOf(head)) ?? '0'.repeat(40)
  return {
    ...example,
    number,
    title,
    body: text,
    draft,
    html_url: `${url}/${project.path}/pull/${number}`,
    state: state === 'open' ? 'open' : 'closed',
    merged_at: state === 'merged' ? '2026-01-01T00:00:00Z' : null,
    head: { ...(example.head as object), ref: head, sha, label: `team:${head}` },
    base: { ...(example.base as object), ref: base },
    requested_reviewers: reviewers.map((login) => ({ ...user, login })),
    requested_teams: [],
  }
}

function issueComment({ id, author, text, at }: LocalComment): object {
  const example = exampleOf(`POST ${repo}/issues/{issue_number}/comments`)
  return { ...example, id, body: text, updated_at: at, user: { ...(example.user as object), login: author } }
}

function lineComment({ id, author, text, at, line, answers }: LocalComment): object {
  const example = exampleOf(`POST ${repo}/pulls/{pull_number}/comments/{comment_id}/replies`)
  const user = { ...(example.user as object), login: author }
  delete example.in_reply_to_id
  const of = answers === null ? {} : { in_reply_to_id: answers }
  return {
    ...example,
    id,
    body: text,
    updated_at: at,
    user,
    path: line?.path,
    line: line?.number,
    side: line?.side === 'old' ? 'LEFT' : 'RIGHT',
    ...of,
  }
}

function since(query: URLSearchParams): string {
  return (query.get('since') ?? '').replace('.000Z', 'Z')
}

function invalid(resource: string, field: string | undefined, code: string, message?: string): ApiAnswer {
  const error = { resource, code, ...(field && { field }), ...(message && { message }) }
  return { status: 422, body: { message: 'Validation Failed', errors: [error], documentation_url: '', status: '422' } }
}
