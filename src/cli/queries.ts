import { limits } from '../domain/limits.ts'
import { hasCrew, isEnded } from '../domain/run/run.ts'
import type { CommonOptions, Context } from './context.ts'
import { findRun, findWork, isBuilt, isUnfinished, type Work } from './find-run.ts'
import { open } from './open.ts'
import { reading } from './reading.ts'
import { paintDiff } from './screen/paint-diff.ts'
import { attend, waiting } from './start/attend.ts'

export async function watch(context: Context, [id]: readonly string[], options: CommonOptions): Promise<number> {
  const drydock = await open(context, options)
  const run = await reading(drydock, (records) => findRun(records, id, isUnfinished))
  return attend(context, { drydock, runs: [run.id], after: 0, coders: 1, own: false, ...waiting(context, options) })
}

export async function diff(context: Context, [id]: readonly string[], options: CommonOptions): Promise<number> {
  const drydock = await open(context, options)
  return reading(drydock, async (records) => {
    const work = await findWork(records, id, isBuilt)
    const { from, to } = endsOf(work)
    const { text, truncated } =
      from !== null && to !== null
        ? await drydock.workspaces.diff({ from, to, maxBytes: limits.previewBytes })
        : { text: '', truncated: false }
    const story = hasCrew(work.run) && work.story !== null && { story: work.story.story }
    // A commit that changes nothing keeps no work.
    const sha = text === '' ? null : to
    context.output.emit({ type: 'diff', run: work.run.id, ...story, base: from, sha, diff: text, truncated })
    if (context.output.json) return 0
    if (text === '')
      context.output.note(isEnded(work.run.state) ? 'Nothing was changed.' : 'Nothing is changed so far.')
    else context.output.say(paintDiff(context.output.screen, text))
    return 0
  })
}

/** What has been changed: by a story so far, or by all the stories of a crew that are merged. */
function endsOf({ run, story }: Work): { readonly from: string | null; readonly to: string | null } {
  if (story !== null) return { from: story.data.base, to: story.data.snapshot?.sha ?? null }
  return { from: run.data.base, to: hasCrew(run) ? run.data.tip : null }
}
