import {
  type Api,
  type ApiAnswer,
  edit,
  type ForgeModel,
  type LocalChange,
  type LocalComment,
  project,
  say,
} from './forge-model.ts'

const missing: ApiAnswer = { status: 404, body: { message: 'The target couldn’t be found.', url: '', errors: [] } }

/** Follows the description that Forgejo serves of its interface. */
export const giteaApi: Api = async ({ method, path, query, body }, model, url) => {
  const start = `/repos/${project.path}`
  if (!path.startsWith(`${start}/`)) return missing
  const [kind, number, what, id, more] = path.slice(start.length + 1).split('/')
  if (Number(query.get('page') ?? 1) > 1) return { status: 200, body: [] }
  const line = `${method} ${[kind, number && '#', what, id && '#', more].filter(Boolean).join('/')}`
  switch (line) {
    case 'GET pulls':
      return {
        status: 200,
        body: await Promise.all(model.changes.filter(isIn(query)).map((each) => pull(each, model, url))),
      }
    case 'POST pulls': {
      const [head, base] = [String(body.head), String(body.base)]
      if (model.changes.some((each) => each.head === head && each.base === base && each.state === 'open'))
        return { status: 409, body: { message: 'pull request already exists for these targets', url: '' } }
      const title = String(body.title)
      const change: LocalChange = {
        number: model.changes.length + 1,
        head,
        base,
        title,
        text: String(body.body),
        state: 'open',
        draft: title.startsWith('WIP: '),
        reviewers: [],
      }
      model.changes.push(change)
      return { status: 201, body: await pull(change, model, url) }
    }
    case 'GET pulls/#':
      return answerWith(
        model.changes.find((each) => each.number === Number(number)),
        (each) => pull(each, model, url),
      )
    case 'PATCH pulls/#':
      return { status: 201, body: await pull(edit(model, Number(number), { text: String(body.body) }), model, url) }
    case 'POST pulls/#/requested_reviewers': {
      const wanted = body.reviewers as readonly string[]
      const unknown = wanted.find((account) => !Object.hasOwn(model.accounts, account))
      if (unknown !== undefined)
        return { status: 404, body: { message: `user does not exist [name: ${unknown}]`, url: '' } }
      const before = model.changes.find((each) => each.number === Number(number))?.reviewers ?? []
      edit(model, Number(number), { reviewers: [...new Set([...before, ...wanted])] })
      return { status: 201, body: [] }
    }
    case 'GET pulls/#/reviews': {
      const count = model.comments.filter(({ on, line }) => on === Number(number) && line !== null).length
      return { status: 200, body: count === 0 ? [] : [{ id: 1, state: 'COMMENT', comments_count: count, body: '' }] }
    }
    case 'GET pulls/#/reviews/#/comments':
      return {
        status: 200,
        body: model.comments.filter((each) => each.on === Number(number) && each.line !== null).map(lineNote),
      }
    case 'POST pulls/#/reviews': {
      for (const each of body.comments as readonly { path: string; new_position: number; body: string }[]) {
        const line = { path: each.path, number: each.new_position }
        say(model, { on: Number(number), text: each.body, line, answers: null })
      }
      return { status: 200, body: { id: 2, state: 'COMMENT', comments_count: 1 } }
    }
    case 'POST statuses/#': {
      const [state, context, description] = [String(body.state), String(body.context), String(body.description)]
      model.statuses.push({ sha: number ?? '', state, context, description })
      return { status: 201, body: statusOf({ state, context, description }) }
    }
    case 'GET commits/#/status': {
      const latest = new Map(model.statuses.filter(({ sha }) => sha === number).map((each) => [each.context, each]))
      return { status: 200, body: { sha: number, state: 'success', statuses: [...latest.values()].map(statusOf) } }
    }
    case 'GET issues': {
      const found = model.issues.filter(({ labels }) => labels.includes(query.get('labels') ?? ''))
      return {
        status: 200,
        body: found.map(({ number, title, text, author, labels, at }) => ({
          id: 50 + number,
          number,
          title,
          body: text,
          user: { login: author },
          updated_at: at,
          state: 'open',
          labels: labels.map((name) => ({ name })),
          html_url: `${url}/${project.path}/issues/${number}`,
        })),
      }
    }
    case 'GET issues/#/timeline': {
      const issue = model.issues.find((each) => each.number === Number(number))
      const set = { type: 'label', body: '1', user: { login: issue?.labeledBy ?? issue?.author } }
      return { status: 200, body: (issue?.labels ?? []).map((name) => ({ ...set, label: { name } })) }
    }
    case 'GET issues/#/comments':
      return {
        status: 200,
        body: model.comments.filter((each) => each.on === Number(number) && each.line === null).map(note),
      }
    case 'POST issues/#/comments': {
      const said = say(model, { on: Number(number), text: String(body.body), line: null, answers: null })
      return { status: 201, body: note(said) }
    }
    case 'GET collaborators/#/permission':
      return { status: 200, body: { permission: model.accounts[number ?? ''] ?? 'none', role_name: '', user: null } }
    default:
      if (method === 'PATCH' && kind === 'issues' && number === 'comments') {
        const at = model.comments.findIndex((each) => each.id === Number(what))
        model.comments[at] = { ...(model.comments[at] as LocalComment), text: String(body.body) }
        return { status: 200, body: note(model.comments[at] as LocalComment) }
      }
      return missing
  }
}

function isIn(query: URLSearchParams) {
  return ({ state }: LocalChange) => (query.get('state') === 'open') === (state === 'open')
}

async function answerWith<T>(found: T | undefined, show: (found: T) => Promise<object>): Promise<ApiAnswer> {
  return found === undefined ? missing : { status: 200, body: await show(found) }
}

async function pull(change: LocalChange, model: ForgeModel, url: string): Promise<object> {
  const { number, head, base, title, text, state, draft, reviewers } = change
  return {
    id: 70 + number,
    number,
    title,
    body: text,
    draft,
    html_url: `${url}/${project.path}/pulls/${number}`,
    state: state === 'open' ? 'open' : 'closed',
    merged: state === 'merged',
    merged_at: state === 'merged' ? '2026-11-20T12:00:00Z' : null,
    head: { label: head, ref: head, sha: await model.commitOf(head), repo_id: 1 },
    base: { label: base, ref: base, sha: await model.commitOf(base), repo_id: 1 },
    requested_reviewers: reviewers.map((login) => ({ login })),
  }
}

function statusOf({
  state,
  context,
  description,
}: Pick<ForgeModel['statuses'][number], 'state' | 'context' | 'description'>) {
  return { id: 1, status: state, context, description, target_url: '', url: '' }
}

function note({ id, author, text, at }: LocalComment): object {
  return { id, body: text, user: { login: author }, created_at: at, updated_at: at, html_url: `#issuecomment-${id}` }
}

function lineNote(comment: LocalComment): object {
  const { path, number, side } = comment.line ?? { path: '', number: 0 }
  const [position, original_position] = side === 'old' ? [0, number] : [number, 0]
  return { ...note(comment), path, position, original_position, diff_hunk: '@@ -1 +1 @@' }
}
