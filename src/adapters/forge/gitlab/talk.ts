import { limits } from '../../../domain/limits.ts'
import type { Comment, Forge } from '../../../ports/forge.ts'
import { oldestFirst, textOf } from '../texts.ts'
import type { Resources } from './resources.ts'

type Talk = Pick<Forge, 'comments' | 'reply' | 'issues' | 'comment' | 'labeledBy'>

interface Parts {
  readonly resources: Resources
  readonly project: string
}

/** The position of a note on a diff, as GitLab sends it. */
interface Position {
  readonly new_path?: string
  readonly old_path?: string
  readonly new_line?: number | null
}

/** Comments on merge requests and issues. A comment's id is `<discussion>/<note>`. */
export function createTalk({ resources, project }: Parts): Talk {
  const { discussions, issueDiscussions, issueLabelEvents, changeNotes, issues, issueNotes } = resources
  const paged = { perPage: limits.forge.pageSize, maxPages: limits.forge.pages }
  return {
    async comments({ type, number }, since) {
      const found =
        type === 'issue'
          ? await issueDiscussions.all(project, number, paged)
          : await discussions.all(project, number, paged)
      const notes = found.flatMap(({ id: discussion, notes = [] }) =>
        notes
          .filter(({ system }) => !system)
          .map(({ id, author, body, updated_at: at, position }, i) => ({
            id: `${discussion}/${id}`,
            author: author.username,
            text: textOf(body),
            at,
            url: null,
            isAnswer: i > 0,
            line: lineOf(position as Position | null | undefined),
          })),
      )
      return oldestFirst(notes, since)
    },

    async reply(number, { id }, text) {
      await discussions.addNote(project, number, id.split('/')[0] ?? '', text)
    },

    async labeledBy(number, label) {
      const found = await issueLabelEvents.all(project, number, paged)
      const set = found.findLast((each) => each.action === 'add' && each.label?.name === label)
      return set?.user?.username ?? null
    },

    async issues({ label, since }) {
      const asked = { projectId: project, labels: label, state: 'opened', updatedAfter: since.toISOString() } as const
      const found = await issues.all({ ...asked, ...paged })
      return oldestFirst(
        found.map(({ iid, web_url: url, title, description, author, labels, updated_at: at }) => ({
          number: iid,
          url,
          title,
          at,
          labels,
          text: textOf(description),
          author: author.username,
        })),
        since,
      )
    },

    async comment({ type, number, edits }, text) {
      const notes = type === 'issue' ? issueNotes : changeNotes
      if (edits === undefined) return String((await notes.create(project, number, text)).id)
      await notes.edit(project, number, Number(edits.split('/').at(-1)), { body: text })
      return edits
    },
  }
}

function lineOf(position: Position | null | undefined): Comment['line'] {
  const path = position?.new_path ?? position?.old_path
  return path === undefined ? null : { path, number: position?.new_line ?? null, hunk: null }
}
