import {
  type Api,
  type ApiAnswer,
  edit,
  type ForgeModel,
  type LocalChange,
  type LocalComment,
  type LocalJob,
  project,
  say,
} from './forge-model.ts'

const levels = { admin: 50, write: 30, read: 20, none: 0 }

/** Follows GitLab's documentation of its REST interface. */
export const gitLabApi: Api = async ({ method, path, query, body }, model, url) => {
  if (path === '/users') return { status: 200, body: usersNamed(model, query.get('username') ?? '') }
  const start = `/projects/${project.path}`
  if (!path.startsWith(`${start}/`)) return missing
  const [kind, ...rest] = path.slice(start.length + 1).split('/')
  switch (kind) {
    case 'merge_requests':
      return mergeRequests({ method, rest, query, body }, model, url)
    case 'statuses': {
      const [sha = ''] = rest
      const state = String(body.state)
      if (!['pending', 'running', 'success', 'failed', 'canceled'].includes(state))
        return { status: 400, body: { error: 'state does not have a valid value' } }
      const context = String(body.context ?? body.name)
      model.statuses.push({ sha, state, context, description: String(body.description) })
      return {
        status: 201,
        body: status(model.statuses.length, { sha, state, context, description: String(body.description) }),
      }
    }
    case 'repository':
      return {
        status: 200,
        body: [
          ...model.statuses.filter(({ sha }) => sha === rest[1]).map((each, i) => status(i + 1, each)),
          ...model.jobs.filter(({ sha }) => sha === rest[1]).map(jobStatus),
        ],
      }
    case 'issues':
      return issues({ method, rest, query, body }, model, url)
    case 'jobs':
      return { status: 200, body: undefined }
    case 'members': {
      const [account, permission] = Object.entries(model.accounts)[Number(rest.at(-1)) - 1] ?? ['', 'none']
      if (permission === 'none') return missing
      return { status: 200, body: { ...user(model, account), access_level: levels[permission] } }
    }
    default:
      return missing
  }
}

const missing: ApiAnswer = { status: 404, body: { message: '404 Not found' } }

interface ApiRequest {
  readonly method: string
  readonly rest: readonly string[]
  readonly query: URLSearchParams
  readonly body: Readonly<Record<string, unknown>>
}

async function mergeRequests(
  { method, rest, query, body }: ApiRequest,
  model: ForgeModel,
  url: string,
): Promise<ApiAnswer> {
  const [iid, what, discussion] = rest
  if (iid === undefined && method === 'GET') {
    const found = model.changes.filter(({ head }) => head === query.get('source_branch')).toReversed()
    return { status: 200, body: await Promise.all(found.map((each) => mergeRequest(each, model, url))) }
  }
  if (iid === undefined) {
    const [head, base] = [String(body.source_branch), String(body.target_branch)]
    const open = model.changes.find((each) => each.head === head && each.base === base && each.state === 'open')
    if (open)
      return {
        status: 409,
        body: { message: [`Another open merge request already exists for this source branch: !${open.number}`] },
      }
    const title = String(body.title)
    const change: LocalChange = {
      number: model.changes.length + 1,
      head,
      base,
      title,
      text: String(body.description),
      state: 'open',
      draft: title.startsWith('Draft: '),
      reviewers: [],
    }
    model.changes.push(change)
    return { status: 201, body: await mergeRequest(change, model, url) }
  }
  const change = model.changes.find(({ number }) => number === Number(iid))
  if (change === undefined) return missing
  if (what === 'discussions') return discussions({ method, discussion, body }, model, change)
  if (what === 'notes') return notes({ method, id: discussion, body }, model, change.number)
  if (method === 'GET') return { status: 200, body: await mergeRequest(change, model, url) }
  const names = Object.keys(model.accounts)
  const reviewers = (body.reviewer_ids as readonly number[] | undefined)?.map((id) => names[id - 1] ?? '')
  const edited = edit(model, change.number, {
    ...(reviewers && { reviewers }),
    ...(body.description !== undefined && { text: String(body.description) }),
  })
  return { status: 200, body: await mergeRequest(edited, model, url) }
}

async function mergeRequest(change: LocalChange, model: ForgeModel, url: string): Promise<object> {
  const { number, head, base, title, text, state, draft, reviewers } = change
  return {
    id: 1000 + number,
    iid: number,
    project_id: 3,
    title,
    description: text,
    draft,
    work_in_progress: draft,
    state: state === 'open' ? 'opened' : state,
    source_branch: head,
    target_branch: base,
    source_project_id: 3,
    target_project_id: 3,
    sha: await model.commitOf(head),
    author: user(model, 'ada'),
    created_at: '2026-11-20T10:00:00.000Z',
    updated_at: '2026-11-20T10:00:00.000Z',
    labels: [],
    assignees: [],
    reviewers: reviewers.map((account) => user(model, account)),
    web_url: `${url}/${project.path}/-/merge_requests/${number}`,
  }
}

interface Discussing {
  readonly method: string
  readonly discussion: string | undefined
  readonly body: ApiRequest['body']
}

/** Each comment that is not a reply starts a discussion. */
async function discussions(
  { method, discussion, body }: Discussing,
  model: ForgeModel,
  { number }: LocalChange,
): Promise<ApiAnswer> {
  const own = model.comments.filter(({ on }) => on === number)
  if (method === 'POST') {
    const first = own.find(({ id }) => `d${id}` === discussion)
    if (first === undefined) return missing
    return { status: 201, body: note(model, say(model, { ...first, text: String(body.body), answers: first.id })) }
  }
  const found = own
    .filter(({ answers }) => answers === null)
    .map((first) => ({
      id: `d${first.id}`,
      individual_note: first.line === null,
      notes: [first, ...own.filter(({ answers }) => answers === first.id)].map((each) => note(model, each)),
    }))
  return { status: 200, body: found }
}

interface Noting {
  readonly method: string
  readonly id: string | undefined
  readonly body: ApiRequest['body']
}

async function notes({ method, id, body }: Noting, model: ForgeModel, on: number): Promise<ApiAnswer> {
  const text = String(body.body)
  if (method === 'POST') return { status: 201, body: note(model, say(model, { on, text, line: null, answers: null })) }
  const at = model.comments.findIndex((each) => each.id === Number(id))
  if (at < 0) return missing
  const edited = { ...(model.comments[at] as LocalComment), text }
  model.comments[at] = edited
  return { status: 200, body: note(model, edited) }
}

async function issues({ method, rest, query, body }: ApiRequest, model: ForgeModel, url: string): Promise<ApiAnswer> {
  if (rest[1] === 'discussions') {
    const own = model.comments.filter(({ on }) => on === Number(rest[0]))
    return {
      status: 200,
      body: own.map((each) => ({ id: `d${each.id}`, individual_note: true, notes: [note(model, each)] })),
    }
  }
  if (rest[1] === 'resource_label_events') {
    const issue = model.issues.find(({ number }) => number === Number(rest[0]))
    const by = user(model, issue?.labeledBy ?? issue?.author ?? '')
    return {
      status: 200,
      body: (issue?.labels ?? []).map((name, id) => ({ id, user: by, label: { id, name }, action: 'add' })),
    }
  }
  if (rest[1] === 'notes') return notes({ method, id: rest[2], body }, model, Number(rest[0]))
  const found = model.issues.filter(({ labels }) => labels.includes(query.get('labels') ?? ''))
  return {
    status: 200,
    body: found.map(({ number, title, text, author, labels, at }) => ({
      id: 2000 + number,
      iid: number,
      project_id: 3,
      title,
      description: text,
      labels,
      state: 'opened',
      author: user(model, author),
      updated_at: at,
      web_url: `${url}/${project.path}/-/issues/${number}`,
    })),
  }
}

function note(model: ForgeModel, { id, author, text, at, line }: LocalComment): object {
  return {
    id,
    type: line === null ? null : 'DiffNote',
    body: text,
    author: user(model, author),
    system: false,
    created_at: at,
    updated_at: at,
    resolvable: line !== null,
    noteable_type: 'MergeRequest',
    ...(line && {
      position: {
        position_type: 'text',
        new_path: line.path,
        old_path: line.path,
        ...(line.side === 'old'
          ? { new_line: null, old_line: line.number }
          : { new_line: line.number, old_line: null }),
      },
    }),
  }
}

function status(id: number, { sha, context, state, description }: ForgeModel['statuses'][number]): object {
  const author = { id: 1, username: 'ada', name: 'ada' }
  return {
    id,
    sha,
    ref: 'main',
    status: state,
    name: context,
    description,
    target_url: null,
    allow_failure: false,
    author,
  }
}

function jobStatus({ id, sha, name, state, mayFail = false }: LocalJob): object {
  const shown = { sha, context: name, state: state === 'failure' ? 'failed' : state, description: '' }
  return { ...status(id, shown), allow_failure: mayFail }
}

function user(model: ForgeModel, username: string): object {
  const id = Object.keys(model.accounts).indexOf(username) + 1
  return { id, username, name: username, state: 'active', web_url: `https://gitlab.example/${username}` }
}

function usersNamed(model: ForgeModel, username: string): readonly object[] {
  return Object.hasOwn(model.accounts, username) ? [user(model, username)] : []
}
