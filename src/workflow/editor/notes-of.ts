import type { Change, Story } from '../../domain/story/story.ts'
import type { Records } from '../../ports/store.ts'

const most = 200

/** Notes on how a change came about, for its summary. */
export async function notesOf(
  records: Records,
  { run, story }: Pick<Story, 'run' | 'story'>,
  change: Change | null,
): Promise<readonly string[]> {
  const queries = await records.machines({ kind: 'scout_query', run, states: ['FAILED'] })
  const failed = queries.filter((query) => query.story === story)
  return [
    ...(change?.isHandedInFor ? ['The editor did not hand this change in: its model stopped calling tools.'] : []),
    ...failed.map(({ data: { scout, question, problems } }) => {
      const [asked, why] = [question, problems.at(-1) ?? ''].map((text) => text.replaceAll(/\s+/g, ' ').slice(0, most))
      return `The ${scout} scout gave no report (${why}), and the editor worked without it. It was asked: ${asked}`
    }),
  ]
}
