import { limits } from '../../../domain/limits.ts'
import type { Forge } from '../../../ports/forge.ts'
import { oldestFirst, textOf } from '../texts.ts'
import type { Client } from './octokit.ts'
import { pages } from './pages.ts'

type Talk = Pick<Forge, 'comments' | 'reply' | 'issues' | 'comment' | 'labeledBy'>

interface Parts {
  readonly client: Client
  readonly place: { readonly owner: string; readonly repo: string }
}

/**
 * Comments on changes and issues. An id says which of GitHub's two kinds of comments it belongs to.
 */
export function createTalk({ client, place }: Parts): Talk {
  const paged = { ...place, per_page: limits.forge.pageSize }

  const comment: Talk['comment'] = async ({ number, edits }, text) => {
    if (edits === undefined) {
      const given = { ...place, issue_number: number, body: text }
      const { data } = await client.request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', given)
      return `issue/${data.id}`
    }
    const given = { ...place, comment_id: Number(edits.split('/')[1]), body: text }
    await client.request('PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}', given)
    return edits
  }

  return {
    comment,

    async comments({ type, number }, from) {
      const since = from.toISOString()
      const onAll = { ...paged, issue_number: number, since }
      const onLines = { ...paged, pull_number: number, since }
      const [general, lines] = await Promise.all([
        pages(client.paginate.iterator('GET /repos/{owner}/{repo}/issues/{issue_number}/comments', onAll)),
        type === 'issue'
          ? []
          : pages(client.paginate.iterator('GET /repos/{owner}/{repo}/pulls/{pull_number}/comments', onLines)),
      ])
      const common = (each: (typeof general)[number] | (typeof lines)[number]) => ({
        author: each.user?.login ?? '',
        text: textOf(each.body),
        at: each.updated_at,
        url: each.html_url,
      })
      return oldestFirst(
        [
          ...general.map((each) => ({ ...common(each), id: `issue/${each.id}`, line: null, isAnswer: false })),
          ...lines.map((each) => ({
            ...common(each),
            id: `line/${each.id}`,
            isAnswer: each.in_reply_to_id != null,
            // A line that the change removes has no number in the new file.
            line: {
              path: each.path,
              number: each.side === 'LEFT' ? null : (each.line ?? null),
              hunk: textOf(each.diff_hunk),
            },
          })),
        ],
        from,
      )
    },

    async reply(number, { id }, text) {
      const [kind, comment_id] = [id.split('/')[0], Number(id.split('/')[1])]
      if (kind === 'line') {
        const given = { ...place, pull_number: number, comment_id, body: text }
        await client.request('POST /repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies', given)
      } else await comment({ type: 'change', number }, text)
    },

    async labeledBy(number, label) {
      const given = { ...paged, issue_number: number }
      const found = await pages(
        client.paginate.iterator('GET /repos/{owner}/{repo}/issues/{issue_number}/events', given),
      )
      const set = found.findLast((each) => each.event === 'labeled' && 'label' in each && each.label.name === label)
      return set?.actor?.login ?? null
    },

    async issues({ label, since: from }) {
      const given = { ...paged, labels: label, state: 'open', since: from.toISOString() } as const
      const found = await pages(client.paginate.iterator('GET /repos/{owner}/{repo}/issues', given))
      return oldestFirst(
        found
          .filter(({ pull_request: isChange }) => isChange === undefined)
          .map(({ number, html_url: url, title, body, user, labels, updated_at: at }) => ({
            number,
            url,
            title,
            at,
            text: textOf(body),
            author: user?.login ?? '',
            labels: labels.map((each) => (typeof each === 'string' ? each : (each.name ?? ''))),
          })),
        from,
      )
    },
  }
}
