import { viewsOf } from '../../app/operations/views-of.ts'
import { readDiff } from '../../app/views/diff/diffs.ts'
import type { CommonOptions, Context } from '../context.ts'
import { open } from '../open.ts'
import { paintDiff } from '../screen/paint-diff.ts'
import { attend, waiting } from './start/attend.ts'

export async function watch(context: Context, [id]: readonly string[], options: CommonOptions): Promise<number> {
  const drydock = await open(context, options)
  const { run } = await (await viewsOf(drydock)).work({ id, meant: 'unfinished' })
  return attend(context, { drydock, runs: [run], after: 0, coders: 1, own: false, ...waiting(context, options) })
}

export async function diff(
  { output, ...context }: Context,
  [id]: readonly string[],
  options: CommonOptions,
): Promise<number> {
  const drydock = await open({ output, ...context }, options)
  const told = await readDiff(drydock, await viewsOf(drydock), id)
  const { run, story, ended, base, sha: to, diff: text, truncated, gone } = told
  // A commit without changes holds no work.
  const sha = text === '' ? null : to
  output.emit({
    type: 'diff',
    run,
    ...(story !== null && { story }),
    base,
    sha,
    diff: text,
    truncated,
    ...(gone && { gone }),
  })
  if (output.json) return 0
  if (text === '') output.note(ended ? 'Nothing was changed.' : 'Nothing has changed so far.')
  else output.say(paintDiff(output.screen, text))
  if (gone?.taken === false) output.note(output.screen.clean(`${gone.message} ${gone.todo}`))
  return 0
}
