import { readDiff } from '../../app/views/diff/diffs.ts'
import { isUnfinished, lookUp, namedStory } from '../../app/views/find/find-work.ts'
import { isEnded } from '../../domain/run/run.ts'
import type { CommonOptions, Context } from '../context.ts'
import { open } from '../open.ts'
import { paintDiff } from '../screen/paint-diff.ts'
import { attend, waiting } from './start/attend.ts'

export async function watch(context: Context, [id]: readonly string[], options: CommonOptions): Promise<number> {
  const drydock = await open(context, options)
  const { run } = await lookUp(drydock, id, isUnfinished)
  return attend(context, { drydock, runs: [run.id], after: 0, coders: 1, own: false, ...waiting(context, options) })
}

export async function diff(
  { output, ...context }: Context,
  [id]: readonly string[],
  options: CommonOptions,
): Promise<number> {
  const {
    run,
    story: found,
    base,
    sha: to,
    diff: text,
    truncated,
    gone,
  } = await readDiff(await open({ output, ...context }, options), id)
  const named = namedStory({ story: found })
  // A commit without changes holds no work.
  const sha = text === '' ? null : to
  output.emit({
    type: 'diff',
    run: run.id,
    ...(named && { story: named.story }),
    base,
    sha,
    diff: text,
    truncated,
    ...(gone && { gone }),
  })
  if (output.json) return 0
  if (text === '') output.note(isEnded(run.state) ? 'Nothing was changed.' : 'Nothing has changed so far.')
  else output.say(paintDiff(output.screen, text))
  if (gone?.taken === false) output.note(output.screen.clean(`${gone.message} ${gone.todo}`))
  return 0
}
