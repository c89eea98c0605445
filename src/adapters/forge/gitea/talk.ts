import type { Comment, Forge } from '../../../ports/forge.ts'
import { oldestFirst, textOf } from '../texts.ts'
import type { GiteaClient } from './client.ts'

type Talk = Pick<Forge, 'comments' | 'reply' | 'issues' | 'comment' | 'labeledBy'>

interface Note {
  readonly id: number
  readonly html_url: string
  readonly user: { readonly login: string } | null
  readonly body: string
  readonly updated_at: string
}

interface LineNote extends Note {
  readonly path: string
  /** The line in the new file; 0 for one in the old file. */
  readonly position: number
  readonly diff_hunk: string
}

interface Review {
  readonly id: number
  readonly comments_count: number
}

interface IssueRow extends Omit<Note, 'id'> {
  readonly number: number
  readonly title: string
  readonly labels: readonly { readonly name: string }[] | null
}

interface TimelineEntry {
  readonly type: string
  /** "1" if a label was set. */
  readonly body: string
  readonly label?: { readonly name: string } | null
  readonly user: { readonly login: string } | null
}

/** Comments on changes and issues. An id says which of the two kinds of comments it belongs to. */
export function createTalk(client: GiteaClient): Talk {
  const comment: Talk['comment'] = async ({ number, edits }, text) => {
    if (edits === undefined) {
      const { id } = await client.send<Note>('POST', `/issues/${number}/comments`, { body: text })
      return `issue/${id}`
    }
    await client.send('PATCH', `/issues/comments/${edits.split('/')[1]}`, { body: text })
    return edits
  }

  return {
    comment,

    async comments({ type, number }, since) {
      const general = await client.get<readonly Note[]>(`/issues/${number}/comments`, { since: since.toISOString() })
      const reviews = type === 'issue' ? [] : await client.list<Review>(`/pulls/${number}/reviews`)
      const lines = await Promise.all(
        reviews
          .filter(({ comments_count: count }) => count > 0)
          .map(({ id }) => client.get<readonly LineNote[]>(`/pulls/${number}/reviews/${id}/comments`)),
      )
      return oldestFirst(
        [
          ...general.map((each) => ({ ...common(each), id: `issue/${each.id}`, line: null, isAnswer: false })),
          ...lines
            .flat()
            .map((each) => ({ ...common(each), id: `line/${each.id}`, isAnswer: false, line: lineOf(each) })),
        ],
        since,
      )
    },

    /** The API has no answers to line comments, so an answer is another comment on that line. */
    async reply(number, { line }, text) {
      if (line === null || line.number === null) await comment({ type: 'change', number }, text)
      else {
        const comments = [{ path: line.path, new_position: line.number, body: text }]
        await client.send('POST', `/pulls/${number}/reviews`, { event: 'COMMENT', comments })
      }
    },

    async labeledBy(number, label) {
      const found = await client.list<TimelineEntry>(`/issues/${number}/timeline`)
      const set = found.findLast((each) => each.type === 'label' && each.body === '1' && each.label?.name === label)
      return set?.user?.login ?? null
    },

    async issues({ label, since }) {
      const query = { type: 'issues', state: 'open', labels: label, since: since.toISOString() }
      const found = await client.list<IssueRow>('/issues', query)
      return oldestFirst(
        found.map((each) => ({
          number: each.number,
          title: each.title,
          labels: (each.labels ?? []).map(({ name }) => name),
          ...common(each),
        })),
        since,
      )
    },
  }
}

function common({ user, body, updated_at: at, html_url: url }: Omit<Note, 'id'>) {
  return { author: user?.login ?? '', text: textOf(body), at, url }
}

function lineOf({ path, position, diff_hunk: hunk }: LineNote): Comment['line'] {
  return { path, number: position > 0 ? position : null, hunk: textOf(hunk) }
}
